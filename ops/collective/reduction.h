// The reduction of one tensor from each member of a group to one, elementwise.
//
//   WB_ASSIGN_OR_RETURN(const MergeOp op, ParseMergeOp("Add"));
//   WB_ASSIGN_OR_RETURN(Tensor sum, Reduce(ctx, op, /*divides=*/false, tensors));
//
// The order of `tensors` is the order of the additions. Thread safety: pure. Errors: of allocation.
#ifndef WARPBEAM_OPS_COLLECTIVE_REDUCTION_H_
#define WARPBEAM_OPS_COLLECTIVE_REDUCTION_H_

#include <string>
#include <vector>

#include "runtime/comm/communicator.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// Also in NCCL's words (sum, prod, min, max). INVALID_ARGUMENT for others.
StatusOr<MergeOp> ParseMergeOp(const std::string& name);

// `divides`: by the number of tensors, at the end. All are of one shape and dtype.
StatusOr<Tensor> Reduce(KernelContext& ctx, MergeOp op, bool divides,
                        const std::vector<Tensor>& tensors);

// The same of all members' inputs: what `call` does, whose kind, dtype and group size are set.
Status MakeReduction(MergeOp op, bool divides, CollectiveCall* call);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_COLLECTIVE_REDUCTION_H_
