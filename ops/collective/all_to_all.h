// The exchange of pieces between the members of a group: piece p of member q's tensor (its row p)
// becomes piece q of member p's result.
//
//   WB_RETURN_IF_ERROR(CheckPieces(ctx.input(0).shape(), call.group_size));
//   call.combine = ExchangePieces;
//
// Thread safety: pure. Errors: INVALID_ARGUMENT in TensorFlow's words where the rows are not as
// many as the members; of allocation.
#ifndef WARPBEAM_OPS_COLLECTIVE_ALL_TO_ALL_H_
#define WARPBEAM_OPS_COLLECTIVE_ALL_TO_ALL_H_

#include <vector>

#include "runtime/comm/communicator.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

Status CheckPieces(const Shape& shape, int64_t members);

// Of all members, one after the other, what each gets (CollectiveCall::Combine).
StatusOr<Tensor> ExchangePieces(KernelContext& ctx, const std::vector<CollectiveMember>& members);

// A tensor whose row i is row `from[i]` of the other.
StatusOr<Tensor> RowsInOrder(const KernelContext& ctx, const Tensor& rows,
                             const std::vector<int64_t>& from);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_COLLECTIVE_ALL_TO_ALL_H_
