// OneHotPlan: the arguments of OneHot, read and checked, for the CPU and for GPUs.
//
//   WB_ASSIGN_OR_RETURN(const OneHotPlan plan, OneHotPlan::Make(ctx, axis));
//   WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, plan.shape));
//
// Index i of the input turns on element (i / inner, index, i % inner) of the result as a tensor of
// shape [-1, depth, inner]. Thread safety: values. Errors: INVALID_ARGUMENT for arguments that are
// no scalars, a negative depth and an axis out of range.
#ifndef WARPBEAM_OPS_ARRAY_INDEX_ONE_HOT_PLAN_H_
#define WARPBEAM_OPS_ARRAY_INDEX_ONE_HOT_PLAN_H_

#include "graph/types/tensor.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct OneHotPlan {
  Shape shape;  // of the result
  int64_t depth = 0;
  int64_t inner = 1;

  static StatusOr<OneHotPlan> Make(const KernelContext& ctx, int64_t axis);
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_INDEX_ONE_HOT_PLAN_H_
