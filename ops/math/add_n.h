// What the kernels of AddN and its kin have in common, whatever device they are on.
//
//   WB_RETURN_IF_ERROR(CheckSameShapes(ctx));
//
// Thread safety: a pure function. Errors: INVALID_ARGUMENT naming the first input whose shape is
// another than that of input 0.
#ifndef WARPBEAM_OPS_MATH_ADD_N_H_
#define WARPBEAM_OPS_MATH_ADD_N_H_

#include "graph/types/errors.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

Status CheckSameShapes(const KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_ADD_N_H_
