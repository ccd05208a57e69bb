// Select and SelectV2: elements of one tensor or of another, as a condition says. Moves data only,
// so one loop per element size serves all types.

#include "ops/math/functors/select.h"

#include "ops/launch/elementwise.h"

#if WB_HOST_PASS
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/gpu_launch.h"
#include "runtime/device/device.h"

namespace warpbeam::WB_PASS {
namespace {

// Vector blends, as the compiler makes them where both values are read before the choice, blocks
// are of fixed length, and the condition is a number rather than a bool.
template <bool kOneT, bool kOneE, class T>
void ChooseRow(const bool* condition, const T* t, const T* e, T* y, int64_t count) {
  using Read = std::conditional_t<std::is_trivially_copyable_v<T>, const T, const T&>;
  constexpr int kBlock = 64;
  const T first_t = t[0], first_e = e[0];
  const auto* c = reinterpret_cast<const uint8_t*>(condition);
  for (; count >= kBlock; count -= kBlock) {
#pragma GCC ivdep
    for (int k = 0; k < kBlock; ++k) {
      Read a = kOneT ? first_t : t[k], b = kOneE ? first_e : e[k];
      y[k] = c[k] != 0 ? a : b;
    }
    c += kBlock, y += kBlock;
    if (!kOneT) t += kBlock;
    if (!kOneE) e += kBlock;
  }
  for (int64_t k = 0; k < count; ++k) {
    Read a = kOneT ? first_t : t[k], b = kOneE ? first_e : e[k];
    y[k] = c[k] != 0 ? a : b;
  }
}

// An ElementwiseLoop; the result may lie where t or e do.
template <class T>
bool ChooseLoop(const void*, const void* const* inputs, unsigned scalars, void* output,
                int64_t count) {
  const bool* condition = static_cast<const bool*>(inputs[0]);
  const T *t = static_cast<const T*>(inputs[1]), *e = static_cast<const T*>(inputs[2]);
  T* y = static_cast<T*>(output);
  const bool one_t = (scalars & 2) != 0, one_e = (scalars & 4) != 0;
  if (count == 0) return true;
  if ((scalars & 1) != 0) {
    const T* chosen = *condition ? t : e;
    if (*condition ? one_t : one_e) {
      std::fill_n(y, count, T(*chosen));
    } else if (chosen != y) {
      std::copy_n(chosen, count, y);
    }
  } else if (one_t) {
    one_e ? ChooseRow<true, true>(condition, t, e, y, count)
          : ChooseRow<true, false>(condition, t, e, y, count);
  } else {
    one_e ? ChooseRow<false, true>(condition, t, e, y, count)
          : ChooseRow<false, false>(condition, t, e, y, count);
  }
  return true;
}

StatusOr<ElementwiseSpec> ChooseSpec(DType dtype) {
  ElementwiseSpec spec;
  spec.num_inputs = 3;
  spec.picoseconds = 400;
  WB_RETURN_IF_ERROR(DispatchElements(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    spec.loop = &ChooseLoop<T>;
    return OkStatus();
  }));
  return spec;
}

struct SelectV2Kernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const ElementwiseSpec spec, ChooseSpec(init.input_types[1]));
    return NewElementwiseKernel(spec, init);
  }
};

// The first version: t and e of one shape; the condition is of that shape, a scalar, or a vector
// with one value per row.
class SelectKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const ElementwiseSpec spec, ChooseSpec(init.input_types[1]));
    WB_ASSIGN_OR_RETURN(auto elementwise, NewElementwiseKernel(spec, init));
    return std::make_unique<SelectKernel>(
        spec, std::move(elementwise),
        GpuElementwise("Select", init.input_types[2], DType::kInvalid));
  }
  SelectKernel(const ElementwiseSpec& spec, std::unique_ptr<Kernel> elementwise, GpuElementwise gpu)
      : spec_(spec), elementwise_(std::move(elementwise)), gpu_(std::move(gpu)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &condition = ctx.input(0), &t = ctx.input(1), &e = ctx.input(2);
    if (t.shape() != e.shape()) {
      return InvalidArgument("'t' and 'e' must have the same shape, but have ",
                             t.shape().ToString(), " and ", e.shape().ToString());
    }
    if (condition.shape() == t.shape()) return elementwise_->Compute(ctx);
    const bool rows = condition.rank() == 1 && t.rank() >= 1 && condition.dim(0) == t.dim(0);
    if (condition.rank() != 0 && !rows) {
      return InvalidArgument(
          "'condition' must be a scalar, a vector with one value per row of 't', or of the shape "
          "of 't', ",
          t.shape().ToString(), ", but has shape ", condition.shape().ToString());
    }
    return ComputeRows(ctx, rows ? t.dim(0) : 1);
  }

 private:
  Status ComputeRows(KernelContext& ctx, int64_t rows) {
    const Tensor* inputs[] = {&ctx.input(0), &ctx.input(1), &ctx.input(2)};
    const Shape shape = inputs[1]->shape();
    WB_ASSIGN_OR_RETURN(Tensor * output, ctx.ForwardOrAllocate({1, 2}, 0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    WB_ASSIGN_OR_RETURN(const Shape matrix, Shape::Make({rows, shape.num_elements() / rows}));
    WB_ASSIGN_OR_RETURN(const Shape column, Shape::Make({rows, 1}));
    Broadcast plan;
    Shape unused;
    WB_RETURN_IF_ERROR(MakeBroadcast({&column, &matrix, &matrix}, &plan, &unused));
    if (ctx.device() != nullptr && ctx.device()->runs_gpu_kernels()) {
      return EnqueueElementwise(*ctx.device(), spec_, gpu_, &plan, inputs, output);
    }
    RunElementwise(ctx, spec_, plan, inputs, output);
    return OkStatus();
  }

  const ElementwiseSpec spec_;
  const std::unique_ptr<Kernel> elementwise_;
  const GpuElementwise gpu_;
};

Status SelectShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape out, PartialShape::Merge(c.input(1), c.input(2)));
  const PartialShape& condition = c.input(0);
  if (condition.has_rank() && condition.rank() > 0 && out.has_rank()) {
    if (condition.rank() == 1 && out.rank() >= 1) {
      WB_RETURN_IF_ERROR(PartialShape::Merge(condition, PartialShape({out.dim(0)})).status());
    } else {
      WB_RETURN_IF_ERROR(PartialShape::Merge(condition, out).status());
    }
  }
  c.set_output(0, out);
  return OkStatus();
}

