// A batch of sparse tensors and its members: taking it apart along its first dimension, and putting
// members of different shapes together to one.
//
//   WB_RETURN_IF_ERROR(ForEachMember(x, [&](int64_t number, SparseParts member) { … }));
//   WB_RETURN_IF_ERROR(JoinMembers(ctx, {batch}, members));              // outputs 0, 1 and 2
//
// Ownership: members hold tensors of their own, or share the batch's. Thread safety: pure. Errors:
// INVALID_ARGUMENT for members that do not fit together.
#ifndef WARPBEAM_OPS_SPARSE_SPARSE_BATCH_H_
#define WARPBEAM_OPS_SPARSE_SPARSE_BATCH_H_

#include <functional>
#include <vector>

#include "ops/sparse/sparse_tensor.h"

namespace warpbeam {

struct SparseParts {
  Tensor indices, values, shape;
};

// The batch of inputs 0, 1 and 2: two dimensions at least, indices in order and within the shape.
StatusOr<SparseView> ReadBatch(const KernelContext& ctx);
// Calls fn for each member, empty ones too, in order; their indices lack the member's number.
Status ForEachMember(const SparseView& batch,
                     const std::function<Status(int64_t, SparseParts)>& fn);

// One sparse tensor with the batch's extents before those of the members, of which each dimension
// has the largest. There must be a member, and as many as the batch's extents say: one where there
// are none.
Status JoinMembers(KernelContext& ctx, const Dims& batch, const std::vector<SparseParts>& members);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SPARSE_SPARSE_BATCH_H_
