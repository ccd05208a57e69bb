#include "ops/nn/conv/conv_kernels.h"

#include <string>
#include <vector>

#include "ops/nn/window/channels.h"

namespace warpbeam {
namespace {

// The numbers in an input that holds sizes.
StatusOr<std::vector<int64_t>> ReadSizes(const Tensor& sizes, const char* what) {
  if (sizes.rank() != 1) {
    return InvalidArgument("the sizes of the ", what, " must be a vector, but have shape ",
                           sizes.shape().ToString());
  }
  std::vector<int64_t> values(sizes.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] =
        sizes.dtype() == DType::kInt32 ? sizes.data<int32_t>()[i] : sizes.data<int64_t>()[i];
    if (values[i] < 0) {
      return InvalidArgument("the sizes of the ", what, " hold ", values[i],
                             "; sizes are not negative");
    }
  }
  return values;
}

StatusOr<Shape> FilterShape(const Tensor& argument, bool has_sizes, int rank) {
  if (!has_sizes) return argument.shape();
  WB_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, ReadSizes(argument, "filter"));
  if (static_cast<int>(sizes.size()) != rank) {
    return InvalidArgument("there must be ", rank, " sizes of the filter, but there are ",
                           sizes.size());
  }
  return Shape::Make(sizes);
}

// The input's shape, channels last. Two sizes are those of the image alone.
StatusOr<Shape> InputShape(const Tensor& argument, bool has_sizes, const ConvAttrs& attrs,
                           const Tensor& filter, const Tensor& dy) {
  const DataFormat& format = attrs.format;
  if (!has_sizes) return WithChannelsLast(argument.shape(), format);
  WB_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, ReadSizes(argument, "input"));
  if (format.spatial == 2 && sizes.size() == 2 && !attrs.depthwise && dy.rank() == 4 &&
      filter.rank() == 4) {
    return Shape::Make({dy.dim(0), sizes[0], sizes[1], filter.dim(2)});
  }
  if (static_cast<int>(sizes.size()) != format.rank()) {
    return InvalidArgument("there must be ", format.rank(), " sizes of the input, but there are ",
                           sizes.size());
  }
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(sizes));
  return WithChannelsLast(shape, format);
}

Status CheckGradient(const ConvAttrs& attrs, const ConvGeometry& g, const Shape& dy, bool on_cpu) {
  WB_ASSIGN_OR_RETURN(const Shape expected, ConvOutputShape(attrs, g));
  if (dy != expected) {
    return InvalidArgument("the gradient must have the shape of the convolution's result, ",
                           expected.ToString(), " with channels last, but has ", dy.ToString());
  }
  const bool takes_groups = attrs.format.channels_first && attrs.format.spatial == 2;
  if (on_cpu && !attrs.depthwise && g.groups > 1 && !takes_groups) {
    return InvalidArgument("gradients of convolutions with ", g.groups,
                           " groups have no kernel on the CPU");
  }
  return OkStatus();
}

Status CheckVolume(const ConvGeometry& g, const Shape& filter, bool on_cpu) {
  if (on_cpu && g.groups > 1) {
    return InvalidArgument("three-dimensional convolutions with ", g.groups,
                           " groups have no kernel on the CPU");
  }
  if (g.out_channels == 0) {
    return InvalidArgument("the filter must not be empty, but has shape ", filter.ToString());
  }
  return OkStatus();
}

bool IsDilated(const ConvAttrs& attrs) {
  const int64_t* d = attrs.dilations.spatial;
  return d[0] != 1 || d[1] != 1 || d[2] != 1;
}

}  // namespace

StatusOr<ConvAttrs> ConvKernelAttrs(const KernelInit& init, int spatial, bool depthwise,
                                    ConvPass pass) {
  auto read = ReadConvAttrs(init.attrs, spatial);
  if (!read.ok()) {
    if (!IsUnimplemented(read.status())) return read.status();
    // The codes are TensorFlow's: only the forward pass calls such strides unimplemented.
    WB_ASSIGN_OR_RETURN(const DataFormat format, ReadDataFormat(init.attrs, spatial));
    WB_ASSIGN_OR_RETURN(const DimensionList dilations,
                        ReadDimensions(init.attrs, "dilations", format));
    const bool is_stride = dilations.batch == 1 && dilations.channel == 1;
    if (pass == ConvPass::kForward && is_stride) return read.status();
    return InvalidArgument(read.status().message());
  }
  ConvAttrs attrs = *std::move(read);
  attrs.depthwise = depthwise;
  const bool on_cpu = init.device_type == DeviceType::kCpu, forward = pass == ConvPass::kForward;
  if (on_cpu && attrs.format.channels_first) {
    WB_ASSIGN_OR_RETURN(const DType dtype, init.attr<DType>("T"));
    const bool is_padded = attrs.padding.kind == WindowPadding::kExplicit;
    if (CpuTakesChannelsFirst(dtype) && (forward || !is_padded)) return attrs;
  }
  if (depthwise && attrs.strides.spatial[1] != attrs.strides.spatial[2]) {
    return InvalidArgument("depthwise convolutions have one stride for rows and columns, not ",
                           attrs.strides.spatial[1], " and ", attrs.strides.spatial[2]);
  }
  if (!on_cpu) return attrs;
  if (attrs.format.channels_first) {
    constexpr char kMessage[] =
        "on the CPU, convolutions take data with its channels first (NCHW) only of float, half and "
        "bfloat16, and their gradients without explicit paddings; use channels last (NHWC)";
    return (forward && spatial == 2) || depthwise ? Unimplemented(kMessage)
                                                  : InvalidArgument(kMessage);
  }
  if (depthwise && forward && IsDilated(attrs)) {
    return Unimplemented("depthwise convolutions with dilations on the CPU");
  }
  return attrs;
}

