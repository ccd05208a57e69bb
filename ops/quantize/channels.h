// Ranges of quantised tensors: one for the whole tensor (axis -1), or one for each slice along an
// axis.
//
//   WB_ASSIGN_OR_RETURN(Channels channels, Channels::Of(x.shape(), axis));
//   WB_RETURN_IF_ERROR(channels.CheckRange(min, max));
//   channels.ForEachRun([&](int64_t channel, int64_t begin, int64_t end) { … });    // elements
//
// Thread safety: values. Errors: INVALID_ARGUMENT for an axis that the tensor lacks and for ranges
// that are not one per channel.
#ifndef WARPBEAM_OPS_QUANTIZE_CHANNELS_H_
#define WARPBEAM_OPS_QUANTIZE_CHANNELS_H_

#include <cstdint>

#include "graph/op/shape_context.h"
#include "graph/types/tensor.h"

namespace warpbeam {

struct Channels {
  int axis = -1;
  int64_t count = 1;  // of channels
  int64_t outer = 1;  // how often the channels follow each other
  int64_t inner = 1;  // elements that stand together in each

  static StatusOr<Channels> Of(const Shape& shape, int64_t axis);

  // The shape of the ends of the ranges, where there are any.
  Shape EndShape() const { return axis < 0 ? Shape() : Shape({count}); }
  Status CheckRange(const Tensor& min, const Tensor& max) const;

  // fn(channel, begin, end) for the elements of a row-major tensor, in order.
  template <class Fn>
  void ForEachRun(Fn fn) const {
    for (int64_t i = 0; i < outer * count; ++i) fn(i % count, i * inner, (i + 1) * inner);
  }
};

// What shape functions do with the attribute `axis`: checks inputs first_end and first_end + 1, the
// ends of the ranges, and gives their shape.
StatusOr<PartialShape> RangeEndShape(const ShapeContext& c, const PartialShape& x, int first_end);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_QUANTIZE_CHANNELS_H_
