#include "ops/quantize/channels.h"

namespace warpbeam {

StatusOr<Channels> Channels::Of(const Shape& shape, int64_t axis) {
  if (axis < -1 || axis >= shape.rank()) {
    return InvalidArgument("'axis' must be -1 or a dimension of the input, but is ", axis,
                           " and the input has shape ", shape.ToString());
  }
  Channels channels;
  channels.axis = static_cast<int>(axis);
  if (axis < 0) {
    channels.inner = shape.num_elements();
    return channels;
  }
  channels.count = shape.dim(channels.axis);
  for (int i = 0; i < shape.rank(); ++i) {
    if (i < axis) channels.outer *= shape.dim(i);
    if (i > axis) channels.inner *= shape.dim(i);
  }
  return channels;
}

Status Channels::CheckRange(const Tensor& min, const Tensor& max) const {
  for (const Tensor* end : {&min, &max}) {
    const bool fits = axis < 0 ? end->num_elements() == 1 : end->shape() == EndShape();
    if (fits) continue;
    return InvalidArgument(
        "the ends of the range must be ",
        axis < 0 ? std::string("scalars") : absl::StrCat("vectors of ", count, " elements"),
        ", but one has shape ", end->shape().ToString());
  }
  return OkStatus();
}

StatusOr<PartialShape> RangeEndShape(const ShapeContext& c, const PartialShape& x, int first_end) {
  const int64_t axis = c.attrs().GetOr<int64_t>("axis", -1);
  if (axis < -1 || axis >= kMaxRank) {
    return InvalidArgument("'axis' must be -1 or a dimension of the input, but is ", axis);
  }
  const int rank = axis < 0 ? 0 : 1;
  WB_ASSIGN_OR_RETURN(const PartialShape min, c.WithRank(first_end, rank));
  WB_ASSIGN_OR_RETURN(const PartialShape max, c.WithRank(first_end + 1, rank));
  WB_ASSIGN_OR_RETURN(PartialShape end, PartialShape::Merge(min, max));
  if (axis < 0 || !x.has_rank()) return end;
  if (x.rank() <= axis) {
    return InvalidArgument("the input, of shape ", x.ToString(), ", has no dimension ", axis);
  }
  return PartialShape::Merge(end, PartialShape({x.dim(static_cast<int>(axis))}));
}

}  // namespace warpbeam
