// GatherPlan: the arguments of Gather and GatherV2, read and checked, for the CPU and for GPUs.
//
//   WB_ASSIGN_OR_RETURN(const GatherPlan plan,
//                       GatherPlan::Make(params, indices, axis, batch_dims));
//   WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, plan.shape));
//
// The result's slice number s is the slice at[s] of params: see ops/array/index/gather_slices.h.
// Thread safety: values. Errors: INVALID_ARGUMENT for axes and batch dimensions that do not fit.
#ifndef WARPBEAM_OPS_ARRAY_INDEX_GATHER_PLAN_H_
#define WARPBEAM_OPS_ARRAY_INDEX_GATHER_PLAN_H_

#include "graph/types/tensor.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct GatherPlan {
  Shape shape;  // of the result
  int axis = 0;
  int batch_dims = 0;
  int64_t outer = 1;    // elements of params' dimensions between the batch and the axis
  int64_t limit = 1;    // of the axis
  int64_t inner = 1;    // elements of a slice
  int64_t indices = 1;  // per batch

  // `axis` and `batch_dims` may count from the end.
  static StatusOr<GatherPlan> Make(const Tensor& params, const Tensor& indices, int64_t axis,
                                   int64_t batch_dims);
};

// The axis of a kernel of Gather (0) or GatherV2 (its third input).
StatusOr<int64_t> GatherAxis(const KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_INDEX_GATHER_PLAN_H_
