// SparseFillEmptyRowsGrad, RaggedFillEmptyRowsGrad: what flows back to the values that were there,
// and to the one put in.
#include "ops/sparse/sparse_fill_empty_rows_grad.h"

#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

Status CheckFillGradient(const KernelContext& ctx) {
  const Tensor &map = ctx.input(0), &dy = ctx.input(1);
  if (map.rank() != 1 || dy.rank() != 1) {
    return InvalidArgument(
        "'reverse_index_map' and 'grad_values' must be vectors, but have shapes ",
        map.shape().ToString(), " and ", dy.shape().ToString());
  }
  return OkStatus();
}

namespace {

Status FillGradShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape map, c.WithRank(0, 1));
  WB_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  c.set_output(0, std::move(map));
  c.set_output(1, PartialShape(std::vector<int64_t>()));
  return OkStatus();
}

Status RunFillGrad(KernelContext& ctx) {
  const Tensor &map = ctx.input(0), &dy = ctx.input(1);
  WB_RETURN_IF_ERROR(CheckFillGradient(ctx));
  const int64_t total = dy.dim(0);
  for (const int64_t at : map.flat<int64_t>()) {
    if (at < 0 || at >= total) {
      return InvalidArgument("'reverse_index_map' holds ", at, ", which is not in [0, ", total,
                             "), the range of 'grad_values'");
    }
  }
  WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, map.shape()));
  WB_ASSIGN_OR_RETURN(Tensor * dfill, ctx.Allocate(1, Shape()));
  return DispatchTypes(NumberTypeList{}, dy.dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    std::vector<bool> there(static_cast<size_t>(total), false);
    for (int64_t i = 0; i < map.dim(0); ++i) {
      const int64_t at = map.data<int64_t>()[i];
      there[static_cast<size_t>(at)] = true;
      dx->data<T>()[i] = dy.data<T>()[at];
    }
    ComputeType<T> sum(0);
    for (int64_t i = 0; i < total; ++i) {
      if (there[static_cast<size_t>(i)]) continue;
      sum = host_pass::Plus(sum, static_cast<ComputeType<T>>(dy.data<T>()[i]));
    }
    *dfill->data<T>() = static_cast<T>(sum);
    return OkStatus();
  });
}

WB_OP("SparseFillEmptyRowsGrad")
    .Input("reverse_index_map: int64")
    .Input("grad_values: T")
    .Output("d_values: T")
    .Output("d_default_value: T")
    .Attr("T: type")
    .Shape(FillGradShape);
WB_KERNEL("SparseFillEmptyRowsGrad", FunctionKernel<RunFillGrad>)
    .Cpu({{"T", kNumberTypes}})
    .Gpu({{"T", kRealTypes}});

WB_OP("RaggedFillEmptyRowsGrad")
    .Input("reverse_index_map: int64")
    .Input("grad_values: T")
    .Output("d_values: T")
    .Output("d_default_value: T")
    .Attr("T: type")
    .Shape(FillGradShape);
WB_KERNEL("RaggedFillEmptyRowsGrad", FunctionKernel<RunFillGrad>)
    .Cpu({{"T", kNumberTypes}})
    .Gpu({{"T", kRealTypes}});

}  // namespace
}  // namespace warpbeam
