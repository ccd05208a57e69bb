// InplaceUpdate, InplaceAdd, InplaceSub: rows of a tensor replaced, added to, subtracted from. The
// result takes the input's buffer where nobody else reads it.
#include "ops/array/index/inplace_rows.h"

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

Status CheckInplaceRows(const Tensor& x, const Tensor& i, const Tensor& v) {
  if (i.rank() != 1) return InvalidArgument("i must be a vector. ", i.shape().ToString());
  if (x.rank() != v.rank()) {
    return InvalidArgument("x and v shape doesn't match (ranks differ): ", x.shape().ToString(),
                           " vs. ", v.shape().ToString());
  }
  for (int d = 1; d < x.rank(); ++d) {
    if (x.dim(d) != v.dim(d)) {
      return InvalidArgument("x and v shape doesn't match at index ", d, " : ",
                             x.shape().ToString(), " vs. ", v.shape().ToString());
    }
  }
  if (v.rank() == 0 || i.dim(0) != v.dim(0)) {
    return InvalidArgument("i and x shape doesn't match at index 0: ", i.shape().ToString(),
                           " vs. ", v.shape().ToString());
  }
  return OkStatus();
}

namespace {

enum class Change { kUpdate, kAdd, kSub };

template <Change kChange>
class InplaceKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    constexpr TypeSet kUpdated = kPlainTypes | TypeSet{DType::kString};
    const DType type = BaseType(init.output_types[0]);
    if (!(kChange == Change::kUpdate ? kUpdated : kNumberTypes).contains(type)) {
      return InvalidArgument("Unsupported data type: ", DTypeName(type));
    }
    return std::make_unique<InplaceKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor x = ctx.input(0), &i = ctx.input(1), &v = ctx.input(2);
    WB_RETURN_IF_ERROR(CheckInplaceRows(x, i, v));
    if (x.num_elements() == 0 || i.dim(0) == 0) {
      ctx.set_output(0, x);
      return OkStatus();
    }
    return Run(ctx, x.shape());
  }

 private:
  static Status Run(KernelContext& ctx, const Shape& shape) {
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, shape));
    const Tensor &x = ctx.input(0), &v = ctx.input(2);
    if (y->raw_data() != x.raw_data()) {
      CopyRange(ctx, x.dtype(), y->raw_data(), x.raw_data(), x.num_elements());
    }
    const int64_t rows = shape.dim(0), width = shape.num_elements() / rows;
    const auto indices = ctx.input(1).flat<int32_t>();
    for (size_t j = 0; j < indices.size(); ++j) {
      // Any number is good for a row: they count round and round.
      const int64_t row = (indices[j] % rows + rows) % rows;
      const int64_t from = static_cast<int64_t>(j) * width;
      if constexpr (kChange == Change::kUpdate) {
        CopyElements(v.dtype(), Advance(y->raw_data(), v.dtype(), row * width),
                     Advance(v.raw_data(), v.dtype(), from), width);
      } else {
        WB_RETURN_IF_ERROR(DispatchTypes(NumberTypeList{}, v.dtype(), [&](auto tag) {
          using T = typename decltype(tag)::type;
          T* to = y->data<T>() + row * width;
          const T* values = v.data<T>() + from;
          for (int64_t k = 0; k < width; ++k) {
            to[k] = kChange == Change::kAdd ? host_pass::Plus(to[k], values[k])
                                            : host_pass::Minus(to[k], values[k]);
          }
          return OkStatus();
        }));
      }
    }
    return OkStatus();
  }
};

constexpr TypeSet kGpuTypes =
    kFloatingTypes | TypeSet{DType::kInt64, DType::kInt8, DType::kUInt64, DType::kUInt8};

#define WB_INPLACE(op, change, gpu)                                     \
  WB_OP(op)                                                             \
      .Input("x: T")                                                    \
      .Input("i: int32")                                                \
      .Input("v: T")                                                    \
      .Output("y: T")                                                   \
      .Attr("T: type")                                                  \
      .Shape(shapes::Unchanged);                                        \
  WB_KERNEL(op, InplaceKernel<Change::change>).Cpu().Gpu({{"T", gpu}}); \
  WB_KERNEL(op, InplaceKernel<Change::change>)                          \
      .Gpu({{"T", {DType::kInt32}}})                                    \
      .HostMemory({"x", "i", "v", "y"})

WB_INPLACE("InplaceUpdate", kUpdate, kGpuTypes | TypeSet{DType::kBool});
WB_INPLACE("InplaceAdd", kAdd, kGpuTypes);
WB_INPLACE("InplaceSub", kSub, kGpuTypes);
#undef WB_INPLACE

}  // namespace
}  // namespace warpbeam
