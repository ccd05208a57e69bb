// What the kernels of Where have in common, whatever device they are on.
//
//   WB_RETURN_IF_ERROR(CheckWhereInput(ctx.input(0)));
//
// Thread safety: a pure function. Errors: INVALID_ARGUMENT for a scalar, which has no coordinates.
#ifndef WARPBEAM_OPS_ARRAY_INDEX_WHERE_INPUT_H_
#define WARPBEAM_OPS_ARRAY_INDEX_WHERE_INPUT_H_

#include "graph/types/errors.h"
#include "graph/types/tensor.h"

namespace warpbeam {

inline Status CheckWhereInput(const Tensor& x) {
  if (x.rank() > 0) return OkStatus();
  return InvalidArgument("WhereOp : Unhandled input dimensions: 0");
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_INDEX_WHERE_INPUT_H_
