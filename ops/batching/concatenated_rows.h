// ConcatenatedRows: tensors one below the other.
//
//   WB_ASSIGN_OR_RETURN(Tensor all, ConcatenatedRows(ctx, {a, b}));       // [2, 3], [4, 3]: [6, 3]
//
// Ownership: a new tensor. Thread safety: pure. Errors: INVALID_ARGUMENT for scalars and for rows
// of different shapes; those of allocation.
#ifndef WARPBEAM_OPS_BATCHING_CONCATENATED_ROWS_H_
#define WARPBEAM_OPS_BATCHING_CONCATENATED_ROWS_H_

#include <vector>

#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// `parts` is not empty, and all of one dtype.
StatusOr<Tensor> ConcatenatedRows(KernelContext& ctx, const std::vector<Tensor>& parts);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_BATCHING_CONCATENATED_ROWS_H_
