#include "ops/array/index/gather_plan.h"

#include <utility>

#include "ops/array/index/gather_slices.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/strided_copy.h"

namespace warpbeam {

StatusOr<GatherPlan> GatherPlan::Make(const Tensor& params, const Tensor& indices, int64_t axis,
                                      int64_t batch_dims) {
  if (params.rank() < 1) return InvalidArgument("params must be at least a vector");
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis, params.rank()));
  if (batch_dims < 0) batch_dims += indices.rank();
  if (batch_dims < 0 || batch_dims > indices.rank() || batch_dims > a) {
    return InvalidArgument("'batch_dims' must be between 0 and the axis ", a,
                           " and the rank of indices, ", indices.rank(), "; it is ", batch_dims);
  }
  const int batch = static_cast<int>(batch_dims);
  WB_ASSIGN_OR_RETURN(Shape shape, GatherShape(params.shape(), indices.shape(), a, batch));
  GatherPlan plan;
  plan.shape = std::move(shape);
  plan.axis = a;
  plan.batch_dims = batch;
  plan.outer = ElementsOf(params.shape(), batch, a);
  plan.limit = params.dim(a);
  plan.inner = ElementsOf(params.shape(), a + 1, params.rank());
  plan.indices = ElementsOf(indices.shape(), batch, indices.rank());
  return plan;
}

StatusOr<int64_t> GatherAxis(const KernelContext& ctx) {
  if (ctx.num_inputs() < 3) return 0;
  if (ctx.input(2).rank() != 0) {
    return InvalidArgument("axis must be scalar, not of shape ", ctx.input(2).shape().ToString());
  }
  return ReadIndex(ctx.input(2), "axis");
}

}  // namespace warpbeam
