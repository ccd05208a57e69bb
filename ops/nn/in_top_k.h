// The shapes that InTopK and InTopKV2 take, on every device.
//
//   WB_RETURN_IF_ERROR(CheckInTopK(ctx));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT naming the shapes.
#ifndef WARPBEAM_OPS_NN_IN_TOP_K_H_
#define WARPBEAM_OPS_NN_IN_TOP_K_H_

#include "graph/types/errors.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

Status CheckInTopK(const KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_IN_TOP_K_H_
