// ApplyGradientDescent, ResourceApplyGradientDescent: var -= alpha * delta.
//
// In place while nobody else holds the value; else into new memory, in one pass, and the old value
// stays as its readers saw it. Updates of a variable are serialised whatever `use_locking` says.

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/state/variable_access.h"
#include "runtime/device/device.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {
namespace {

using Types = ConcatTypes<FloatTypeList, ComplexTypeList>;

// to[i] = from[i] - alpha * delta[i]; `to` may be `from`.
template <class T>
void Descend(const T* from, T alpha, const T* delta, T* to, int64_t count) {
  if constexpr (kIsFloat<T>) {
    using V = Vec<ComputeType<T>>;
    const V a(static_cast<ComputeType<T>>(alpha));
    int64_t i = 0;
    for (; i + V::kLanes <= count; i += V::kLanes) {
      StoreVec(LoadVec(from + i) - a * LoadVec(delta + i), to + i);
    }
    if (i < count) {
      StoreVecN(LoadVecN(from + i, count - i) - a * LoadVecN(delta + i, count - i), to + i,
                count - i);
    }
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) to[i] = from[i] - alpha * delta[i];
  }
}

absl::Status CheckArguments(const Variable& variable, const Tensor& value, const Tensor& alpha,
                            const Tensor& delta) {
  if (!value.has_value()) {
    return FailedPrecondition("Attempting to use uninitialized value ", variable.name(),
                              "; run its initializer first");
  }
  if (alpha.rank() != 0) {
    return InvalidArgument("'alpha' must be a scalar, but has shape ", alpha.shape().ToString());
  }
  if (delta.shape() != value.shape() || delta.dtype() != value.dtype()) {
    return InvalidArgument("'delta' is ", DTypeName(delta.dtype()), delta.shape().ToString(),
                           ", but variable '", variable.name(), "' is ", DTypeName(value.dtype()),
                           value.shape().ToString());
  }
  return absl::OkStatus();
}

absl::Status DescendAll(KernelContext& ctx, Variable& variable) {
  const Tensor &alpha = ctx.input(1), &delta = ctx.input(2);
  return variable.Update([&](Tensor& value) -> absl::Status {
    WB_RETURN_IF_ERROR(CheckArguments(variable, value, alpha, delta));
    const bool in_place = value.IsUnique();
    Tensor result;  // when the old value must stay
    if (in_place) {
      WB_RETURN_IF_ERROR(ctx.MakeWritable(value));
    } else {
      WB_ASSIGN_OR_RETURN(result, ctx.AllocateTemp(value.dtype(), value.shape()));
      if (ctx.device() != nullptr) {
        value.set_raw_data(ctx.device()->ToKernelAddress(value.raw_data()));
      }
    }
    Tensor& to = in_place ? value : result;
    WB_RETURN_IF_ERROR(DispatchTypes(Types{}, value.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      constexpr int64_t kBlock = 4096;
      const int64_t count = value.num_elements();
      ctx.ParallelFor((count + kBlock - 1) / kBlock, kBlock * sizeof(T) / 8,
                      [&](int64_t begin, int64_t end) {
                        const int64_t from = begin * kBlock, upto = std::min(count, end * kBlock);
                        Descend(value.data<T>() + from, alpha.scalar<T>(), delta.data<T>() + from,
                                to.data<T>() + from, upto - from);
                      });
      return absl::OkStatus();
    }));
    if (!in_place) value = std::move(result);
    return absl::OkStatus();
  });
}

class RefKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<RefKernel>();
  }
  absl::Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(RefVariable * variable, RefInput(ctx, 0));
    WB_RETURN_IF_ERROR(DescendAll(ctx, *variable));
    ctx.set_output_ref(0, variable);
    return absl::OkStatus();
  }
};

class ResourceKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ResourceKernel>();
  }
  absl::Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<Variable> variable, finder_.Find(ctx, 0));
    return DescendAll(ctx, *variable);
  }

 private:
  VariableFinder finder_;
};

// The variable's shape is `variable`; alpha is a scalar, delta like the variable.
absl::StatusOr<PartialShape> UpdatedShape(ShapeContext& c, const PartialShape& variable) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return PartialShape::Merge(variable, c.input(2));
}
absl::Status RefShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, UpdatedShape(c, c.input(0)));
  c.set_output(0, std::move(shape));
  return absl::OkStatus();
}
absl::Status ResourceShape(ShapeContext& c) {
  const HandleShapes& handle = c.input_handle(0);
  return UpdatedShape(c, handle.empty() ? PartialShape() : handle[0].shape).status();
}

constexpr TypeSet kGpuTypes = {DType::kHalf, DType::kFloat, DType::kDouble, DType::kComplex64,
                               DType::kComplex128};

}  // namespace

#define WB_NUMBERS                                                                          \
  "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, " \
  "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"

WB_OP("ApplyGradientDescent")
    .Input("var: Ref(T)")
    .Input("alpha: T")
    .Input("delta: T")
    .Output("out: Ref(T)")
    .Attr(WB_NUMBERS)
    .Attr("use_locking: bool = false")
    .Shape(RefShape);
WB_OP("ResourceApplyGradientDescent")
    .Input("var: resource")
    .Input("alpha: T")
    .Input("delta: T")
    .Attr(WB_NUMBERS)
    .Attr("use_locking: bool = false")
    .Stateful()
    .Shape(ResourceShape);
WB_KERNEL("ApplyGradientDescent", RefKernel)
    .Cpu({{"T", TypeSetOf(Types{})}})
    .Gpu({{"T", kGpuTypes}});
WB_KERNEL("ResourceApplyGradientDescent", ResourceKernel)
    .Cpu({{"T", TypeSetOf(Types{})}})
    .Gpu({{"T", kGpuTypes}})
    .HostMemory({"var"});

}  // namespace warpbeam::host_pass
