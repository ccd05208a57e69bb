#include "ops/sparse/sparse_split_plan.h"

namespace warpbeam {

StatusOr<SparseSplitPlan> SparseSplitPlan::Make(const SparseView& x, const Tensor& split_dim,
                                                int parts) {
  if (split_dim.rank() != 0) {
    return InvalidArgument("'split_dim' must be a scalar, but has shape ",
                           split_dim.shape().ToString());
  }
  SparseSplitPlan plan;
  WB_ASSIGN_OR_RETURN(plan.axis, ResolveAxis(split_dim.scalar<int64_t>(), x.rank));
  WB_RETURN_IF_ERROR(DenseShape(x).status());
  const int64_t extent = x.dims[plan.axis];
  if (parts > extent) {
    return InvalidArgument("'num_split' is ", parts, ", more than the extent of dimension ",
                           plan.axis, ", which is ", extent);
  }
  plan.cuts = {extent / parts, extent % parts};
  return plan;
}

std::vector<int64_t> SparseSplitPlan::DimsOf(const SparseView& x, int64_t part) const {
  std::vector<int64_t> dims = x.dims;
  dims[axis] = cuts.Begin(part + 1) - cuts.Begin(part);
  return dims;
}

}  // namespace warpbeam
