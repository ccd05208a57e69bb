// What the kernels of SparseFillEmptyRows and RaggedFillEmptyRows have in common, whatever device
// they are on.
//
//   WB_ASSIGN_OR_RETURN(const SparseView x, ReadRaggedRows(ctx));
//   WB_RETURN_IF_ERROR(CheckFill(x, /*fill=*/ctx.input(3)));
//
// Ownership: views borrow the step's tensors. Thread safety: pure functions. Errors:
// INVALID_ARGUMENT for arguments of other shapes than they should have, for a tensor without rows,
// and for elements of rows that are not there.
#ifndef WARPBEAM_OPS_SPARSE_FILL_ROWS_H_
#define WARPBEAM_OPS_SPARSE_FILL_ROWS_H_

#include "ops/sparse/sparse_tensor.h"

namespace warpbeam {

// The rows of a ragged tensor's values as a sparse tensor of one dimension. The number of rows is
// in host memory.
StatusOr<SparseView> ReadRaggedRows(const KernelContext& ctx);

// By the shapes alone.
Status CheckFill(const SparseView& x, const Tensor& fill);
// By the indices, in host memory.
Status CheckFilledRows(const SparseView& x);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SPARSE_FILL_ROWS_H_
