#include "ops/image/boxes/nms_arguments.h"

namespace warpbeam {
namespace {

StatusOr<float> ReadThreshold(const Tensor& t, const char* name) {
  if (t.rank() != 0) {
    return InvalidArgument(name, " must be 0-D, got shape ", t.shape().ToString());
  }
  return t.dtype() == DType::kHalf ? static_cast<float>(t.scalar<Half>()) : t.scalar<float>();
}

}  // namespace

Status CheckNmsInputs(const KernelContext& ctx, bool has_overlaps) {
  const Tensor &boxes = ctx.input(0), &scores = ctx.input(1), &count = ctx.input(2);
  if (boxes.rank() != 2) {
    return InvalidArgument(has_overlaps ? "overlaps" : "boxes", " must be 2-D, got shape ",
                           boxes.shape().ToString());
  }
  const int64_t columns = has_overlaps ? boxes.dim(0) : 4;
  if (boxes.dim(1) != columns) {
    return InvalidArgument(has_overlaps ? "overlaps must be square" : "boxes must have 4 columns",
                           ", got shape ", boxes.shape().ToString());
  }
  if (scores.rank() != 1 || scores.dim(0) != boxes.dim(0)) {
    return InvalidArgument("scores must be 1-D with one for each of ", boxes.dim(0),
                           " boxes, got shape ", scores.shape().ToString());
  }
  if (count.rank() != 0) {
    return InvalidArgument("max_output_size must be 0-D, got shape ", count.shape().ToString());
  }
  if (count.scalar<int32_t>() < 0) {
    return InvalidArgument("output size must be non-negative, got ", count.scalar<int32_t>());
  }
  return OkStatus();
}

StatusOr<NmsThresholds> ReadNmsThresholds(const KernelContext& ctx, float overlap,
                                          bool has_overlaps) {
  NmsThresholds t;
  t.overlap = overlap;
  if (ctx.num_inputs() > 3) {
    WB_ASSIGN_OR_RETURN(t.overlap, ReadThreshold(ctx.input(3), "iou_threshold"));
  }
  if (ctx.num_inputs() > 4) {
    WB_ASSIGN_OR_RETURN(t.score, ReadThreshold(ctx.input(4), "score_threshold"));
  }
  if (ctx.num_inputs() > 5) {
    WB_ASSIGN_OR_RETURN(t.sigma, ReadThreshold(ctx.input(5), "soft_nms_sigma"));
  }
  if (!has_overlaps && !(t.overlap >= 0 && t.overlap <= 1)) {
    return InvalidArgument("iou_threshold must be in [0, 1], got ", t.overlap);
  }
  if (!(t.sigma >= 0)) {
    return InvalidArgument("soft_nms_sigma must be non-negative, got ", t.sigma);
  }
  return t;
}

}  // namespace warpbeam
