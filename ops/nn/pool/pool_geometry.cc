#include "ops/nn/pool/pool_geometry.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ops/nn/window/channels.h"

namespace warpbeam {
namespace {

StatusOr<std::vector<int64_t>> Numbers(const Tensor& t, const char* what) {
  if (t.rank() != 1) {
    return InvalidArgument("'", what, "' must be a vector, but has shape ", t.shape().ToString());
  }
  return std::vector<int64_t>(t.data<int32_t>(), t.data<int32_t>() + t.num_elements());
}

bool IsSpatial(const DimensionList& list) {
  return list.spatial[0] != 1 || list.spatial[1] != 1 || list.spatial[2] != 1;
}

Status CheckDevice(const KernelInit& init, const PoolAttrs& attrs) {
  if (init.device_type == DeviceType::kCpu && attrs.format.channels_first) {
    return InvalidArgument(
        "on the CPU, data with its channels first (NCHW) is pooled only if it is of float, half or "
        "bfloat16, without explicit paddings and over no channels, by ops whose window is an "
        "attribute, and gradients of gradients are not; use channels last (NHWC)");
  }
  return OkStatus();
}

}  // namespace

StatusOr<PoolAttrs> ReadPoolFormat(const AttrMap& map, int spatial) {
  PoolAttrs attrs;
  WB_ASSIGN_OR_RETURN(attrs.format, ReadDataFormat(map, spatial));
  WB_ASSIGN_OR_RETURN(attrs.padding, ReadPadding(map, attrs.format));
  return attrs;
}

StatusOr<PoolAttrs> ReadPoolAttrs(const AttrMap& map, int spatial) {
  WB_ASSIGN_OR_RETURN(PoolAttrs attrs, ReadPoolFormat(map, spatial));
  WB_ASSIGN_OR_RETURN(attrs.size, ReadDimensions(map, "ksize", attrs.format));
  WB_ASSIGN_OR_RETURN(attrs.strides, ReadDimensions(map, "strides", attrs.format));
  WB_RETURN_IF_ERROR(CheckPoolWindow(attrs));
  return attrs;
}

StatusOr<PoolAttrs> PoolKernelFormat(const KernelInit& init, int spatial) {
  WB_ASSIGN_OR_RETURN(PoolAttrs attrs, ReadPoolFormat(init.attrs, spatial));
  WB_RETURN_IF_ERROR(CheckDevice(init, attrs));
  return attrs;
}

StatusOr<PoolAttrs> PoolKernelAttrs(const KernelInit& init, int spatial) {
  WB_ASSIGN_OR_RETURN(PoolAttrs attrs, ReadPoolAttrs(init.attrs, spatial));
  WB_ASSIGN_OR_RETURN(const DType dtype, init.attr<DType>("T"));
  const bool is_plain = attrs.padding.kind != WindowPadding::kExplicit && attrs.size.channel == 1;
  if (!is_plain || !CpuTakesChannelsFirst(dtype)) WB_RETURN_IF_ERROR(CheckDevice(init, attrs));
  return attrs;
}

StatusOr<PoolAttrs> MeanPoolAttrs(const KernelInit& init, int spatial) {
  WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolKernelAttrs(init, spatial));
  if (attrs.size.channel != 1) return Unimplemented("means over the channels");
  return attrs;
}

Status ReadPoolWindow(const Tensor& size, const Tensor& strides, PoolAttrs* attrs) {
  WB_ASSIGN_OR_RETURN(const std::vector<int64_t> k, Numbers(size, "ksize"));
  WB_ASSIGN_OR_RETURN(const std::vector<int64_t> s, Numbers(strides, "strides"));
  WB_ASSIGN_OR_RETURN(attrs->size, SplitDimensions(k, "ksize", attrs->format));
  WB_ASSIGN_OR_RETURN(attrs->strides, SplitDimensions(s, "strides", attrs->format));
  return CheckPoolWindow(*attrs);
}

