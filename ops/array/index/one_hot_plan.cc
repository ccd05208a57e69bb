#include "ops/array/index/one_hot_plan.h"

#include "ops/array/index/index_argument.h"
#include "ops/array/strided_copy.h"

namespace warpbeam {

StatusOr<OneHotPlan> OneHotPlan::Make(const KernelContext& ctx, int64_t axis) {
  const Tensor& indices = ctx.input(0);
  constexpr const char* kScalars[] = {"depth", "on_value", "off_value"};
  for (int i = 1; i <= 3; ++i) {
    if (ctx.input(i).rank() == 0) continue;
    return InvalidArgument(kScalars[i - 1],
                           " must be a scalar, but got: ", ctx.input(i).shape().ToString());
  }
  OneHotPlan plan;
  WB_ASSIGN_OR_RETURN(plan.depth, ReadIndex(ctx.input(1), "depth"));
  if (plan.depth < 0) return InvalidArgument("depth must not be negative: ", plan.depth);
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis, indices.rank() + 1));
  WB_ASSIGN_OR_RETURN(plan.shape, indices.shape().Insert(a, plan.depth));
  plan.inner = ElementsOf(indices.shape(), a, indices.rank());
  return plan;
}

}  // namespace warpbeam
