// What the kernels of SparseSplit have in common, whatever device they are on: which part an index
// along the axis belongs to. The first parts have one more where the extent cannot be divided.
//
//   WB_ASSIGN_OR_RETURN(const SparseSplitPlan plan, SparseSplitPlan::Make(x, split_dim, parts));
//   const int64_t first = plan.cuts.Begin(plan.cuts.PartOf(index));
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT for an axis that is not there, for more
// parts than the extent, and for a dense shape whose elements cannot be counted.
#ifndef WARPBEAM_OPS_SPARSE_SPARSE_SPLIT_PLAN_H_
#define WARPBEAM_OPS_SPARSE_SPARSE_SPLIT_PLAN_H_

#include <cstdint>

#include "ops/launch/pass.h"
#if WB_HOST_PASS
#include "ops/sparse/sparse_tensor.h"
#endif

namespace warpbeam {

struct SplitCuts {
  int64_t size, larger;  // of the smaller parts; how many have one more

  WB_HD int64_t Begin(int64_t part) const { return part * size + (part < larger ? part : larger); }
  WB_HD int64_t PartOf(int64_t index) const {
    const int64_t cut = larger * (size + 1);
    return index < cut ? index / (size + 1) : larger + (index - cut) / size;
  }
};

#if WB_HOST_PASS
struct SparseSplitPlan {
  int axis;
  SplitCuts cuts;

  // `split_dim` is in host memory.
  static StatusOr<SparseSplitPlan> Make(const SparseView& x, const Tensor& split_dim, int parts);
  // The dense shape of a part.
  std::vector<int64_t> DimsOf(const SparseView& x, int64_t part) const;
};
#endif

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SPARSE_SPARSE_SPLIT_PLAN_H_
