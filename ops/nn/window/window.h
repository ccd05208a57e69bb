// Windows that slide over the spatial dimensions of an image batch: the attributes and the
// arithmetic that convolutions, pooling, dilation and patch extraction share.
//
// An op's data has a batch dimension, two or three spatial dimensions and channels, which come last
// (NHWC) or second (NCHW). Lists of three numbers stand for depth, height and width; of images
// without depth the first is 1.
//
//   WB_ASSIGN_OR_RETURN(const DataFormat format, ReadDataFormat(init.attrs, 2));
//   WB_ASSIGN_OR_RETURN(const DimensionList strides,
//                       ReadDimensions(init.attrs, "strides", format));
//   WB_ASSIGN_OR_RETURN(const WindowPadding padding, ReadPadding(init.attrs, format));
//   WindowSpan span;
//   WB_RETURN_IF_ERROR(PlaceWindow(in, size, stride, dilation, padding, axis, &span));
//
// Thread safety: values and pure functions. Errors: INVALID_ARGUMENT for lists of a wrong length,
// numbers that do not fit 32 bits, paddings that contradict each other, windows larger than what
// they slide over.
#ifndef WARPBEAM_OPS_NN_WINDOW_WINDOW_H_
#define WARPBEAM_OPS_NN_WINDOW_WINDOW_H_

#include <cstdint>

#include "graph/types/attr_value.h"
#include "graph/types/errors.h"
#include "graph/types/shape.h"

namespace warpbeam {

// Which dimension of a tensor is what.
struct DataFormat {
  int spatial = 2;  // how many spatial dimensions
  bool channels_first = false;

  int rank() const { return spatial + 2; }
  int channel() const { return channels_first ? 1 : rank() - 1; }
  // The dimension of the tensor that is spatial axis 0, 1, 2 (depth, height, width). Axis 0 of an
  // image without depth is no dimension: -1.
  int axis(int i) const {
    const int at = i - (3 - spatial);
    return at < 0 ? -1 : at + (channels_first ? 2 : 1);
  }
};

// One number for each dimension of the data.
struct DimensionList {
  int64_t batch = 1;
  int64_t channel = 1;
  int64_t spatial[3] = {1, 1, 1};
};

struct WindowPadding {
  enum Kind { kValid, kSame, kExplicit };
  Kind kind = kValid;
  int64_t before[3] = {0, 0, 0};  // kExplicit only
  int64_t after[3] = {0, 0, 0};
};

// Where a window of one spatial axis comes to lie.
struct WindowSpan {
  int64_t output = 1;  // how many places it has
  int64_t before = 0;  // elements added in front of the input
  int64_t after = 0;   // and behind it
};

// Reads `data_format`, by default channels last.
StatusOr<DataFormat> ReadDataFormat(const AttrMap& attrs, int spatial);
// Reads a list attribute with one number a dimension.
StatusOr<DimensionList> ReadDimensions(const AttrMap& attrs, absl::string_view name,
                                       const DataFormat& format);
// The same for numbers that come as `name`, a value or an input.
StatusOr<DimensionList> SplitDimensions(Span<const int64_t> values, absl::string_view name,
                                        const DataFormat& format);
// Reads `padding` and, where the op has it, `explicit_paddings`.
StatusOr<WindowPadding> ReadPadding(const AttrMap& attrs, const DataFormat& format);

// `axis` is 0, 1 or 2. With an unknown input extent (-1) the output is unknown, too.
Status PlaceWindow(int64_t input, int64_t size, int64_t stride, int64_t dilation,
                   const WindowPadding& padding, int axis, WindowSpan* span);

// The data's shape with the output's extents in place of the spatial ones and `channels` channels,
// as far as known. For shape functions; `input` has the format's rank.
StatusOr<PartialShape> WindowOutputShape(const PartialShape& input, const DataFormat& format,
                                         const int64_t size[3], const DimensionList& strides,
                                         const DimensionList& dilations,
                                         const WindowPadding& padding, int64_t channels);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_WINDOW_WINDOW_H_
