#include "ops/nn/window/window.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"

namespace warpbeam {

StatusOr<DataFormat> ReadDataFormat(const AttrMap& attrs, int spatial) {
  DataFormat format;
  format.spatial = spatial;
  const std::string name = attrs.GetOr<std::string>("data_format", "");
  if (name == "NCHW" || name == "NCDHW") {
    format.channels_first = true;
  } else if (!name.empty() && name != "NHWC" && name != "NDHWC") {
    return InvalidArgument("no kernel takes the data format ", name, "; use NHWC or NCHW");
  }
  return format;
}

StatusOr<DimensionList> SplitDimensions(Span<const int64_t> values, absl::string_view name,
                                        const DataFormat& format) {
  if (values.size() != static_cast<size_t>(format.rank())) {
    return InvalidArgument("'", name, "' must have one number for each of the ", format.rank(),
                           " dimensions, but has ", values.size());
  }
  for (const int64_t v : values) {
    if (v > std::numeric_limits<int32_t>::max() || v < std::numeric_limits<int32_t>::min()) {
      return InvalidArgument("'", name, "' holds ", v, ", which does not fit 32 bits");
    }
  }
  DimensionList list;
  list.batch = values[0];
  list.channel = values[format.channel()];
  for (int i = 0; i < 3; ++i) {
    if (format.axis(i) >= 0) list.spatial[i] = values[format.axis(i)];
  }
  return list;
}

StatusOr<DimensionList> ReadDimensions(const AttrMap& attrs, absl::string_view name,
                                       const DataFormat& format) {
  if (attrs.Find(StdView(name)) == nullptr) return DimensionList();
  WB_ASSIGN_OR_RETURN(const std::vector<int64_t> values,
                      attrs.Get<std::vector<int64_t>>(StdView(name)));
  return SplitDimensions(values, name, format);
}

StatusOr<WindowPadding> ReadPadding(const AttrMap& attrs, const DataFormat& format) {
  WindowPadding padding;
  WB_ASSIGN_OR_RETURN(const std::string kind, attrs.Get<std::string>("padding"));
  const std::vector<int64_t> given =
      attrs.GetOr<std::vector<int64_t>>("explicit_paddings", std::vector<int64_t>());
  if (kind != "EXPLICIT") {
    padding.kind = kind == "SAME" ? WindowPadding::kSame : WindowPadding::kValid;
    if (!given.empty()) {
      return InvalidArgument("'explicit_paddings' must be empty with padding ", kind);
    }
    return padding;
  }
  padding.kind = WindowPadding::kExplicit;
  if (given.size() != 2 * static_cast<size_t>(format.rank())) {
    return InvalidArgument("'explicit_paddings' must have ", 2 * format.rank(),
                           " numbers, two for each dimension, but has ", given.size());
  }
  for (const int64_t p : given) {
    if (p < 0 || p > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("'explicit_paddings' must be from 0 to 2^31 - 1: ",
                             absl::StrJoin(given, ", "));
    }
  }
  const int c = format.channel();
  if (given[0] != 0 || given[1] != 0 || given[2 * c] != 0 || given[2 * c + 1] != 0) {
    return InvalidArgument("batch and channels cannot be padded: ", absl::StrJoin(given, ", "));
  }
  for (int i = 0; i < 3; ++i) {
    const int axis = format.axis(i);
    if (axis < 0) continue;
    padding.before[i] = given[2 * axis];
    padding.after[i] = given[2 * axis + 1];
  }
  return padding;
}

Status PlaceWindow(int64_t input, int64_t size, int64_t stride, int64_t dilation,
                   const WindowPadding& padding, int axis, WindowSpan* span) {
  if (stride <= 0) return InvalidArgument("strides must be positive, but one is ", stride);
  if (dilation <= 0) return InvalidArgument("dilations must be positive, but one is ", dilation);
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  if (input > kLargest || size > kLargest) {
    return InvalidArgument("a spatial extent of ", std::max(input, size), " does not fit 32 bits");
  }
  *span = WindowSpan();
  if (input < 0 || size < 0) {
    span->output = -1;
    return OkStatus();
  }
  const int64_t reach = (size - 1) * dilation + 1;
  if (padding.kind == WindowPadding::kSame) {
    span->output = input / stride + (input % stride != 0);
    const int64_t missing = std::max<int64_t>(0, (span->output - 1) * stride + reach - input);
    span->before = missing / 2;
    span->after = missing - span->before;
    return OkStatus();
  }
  span->before = padding.before[axis];
  span->after = padding.after[axis];
  span->output = (input + span->before + span->after - reach + stride) / stride;
  if (span->output < 0) {
    return InvalidArgument("a window that reaches over ", reach, " does not fit an input of ",
                           input, " elements with ", span->before, " and ", span->after,
                           " of padding");
  }
  return OkStatus();
}

StatusOr<PartialShape> WindowOutputShape(const PartialShape& input, const DataFormat& format,
                                         const int64_t size[3], const DimensionList& strides,
                                         const DimensionList& dilations,
                                         const WindowPadding& padding, int64_t channels) {
  PartialShape output = input;
  output.set_dim(format.channel(), channels);
  for (int i = 0; i < 3; ++i) {
    const int axis = format.axis(i);
    if (axis < 0) continue;
    WindowSpan span;
    WB_RETURN_IF_ERROR(PlaceWindow(input.dim(axis), size[i], strides.spatial[i],
                                   dilations.spatial[i], padding, i, &span));
    output.set_dim(axis, span.output);
  }
  return output;
}

}  // namespace warpbeam
