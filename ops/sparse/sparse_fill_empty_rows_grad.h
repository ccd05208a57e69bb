// What the kernels of SparseFillEmptyRowsGrad and RaggedFillEmptyRowsGrad have in common, whatever
// device they are on.
//
//   WB_RETURN_IF_ERROR(CheckFillGradient(ctx));
//
// Thread safety: a pure function. Errors: INVALID_ARGUMENT for shapes that do not fit.
#ifndef WARPBEAM_OPS_SPARSE_SPARSE_FILL_EMPTY_ROWS_GRAD_H_
#define WARPBEAM_OPS_SPARSE_SPARSE_FILL_EMPTY_ROWS_GRAD_H_

#include "graph/types/errors.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// That the map (input 0) and the gradient (input 1) are vectors; their values are not looked at.
Status CheckFillGradient(const KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SPARSE_SPARSE_FILL_EMPTY_ROWS_GRAD_H_