StatusOr<ConvCall> CheckConvCall(const KernelContext& ctx, const ConvAttrs& attrs, ConvPass pass,
                                 bool on_cpu, bool has_sizes) {
  ConvCall call;
  ConvGeometry& g = call.geometry;
  const DataFormat& format = attrs.format;
  if (pass == ConvPass::kForward) {
    const Shape& filter = ctx.input(1).shape();
    WB_RETURN_IF_ERROR(
        MakeConvGeometry(attrs, WithChannelsLast(ctx.input(0).shape(), format), filter, &g));
    if (format.spatial == 3) WB_RETURN_IF_ERROR(CheckVolume(g, filter, on_cpu));
    WB_ASSIGN_OR_RETURN(call.result, ConvOutputShape(attrs, g));
    return call;
  }
  const Tensor& gradient = ctx.input(2);
  if (pass == ConvPass::kBackwardInput) {
    const Tensor& filter = ctx.input(1);
    WB_ASSIGN_OR_RETURN(call.result, InputShape(ctx.input(0), has_sizes, attrs, filter, gradient));
    WB_RETURN_IF_ERROR(MakeConvGeometry(attrs, call.result, filter.shape(), &g));
  } else {
    WB_ASSIGN_OR_RETURN(call.result, FilterShape(ctx.input(1), has_sizes, format.rank()));
    WB_RETURN_IF_ERROR(
        MakeConvGeometry(attrs, WithChannelsLast(ctx.input(0).shape(), format), call.result, &g));
  }
  WB_RETURN_IF_ERROR(CheckGradient(attrs, g, WithChannelsLast(gradient.shape(), format), on_cpu));
  return call;
}

Status ConvForwardKernel::ComputeWith(KernelContext& ctx, ProductEpilogue* epilogue) {
  WB_ASSIGN_OR_RETURN(const ConvCall call, CheckConvCall(ctx, attrs_, ConvPass::kForward, on_cpu_));
  LastChannelsOutput y(ctx, 0, attrs_.format);
  WB_RETURN_IF_ERROR(y.Allocate(call.result));
  WB_ASSIGN_OR_RETURN(const Tensor x, ChannelsLast(ctx, ctx.input(0), attrs_.format));
  // An epilogue reads the channels as columns.
  if (epilogue != nullptr && (attrs_.format.channels_first || !epilogue->Takes(call.result))) {
    epilogue = nullptr;
  }
  WB_RETURN_IF_ERROR(convolution_.Run(ctx, x.dtype(), call.geometry, x.raw_data(),
                                      ctx.input(1).raw_data(), y.tensor().raw_data(), epilogue));
  return y.Finish();
}

Status ConvBackpropInputKernel::Compute(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const ConvCall call,
                      CheckConvCall(ctx, attrs_, ConvPass::kBackwardInput, on_cpu_, has_sizes_));
  LastChannelsOutput dx(ctx, 0, attrs_.format);
  WB_RETURN_IF_ERROR(dx.Allocate(call.result));
  WB_ASSIGN_OR_RETURN(const Tensor dy, ChannelsLast(ctx, ctx.input(2), attrs_.format));
  WB_RETURN_IF_ERROR(convolution_.Run(ctx, dy.dtype(), call.geometry, dy.raw_data(),
                                      ctx.input(1).raw_data(), dx.tensor().raw_data()));
  return dx.Finish();
}

Status ConvBackpropFilterKernel::Compute(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const ConvCall call,
                      CheckConvCall(ctx, attrs_, ConvPass::kBackwardFilter, on_cpu_, has_sizes_));
  WB_ASSIGN_OR_RETURN(Tensor * dfilter, ctx.Allocate(0, call.result));
  WB_ASSIGN_OR_RETURN(const Tensor x, ChannelsLast(ctx, ctx.input(0), attrs_.format));
  WB_ASSIGN_OR_RETURN(const Tensor dy, ChannelsLast(ctx, ctx.input(2), attrs_.format));
  return convolution_.Run(ctx, x.dtype(), call.geometry, x.raw_data(), dy.raw_data(),
                          dfilter->raw_data());
}

}  // namespace warpbeam
