// Bincount: how often, or with what weight, each number occurs.
#include "ops/array/index/bincount.h"

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

StatusOr<int64_t> BincountSize(const KernelContext& ctx) {
  const Tensor &values = ctx.input(0), &weights = ctx.input(2);
  if (ctx.input(1).rank() != 0) {
    return InvalidArgument("size must be a scalar, not of shape ", ctx.input(1).shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(const int64_t size, ReadIndex(ctx.input(1), "size"));
  if (size < 0) return InvalidArgument("size must not be negative: ", size);
  if (weights.num_elements() != 0 && weights.num_elements() != values.num_elements()) {
    return InvalidArgument("weights must be empty or of the shape of arr: ",
                           weights.shape().ToString(), " and ", values.shape().ToString());
  }
  return size;
}

namespace {

Status BincountShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  const std::optional<int64_t> size = c.ConstantScalar(1);
  if (size && *size < 0) return InvalidArgument("size must not be negative: ", *size);
  c.set_output(0, PartialShape({size.value_or(-1)}));
  return OkStatus();
}

Status RunBincount(KernelContext& ctx) {
  const Tensor& values = ctx.input(0);
  const Tensor& weights = ctx.input(2);
  WB_ASSIGN_OR_RETURN(const int64_t size, BincountSize(ctx));
  const bool weighted = weights.num_elements() != 0;
  WB_ASSIGN_OR_RETURN(Tensor * bins, ctx.Allocate(0, Shape({size})));
  ZeroRange(ctx, bins->dtype(), bins->raw_data(), size);
  return DispatchTypes<int32_t, int64_t, float, double>(bins->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    T* out = bins->data<T>();
    const int32_t* v = values.data<int32_t>();
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      if (v[i] < 0) return InvalidArgument("arr must not hold negative numbers: ", v[i]);
      if (v[i] < size) out[v[i]] += weighted ? weights.data<T>()[i] : T(1);
    }
    return OkStatus();
  });
}

WB_OP("Bincount")
    .Input("arr: int32")
    .Input("size: int32")
    .Input("weights: T")
    .Output("bins: T")
    .Attr("T: {int32, int64, float, double}")
    .Shape(BincountShape);
WB_KERNEL("Bincount", FunctionKernel<RunBincount>)
    .Cpu({{"T", kNumberTypes}})
    .Gpu({{"T", TypeSet{DType::kFloat, DType::kInt32}}})
    .HostMemory({"size"});

}  // namespace
}  // namespace warpbeam