Status SelectV2Shape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape values, ShapeContext::Broadcast(c.input(1), c.input(2)));
  WB_ASSIGN_OR_RETURN(const PartialShape out, ShapeContext::Broadcast(c.input(0), values));
  c.set_output(0, out);
  return OkStatus();
}

Status SelectGradient(GradContext& c) {
  const OutputRef zeros = c.ZerosLike(c.x(1));
  c.set_dx(1, c.Emit("Select", {c.x(0), c.dy(0), zeros}));
  c.set_dx(2, c.Emit("Select", {c.x(0), zeros, c.dy(0)}));
  return OkStatus();
}

// Sums a gradient of the result's shape over the dimensions along which input i was spread.
OutputRef SumTo(GradContext& c, int i, OutputRef gradient) {
  const PartialShape &own = c.shape(c.x(i)), &all = c.shape(c.y(0));
  if (own.IsFullyDefined() && own == all) return gradient;
  const OutputRef shape = c.ShapeOf(c.x(i));
  const std::vector<OutputRef> axes =
      c.EmitAll("BroadcastGradientArgs", {shape, c.ShapeOf(c.y(0))});
  if (axes.empty()) return {};
  return c.Reshape(c.Emit("Sum", {gradient, axes[0]}), shape);
}

Status SelectV2Gradient(GradContext& c) {
  const OutputRef zeros = c.ScalarLike(c.dy(0), 0);
  c.set_dx(1, SumTo(c, 1, c.Emit("SelectV2", {c.x(0), c.dy(0), zeros})));
  c.set_dx(2, SumTo(c, 2, c.Emit("SelectV2", {c.x(0), zeros, c.dy(0)})));
  return OkStatus();
}

constexpr TypeSet kSelectCpu =
    kNumberTypes | TypeSet{DType::kBool, DType::kString, DType::kResource, DType::kVariant};
constexpr TypeSet kSelectGpu = kFloatingTypes | kComplexTypes | kIndexTypes | TypeSet{DType::kBool};
constexpr TypeSet kSelectV2Gpu = kNumberTypes | TypeSet{DType::kBool};

}  // namespace

WB_OP("Select")
    .Input("condition: bool")
    .Input("t: T")
    .Input("e: T")
    .Output("output: T")
    .Attr("T: type")
    .Shape(SelectShape);
WB_OP("SelectV2")
    .Input("condition: bool")
    .Input("t: T")
    .Input("e: T")
    .Output("output: T")
    .Attr("T: type")
    .Shape(SelectV2Shape);
WB_KERNEL("Select", SelectKernel).Cpu({{"T", kSelectCpu}}).Gpu({{"T", kSelectGpu}});
WB_KERNEL("SelectV2", SelectV2Kernel).Cpu({{"T", kSelectCpu}}).Gpu({{"T", kSelectV2Gpu}});
WB_GRADIENT("Select", SelectGradient);
WB_GRADIENT("SelectV2", SelectV2Gradient);

}  // namespace warpbeam::WB_PASS

#else

namespace warpbeam::WB_PASS {

// One function for each size of elements.
template <int kBytes>
struct WordOf;
template <>
struct WordOf<1> {
  using type = uint8_t;
};
template <>
struct WordOf<2> {
  using type = uint16_t;
};
template <>
struct WordOf<4> {
  using type = uint32_t;
};
template <>
struct WordOf<8> {
  using type = uint64_t;
};
struct alignas(16) TwoWords {
  uint64_t words[2];
};
template <>
struct WordOf<16> {
  using type = TwoWords;
};

template <class... Ts>
struct SelectRegistrations {
  SelectRegistrations(const char* op, TypeList<Ts...>) { (Add<Ts>(op), ...); }

 private:
  template <class T>
  static void Add(const char* op) {
    using Word = typename WordOf<sizeof(T)>::type;
    RegisterGpuElementwise(
        kSide,
        new GpuElementwiseEntry{op, DTypeOf<T>::value, DType::kInvalid,
                                &LaunchElementwise<ChooseFn, Word, bool, Word, Word>, nullptr});
  }
};
using SelectTypes =
    ConcatTypes<ConcatTypes<FloatTypeList, ComplexTypeList>, TypeList<int32_t, int64_t, bool>>;
using SelectV2Types = ConcatTypes<NumberTypeList, TypeList<bool>>;
static const SelectRegistrations select_registrations("Select", SelectTypes{});
static const SelectRegistrations select_v2_registrations("SelectV2", SelectV2Types{});

}  // namespace warpbeam::WB_PASS

#endif  // WB_HOST_PASS
