// What the kernels of InplaceUpdate, InplaceAdd and InplaceSub have in common, whatever device they
// are on.
//
//   WB_RETURN_IF_ERROR(CheckInplaceRows(ctx.input(0), ctx.input(1), ctx.input(2)));
//
// Thread safety: a pure function. Errors: INVALID_ARGUMENT for shapes that do not fit.
#ifndef WARPBEAM_OPS_ARRAY_INDEX_INPLACE_ROWS_H_
#define WARPBEAM_OPS_ARRAY_INDEX_INPLACE_ROWS_H_

#include "graph/types/errors.h"
#include "graph/types/tensor.h"

namespace warpbeam {

// That `v` has a row of `x` for each of the numbers `i`.
Status CheckInplaceRows(const Tensor& x, const Tensor& i, const Tensor& v);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_INDEX_INPLACE_ROWS_H_
