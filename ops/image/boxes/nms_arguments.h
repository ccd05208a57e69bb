// What the kernels of NonMaxSuppression have in common, whatever device they are on: their
// arguments but for the boxes and scores.
//
//   WB_RETURN_IF_ERROR(CheckNmsInputs(ctx, /*has_overlaps=*/false));
//   WB_ASSIGN_OR_RETURN(const NmsThresholds t, ReadNmsThresholds(ctx, 0.5f, false));
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT for shapes and numbers that are refused.
#ifndef WARPBEAM_OPS_IMAGE_BOXES_NMS_ARGUMENTS_H_
#define WARPBEAM_OPS_IMAGE_BOXES_NMS_ARGUMENTS_H_

#include <limits>

#include "graph/types/errors.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct NmsThresholds {
  float overlap = 0.5f;
  float score = -std::numeric_limits<float>::infinity();
  float sigma = 0;
};

// `has_overlaps`: in the place of boxes there is a matrix of how much each overlaps each.
Status CheckNmsInputs(const KernelContext& ctx, bool has_overlaps);

// Those of the inputs that are there, which are in host memory; `overlap` where there are none.
StatusOr<NmsThresholds> ReadNmsThresholds(const KernelContext& ctx, float overlap,
                                          bool has_overlaps);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_IMAGE_BOXES_NMS_ARGUMENTS_H_
