// What the kernels of SparseReshape have in common, whatever device they are on.
//
//   WB_ASSIGN_OR_RETURN(const SparseReshapePlan plan, SparseReshapePlan::Read(ctx));
//   if (!plan.IsIdentity()) {
//     MoveSparseRow(from, plan.from_strides.data(), plan.from.rank(), plan.to_strides.data(),
//                   static_cast<int>(plan.to.size()), to);
//   }
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT for arguments that do not fit each other,
// and for a shape of other elements than there are.
#ifndef WARPBEAM_OPS_SPARSE_SPARSE_RESHAPE_PLAN_H_
#define WARPBEAM_OPS_SPARSE_SPARSE_RESHAPE_PLAN_H_

#include <cstdint>

#include "ops/launch/pass.h"
#if WB_HOST_PASS
#include "graph/types/shape.h"
#include "ops/array/index/index_argument.h"
#include "runtime/kernel/kernel_context.h"
#endif

namespace warpbeam {

// Indices out of bounds stay so; sums of theirs wrap around instead of overflowing.
WB_HD inline void MoveSparseRow(const int64_t* from, const int64_t* from_strides, int from_rank,
                                const int64_t* to_strides, int to_rank, int64_t* to) {
  uint64_t flat = 0;
  for (int d = 0; d < from_rank; ++d) {
    flat += static_cast<uint64_t>(from[d]) * static_cast<uint64_t>(from_strides[d]);
  }
  auto rest = static_cast<int64_t>(flat);
  for (int d = 0; d < to_rank; ++d) {
    to[d] = rest / to_strides[d];
    rest %= to_strides[d];
  }
}

#if WB_HOST_PASS
struct SparseReshapePlan {
  int64_t count = 0;  // of the rows
  Shape from;
  Dims to;
  Dims from_strides, to_strides;  // where there are rows

  // By the inputs' shapes, and by the values of both dense shapes, which are in host memory.
  static StatusOr<SparseReshapePlan> Read(const KernelContext& ctx);
  // Whether the rows stay as they are.
  bool IsIdentity() const;
};
#endif

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SPARSE_SPARSE_RESHAPE_PLAN_H_