Status CheckPoolWindow(const PoolAttrs& attrs) {
  const DimensionList &k = attrs.size, &s = attrs.strides;
  for (int i = 0; i < 3; ++i) {
    if (k.spatial[i] <= 0 || s.spatial[i] <= 0) {
      return InvalidArgument("windows and strides must be positive, but are ", k.spatial[i],
                             " and ", s.spatial[i]);
    }
    if (attrs.padding.before[i] >= k.spatial[i] || attrs.padding.after[i] >= k.spatial[i]) {
      if (attrs.padding.before[i] == 0 && attrs.padding.after[i] == 0) continue;
      return InvalidArgument("paddings of ", attrs.padding.before[i], " and ",
                             attrs.padding.after[i], " must be smaller than the window's ",
                             k.spatial[i]);
    }
  }
  if (k.channel <= 0 || s.channel <= 0 || k.batch <= 0 || s.batch <= 0) {
    return InvalidArgument("windows and strides must be positive");
  }
  if (k.batch != 1 || s.batch != 1)
    return Unimplemented("Pooling is not yet supported on the batch dimension");
  if (k.channel != 1) {
    if (IsSpatial(k))
      return Unimplemented(
          "exactly one of pooling across depth and pooling across width and height is possible");
    if (attrs.format.spatial == 3) return Unimplemented("pooling over the channels of volumes");
    if (k.channel != s.channel) {
      return Unimplemented("pooling over channels requires the depth window to equal the depth ",
                           "stride, not ", k.channel, " and ", s.channel);
    }
  }
  return OkStatus();
}

Status MakePoolGeometry(const PoolAttrs& attrs, const Shape& input, PoolGeometry* geometry) {
  const int rank = attrs.format.rank();
  if (input.rank() != rank) {
    return InvalidArgument("the data must have ", rank, " dimensions, but has shape ",
                           input.ToString());
  }
  PoolGeometry& g = *geometry;
  g = PoolGeometry();
  g.batch = input.dim(0);
  g.channels = input.dim(rank - 1);
  g.channel_window = attrs.size.channel;
  if (g.channels % g.channel_window != 0) {
    return Unimplemented("pooling over channels requires the depth window to evenly divide the ",
                         "channels: ", g.channel_window, " and ", g.channels);
  }
  for (int i = 3 - attrs.format.spatial; i < 3; ++i) {
    g.input[i] = input.dim(i - (3 - attrs.format.spatial) + 1);
    g.size[i] = attrs.size.spatial[i];
    g.stride[i] = attrs.strides.spatial[i];
    WindowSpan span;
    WB_RETURN_IF_ERROR(PlaceWindow(g.input[i], g.size[i], g.stride[i], 1, attrs.padding, i, &span));
    g.output[i] = span.output;
    g.before[i] = span.before;
  }
  return OkStatus();
}

StatusOr<Shape> PoolOutputShape(const PoolAttrs& attrs, const PoolGeometry& g) {
  std::vector<int64_t> dims = {g.batch};
  for (int i = 3 - attrs.format.spatial; i < 3; ++i) dims.push_back(g.output[i]);
  dims.push_back(g.channels / g.channel_window);
  return Shape::Make(dims);
}

Status CheckPoolShape(const char* what, const Shape& shape, const Shape& expected) {
  if (shape == expected) return OkStatus();
  return InvalidArgument("'", what, "' must have shape ", expected.ToString(),
                         " (channels last), but has ", shape.ToString());
}

StatusOr<Shape> GivenPoolInput(const Tensor& sizes, const DataFormat& format) {
  if (sizes.rank() != 1 || sizes.num_elements() != format.rank()) {
    return InvalidArgument("'orig_input_shape' must be a vector of ", format.rank(),
                           " sizes, but has shape ", sizes.shape().ToString());
  }
  const int32_t* first = sizes.data<int32_t>();
  WB_ASSIGN_OR_RETURN(const Shape given,
                      Shape::Make(std::vector<int64_t>(first, first + format.rank())));
  return WithChannelsLast(given, format);
}

Status PoolOutputPartialShape(const PoolAttrs& attrs, const PartialShape& input,
                              PartialShape* output) {
  int64_t channels = input.dim(attrs.format.channel());
  if (channels >= 0) channels /= attrs.size.channel;
  WB_ASSIGN_OR_RETURN(*output,
                      WindowOutputShape(input, attrs.format, attrs.size.spatial, attrs.strides,
                                        DimensionList(), attrs.padding, channels));
  return OkStatus();
}

Status PoolShape(ShapeContext& c, int spatial) {
  WB_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, spatial + 2));
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, PartialShape::UnknownOfRank(spatial + 2));
  }
  const auto attrs = ReadPoolAttrs(c.attrs(), spatial);
  // What is unimplemented is so when it runs.
  if (!attrs.ok()) return IsUnimplemented(attrs.status()) ? OkStatus() : attrs.status();
  PartialShape output;
  WB_RETURN_IF_ERROR(PoolOutputPartialShape(*attrs, input, &output));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, output);
  return OkStatus();
}

}  // namespace warpbeam
