#include "ops/nn/conv/conv_geometry.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpbeam {
namespace {

Status CheckSteps(const ConvAttrs& attrs) {
  for (int i = 0; i < 3; ++i) {
    if (attrs.strides.spatial[i] <= 0) {
      return InvalidArgument("strides must be positive, but one is ", attrs.strides.spatial[i]);
    }
    if (attrs.dilations.spatial[i] <= 0) {
      return InvalidArgument("dilations must be positive, but one is ", attrs.dilations.spatial[i]);
    }
  }
  return OkStatus();
}

Status CheckOuterSteps(const ConvAttrs& attrs) {
  const DimensionList &s = attrs.strides, &d = attrs.dilations;
  if (s.batch == 1 && s.channel == 1 && d.batch == 1 && d.channel == 1) return OkStatus();
  constexpr char kWhat[] = "convolutions with strides or dilations over the batch or the channels";
  return attrs.format.spatial == 2 ? Unimplemented(kWhat) : InvalidArgument("there are no ", kWhat);
}

}  // namespace

StatusOr<ConvAttrs> ReadConvAttrs(const AttrMap& map, int spatial) {
  ConvAttrs attrs;
  WB_ASSIGN_OR_RETURN(attrs.format, ReadDataFormat(map, spatial));
  WB_ASSIGN_OR_RETURN(attrs.strides, ReadDimensions(map, "strides", attrs.format));
  WB_ASSIGN_OR_RETURN(attrs.dilations, ReadDimensions(map, "dilations", attrs.format));
  WB_RETURN_IF_ERROR(CheckOuterSteps(attrs));
  WB_RETURN_IF_ERROR(CheckSteps(attrs));
  WB_ASSIGN_OR_RETURN(attrs.padding, ReadPadding(map, attrs.format));
  return attrs;
}

Status MakeConvGeometry(const ConvAttrs& attrs, const Shape& input, const Shape& filter,
                        ConvGeometry* geometry) {
  const int spatial = attrs.format.spatial, rank = spatial + 2;
  if (input.rank() != rank) {
    return InvalidArgument("the input must have ", rank, " dimensions, but has shape ",
                           input.ToString());
  }
  if (filter.rank() != rank) {
    return InvalidArgument("the filter must have ", rank, " dimensions, but has shape ",
                           filter.ToString());
  }
  ConvGeometry& g = *geometry;
  g = ConvGeometry();
  g.batch = input.dim(0);
  g.in_channels = input.dim(rank - 1);
  g.out_channels = filter.dim(rank - 1);
  int64_t filter_channels = filter.dim(spatial);
  if (attrs.depthwise) {
    if (filter_channels != g.in_channels) {
      return InvalidArgument("the filter of shape ", filter.ToString(), " must have the ",
                             g.in_channels, " channels of the input of shape ", input.ToString());
    }
    g.out_channels *= g.in_channels;
    filter_channels = 1;
  }
  const bool no_channels = g.in_channels == 0 && !attrs.depthwise;
  if (filter_channels <= 0 || no_channels || g.in_channels % filter_channels != 0) {
    return InvalidArgument("the input's ", g.in_channels, " channels (shape ", input.ToString(),
                           ") must be a multiple of the filter's ", filter_channels, " (shape ",
                           filter.ToString(), ")");
  }
  g.groups = std::max<int64_t>(1, g.in_channels / filter_channels);
  if (g.out_channels % g.groups != 0) {
    return InvalidArgument("the filter's ", g.out_channels, " output channels (shape ",
                           filter.ToString(), ") must be a multiple of the ", g.groups, " groups");
  }
  for (int i = 0; i < 3; ++i) {
    const int axis = i - (3 - spatial);
    if (axis < 0) continue;
    g.input[i] = input.dim(axis + 1);
    g.filter[i] = filter.dim(axis);
    g.stride[i] = attrs.strides.spatial[i];
    g.dilation[i] = attrs.dilations.spatial[i];
    if (g.filter[i] <= 0) {
      return InvalidArgument("the filter must not be empty, but has shape ", filter.ToString());
    }
    WindowSpan span;
    WB_RETURN_IF_ERROR(
        PlaceWindow(g.input[i], g.filter[i], g.stride[i], g.dilation[i], attrs.padding, i, &span));
    g.output[i] = span.output;
    g.before[i] = span.before;
    g.after[i] = span.after;
  }
  return OkStatus();
}

StatusOr<Shape> ConvOutputShape(const ConvAttrs& attrs, const ConvGeometry& g) {
  std::vector<int64_t> dims = {g.batch};
  for (int i = 3 - attrs.format.spatial; i < 3; ++i) dims.push_back(g.output[i]);
  dims.push_back(g.out_channels);
  return Shape::Make(dims);
}

Status ConvShape(ShapeContext& c, int spatial, bool depthwise) {
  const int rank = spatial + 2;
  WB_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, rank));
  WB_ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, rank));
  c.set_output(0, PartialShape::UnknownOfRank(rank));
  const auto attrs = ReadConvAttrs(c.attrs(), spatial);
  // What is unimplemented is so when it runs.
  if (!attrs.ok()) return IsUnimplemented(attrs.status()) ? OkStatus() : attrs.status();
  const int64_t in = input.dim(attrs->format.channel()), filter_in = filter.dim(spatial);
  int64_t out = filter.dim(rank - 1);
  if (depthwise) {
    if (in >= 0 && filter_in >= 0 && in != filter_in) {
      return InvalidArgument("the filter of shape ", filter.ToString(),
                             " must have as many channels as the input of shape ",
                             input.ToString());
    }
    const int64_t channels = in >= 0 ? in : filter_in;
    if (out < 0 || channels < 0 || __builtin_mul_overflow(out, channels, &out)) out = -1;
  } else if (in >= 0 && filter_in >= 0 && (filter_in == 0 || in % filter_in != 0)) {
    return InvalidArgument("the channels of the input of shape ", input.ToString(),
                           " must be a multiple of those of the filter of shape ",
                           filter.ToString());
  }
  int64_t size[3] = {1, 1, 1};
  for (int i = 3 - spatial; i < 3; ++i) size[i] = filter.dim(i - (3 - spatial));
  WB_ASSIGN_OR_RETURN(PartialShape output,
                      WindowOutputShape(input, attrs->format, size, attrs->strides,
                                        attrs->dilations, attrs->padding, out));
  c.set_output(0, std::move(output));
  return OkStatus();
}

Status ConvBackpropInputShape(ShapeContext& c, int spatial) {
  WB_RETURN_IF_ERROR(c.WithRank(1, spatial + 2).status());
  WB_RETURN_IF_ERROR(c.WithRank(2, spatial + 2).status());
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
  // Two numbers are height and width alone.
  if (!shape.has_rank() || shape.rank() != spatial + 2) {
    shape = PartialShape::UnknownOfRank(spatial + 2);
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status ConvBackpropFilterShape(ShapeContext& c, int spatial) {
  WB_RETURN_IF_ERROR(c.WithRank(0, spatial + 2).status());
  WB_RETURN_IF_ERROR(c.WithRank(2, spatial + 2).status());
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(1));
  WB_ASSIGN_OR_RETURN(shape, PartialShape::Merge(shape, PartialShape::UnknownOfRank(spatial + 2)));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace warpbeam
