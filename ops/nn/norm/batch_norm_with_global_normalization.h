// What the kernels of BatchNormWithGlobalNormalization and its gradient have in common, whatever
// device they are on.
//
//   WB_RETURN_IF_ERROR(CheckGlobalNormInputs(ctx, /*gradient=*/false));
//
// Thread safety: a pure function. Errors: INVALID_ARGUMENT for shapes that do not fit.
#ifndef WARPBEAM_OPS_NN_NORM_BATCH_NORM_WITH_GLOBAL_NORMALIZATION_H_
#define WARPBEAM_OPS_NN_NORM_BATCH_NORM_WITH_GLOBAL_NORMALIZATION_H_

#include "graph/types/errors.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// Inputs: the data, then vectors of one element for each channel; in the gradient the last input is
// like the data.
Status CheckGlobalNormInputs(const KernelContext& ctx, bool gradient);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_NORM_BATCH_NORM_WITH_GLOBAL_NORMALIZATION_H_
