#include "frontend/nn/convolution.h"

#include <algorithm>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/graph_state.h"
#include "frontend/math.h"
#include "frontend/nn/per_dimension.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

constexpr const char* kChannelsLast[] = {"NWC", "NHWC", "NDHWC"};

std::string FormatOr(const std::string& format, int spatial) {
  return format.empty() ? kChannelsLast[spatial - 1] : format;
}

bool AboveOne(const std::vector<int64_t>& numbers) {
  return std::any_of(numbers.begin(), numbers.end(), [](int64_t n) { return n > 1; });
}

// The attributes that convolutions along `spatial` dimensions have in common.
StatusOr<OpAttrs> ConvolutionAttrs(int spatial, const std::vector<int64_t>& strides,
                                   const std::string& padding, const std::string& data_format,
                                   const std::vector<int64_t>& dilations) {
  WB_ASSIGN_OR_RETURN(const bool first, ChannelsFirst(data_format, spatial));
  WB_ASSIGN_OR_RETURN(const std::vector<int64_t> steps,
                      PerDimension("strides", strides, spatial, first));
  WB_ASSIGN_OR_RETURN(const std::vector<int64_t> rates,
                      PerDimension("dilations", dilations, spatial, first));
  WB_RETURN_IF_ERROR(CheckPadding(padding, spatial == 2));
  return OpAttrs()
      .Set("strides", steps)
      .Set("padding", padding)
      .Set("data_format", data_format)
      .Set("dilations", rates);
}

Output BuildConvolution(const Scope& scope, const char* op, int spatial,
                        const std::vector<ArgumentInput>& inputs,
                        const std::vector<int64_t>& strides, const std::string& padding,
                        const std::string& data_format, const std::vector<int64_t>& dilations,
                        const std::vector<int64_t>& explicit_paddings = {}) {
  StatusOr<OpAttrs> attrs = ConvolutionAttrs(spatial, strides, padding, data_format, dilations);
  if (!attrs.ok()) {
    scope.Fail(Annotate(attrs.status(), op));
    return Output();
  }
  if (spatial == 2) attrs->Set("explicit_paddings", explicit_paddings);
  return BuildOutput(scope, op, inputs, *attrs);
}

Output BuildConvolution2D(const Scope& scope, const char* op,
                          const std::vector<ArgumentInput>& inputs,
                          const std::vector<int64_t>& strides, const std::string& padding,
                          const Conv2DOptions& options) {
  return BuildConvolution(scope, op, 2, inputs, strides, padding, options.format,
                          options.dilation_list, options.paddings);
}

Output Squeeze(const Scope& scope, const Input& x, int64_t axis) {
  return BuildOutput(scope, "Squeeze", {x},
                     OpAttrs().Set("squeeze_dims", std::vector<int64_t>{axis}));
}

// What a convolution of one dimension needs to be one of two: an extent of 1 before the other.
struct FlatFormat {
  bool channels_first = false;
  std::string format;
  int64_t axis = 0;  // of the extent, from the end
};

StatusOr<FlatFormat> Flattened(const std::string& data_format) {
  WB_ASSIGN_OR_RETURN(const bool first, ChannelsFirst(data_format, 1));
  return FlatFormat{first, first ? "NCHW" : "NHWC", first ? -2 : -3};
}

// {1} before what is given for each dimension.
StatusOr<std::vector<int64_t>> WithFlatDimension(const char* what, int64_t given, bool first) {
  WB_ASSIGN_OR_RETURN(std::vector<int64_t> all, PerDimension(what, {given}, 1, first));
  all.insert(all.begin(), 1);
  return all;
}

Output Conv1DIn(const Scope& inside, const Input& value, const Input& filters, int64_t stride,
                const std::string& padding, const std::string& data_format, int64_t dilation) {
  const auto build = [&]() -> StatusOr<Output> {
    WB_ASSIGN_OR_RETURN(const FlatFormat flat, Flattened(data_format));
    WB_ASSIGN_OR_RETURN(const auto steps,
                        WithFlatDimension("strides", stride, flat.channels_first));
    WB_ASSIGN_OR_RETURN(const auto rates,
                        WithFlatDimension("dilations", dilation, flat.channels_first));
    const Output images = ExpandDims(inside, value, static_cast<int>(flat.axis));
    const Output kernels = ExpandDims(inside, filters, 0);
    const Output result = Conv2D(inside.Named(inside.name_scope()), images, kernels, steps, padding,
                                 Conv2DOptions().data_format(flat.format).dilations(rates));
    return Squeeze(inside, result, flat.axis);
  };
  const StatusOr<Output> built = build();
  if (!built.ok()) inside.Fail(Annotate(built.status(), "Conv1D"));
  return built.value_or(Output());
}

// How many spatial dimensions the filter, else the input, has; an error if neither tells.
int SpatialDimensions(const Scope& scope, const Output& input, const Output& filter) {
  if (!scope.ok()) return 0;
  const int rank = filter.shape().has_rank() ? filter.shape().rank() : input.shape().rank();
  if (rank >= 3 && rank <= 5) return rank - 2;
  scope.Fail(InvalidArgument("Convolution: the filter '", filter.name(), "' of ",
                             filter.shape().ToString(), " (or the input '", input.name(), "' of ",
                             input.shape().ToString(), ") must have 3, 4 or 5 dimensions"));
  return 0;
}

Output ConvolutionIn(const Scope& whole, int spatial, const Output& input, const Output& filter,
                     const std::vector<int64_t>& strides, const std::string& padding,
                     const std::string& format) {
  if (spatial == 2) {
    return Conv2D(whole, input, filter, strides, padding, Conv2DOptions().data_format(format));
  }
  return Conv3D(whole, input, filter, strides, padding, format);
}

std::vector<int64_t> SpatialPart(const std::vector<int64_t>& all, bool channels_first) {
  return channels_first ? std::vector<int64_t>(all.begin() + 2, all.end())
                        : std::vector<int64_t>(all.begin() + 1, all.end() - 1);
}

}  // namespace

Output Convolution(ScopeRef scope_ref, const Input& input, const Input& filter,
                   const std::string& padding, const ConvolutionOptions& options) {
  const Scope scope = scope_ref.scope();
  const Output kernel = AsOutput(scope.Named("convolution_internal/filters"), filter);
  const Output x = AsOutput(scope.Named("convolution_internal/input"), input);
  const int spatial = SpatialDimensions(scope, x, kernel);
  if (spatial == 0) return Output();
  const std::string format = FormatOr(options.format, spatial);
  const auto first = ChannelsFirst(format, spatial);
  const auto strides = PerDimension("strides", options.stride_list, spatial, first.value_or(false));
  const auto rates =
      PerDimension("dilation rates", options.dilation_list, spatial, first.value_or(false));
  Status status = first.status();
  if (status.ok()) status = strides.status();
  if (status.ok()) status = rates.status();
  if (status.ok() && AboveOne(*strides) && AboveOne(*rates)) {
    status = InvalidArgument("strides and dilation rates cannot both be above 1");
  }
  if (!status.ok()) {
    scope.Fail(Annotate(status, "Convolution"));
    return Output();
  }
  const Scope inside = scope.OpenScope("convolution");
  const auto in_format = [&](const Scope& s, const Output& batch, const std::string& pads) {
    if (spatial == 1) {
      const int64_t stride = SpatialPart(*strides, *first)[0];
      return Conv1DIn(s, batch, kernel, stride, pads, format, 1);
    }
    return ConvolutionIn(s.Named(inside.name_scope()), spatial, batch, kernel, *strides, pads,
                         format);
  };
  if (!AboveOne(*rates)) return scope(in_format(inside, x, padding));
  SpaceToBatchOptions dilated;
  dilated.format = format;
  const PartialShape window = kernel.shape();
  for (int i = 0; i < spatial && window.has_rank(); ++i) dilated.window.push_back(window.dim(i));
  return scope(
      WithSpaceToBatch(inside, x, SpatialPart(*rates, *first), padding, in_format, dilated));
}

Output Conv1D(ScopeRef scope_ref, const Input& value, const Input& filters, int64_t stride,
              const std::string& padding, const std::string& data_format, int64_t dilation) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("conv1d");
  return scope(Conv1DIn(inside, value, filters, stride, padding, data_format, dilation));
}

Output Conv3D(ScopeRef scope, const Input& input, const Input& filter,
              const std::vector<int64_t>& strides, const std::string& padding,
              const std::string& data_format, const std::vector<int64_t>& dilations) {
  return BuildConvolution(scope.scope(), "Conv3D", 3, {input, filter}, strides, padding,
                          data_format, dilations);
}

Output Conv1DTranspose(ScopeRef scope_ref, const Input& input, const Input& filters,
                       const Input& output_shape, int64_t stride, const std::string& padding,
                       const std::string& data_format, int64_t dilation) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("conv1d_transpose");
  const auto build = [&]() -> StatusOr<Output> {
    WB_ASSIGN_OR_RETURN(const FlatFormat flat, Flattened(data_format));
    WB_ASSIGN_OR_RETURN(const auto steps,
                        WithFlatDimension("strides", stride, flat.channels_first));
    WB_ASSIGN_OR_RETURN(const auto rates,
                        WithFlatDimension("dilations", dilation, flat.channels_first));
    const int axis = flat.channels_first ? 2 : 1;
    const Output images = ExpandDims(inside, input, axis);
    const Output kernels = ExpandDims(inside, filters, 0);
    const Output shape = AsOutput(inside.Named("output_shape"), output_shape, DType::kInt32);
    const auto part = [&](int begin, int size) {
      return BuildOutput(inside, "Slice",
                         {shape, std::vector<int32_t>{begin}, std::vector<int32_t>{size}});
    };
    const Output one = Constant(inside.Named("concat/values_1"), std::vector<int32_t>{1});
    const Output sizes = Concat(inside, {part(0, axis), one, part(axis, 3 - axis)}, 0);
    const Output result =
        Conv2DBackpropInput(inside.Named(inside.name_scope()), sizes, kernels, images, steps,
                            padding, Conv2DOptions().data_format(flat.format).dilations(rates));
    return Squeeze(inside, result, axis);
  };
  const StatusOr<Output> built = build();
  if (!built.ok()) scope.Fail(Annotate(built.status(), "Conv1DTranspose"));
  return scope(built.value_or(Output()));
}

Output Conv2DTranspose(ScopeRef scope_ref, const Input& value, const Input& filter,
                       const Input& output_shape, const std::vector<int64_t>& strides,
                       const std::string& padding, const Conv2DOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("conv2d_transpose");
  return scope(Conv2DBackpropInput(inside.Named(inside.name_scope()), output_shape, filter, value,
                                   strides, padding, options));
}

Output Conv3DTranspose(ScopeRef scope_ref, const Input& value, const Input& filter,
                       const Input& output_shape, const std::vector<int64_t>& strides,
                       const std::string& padding, const std::string& data_format,
                       const std::vector<int64_t>& dilations) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("conv3d_transpose");
  return scope(BuildConvolution(inside.Named(inside.name_scope()), "Conv3DBackpropInputV2", 3,
                                {output_shape, filter, value}, strides, padding, data_format,
                                dilations));
}

Output ConvTranspose(ScopeRef scope_ref, const Input& input, const Input& filters,
                     const Input& output_shape, const std::vector<int64_t>& strides,
                     const std::string& padding, const std::string& data_format,
                     const std::vector<int64_t>& dilations) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("conv_transpose");
  const Output sizes = AsOutput(inside.Named("output_shape"), output_shape, DType::kInt32);
  if (!scope.ok()) return Output();
  const PartialShape shape = sizes.shape();
  const int64_t dims = shape.rank() == 1 ? shape.dim(0) : -1;
  if (dims < 3 || dims > 5) {
    scope.Fail(InvalidArgument(
        "ConvTranspose: output_shape must be 3, 4 or 5 numbers, its shape is ", shape.ToString()));
    return Output();
  }
  const int spatial = static_cast<int>(dims) - 2;
  const std::string format = FormatOr(data_format, spatial);
  const Scope whole = inside.Named(inside.name_scope());
  if (spatial == 1) {
    if (strides.size() != 1 || dilations.size() != 1) {
      scope.Fail(
          InvalidArgument("ConvTranspose along one dimension takes one stride and dilation"));
      return Output();
    }
    return scope(
        Conv1DTranspose(whole, input, filters, sizes, strides[0], padding, format, dilations[0]));
  }
  if (spatial == 3) {
    return scope(
        Conv3DTranspose(whole, input, filters, sizes, strides, padding, format, dilations));
  }
  return scope(Conv2DTranspose(whole, input, filters, sizes, strides, padding,
                               Conv2DOptions().data_format(format).dilations(dilations)));
}

Output Conv2DBackpropInput(ScopeRef scope, const Input& input_sizes, const Input& filter,
                           const Input& out_backprop, const std::vector<int64_t>& strides,
                           const std::string& padding, const Conv2DOptions& options) {
  return BuildConvolution2D(scope.scope(), "Conv2DBackpropInput",
                            {input_sizes, filter, out_backprop}, strides, padding, options);
}

Output Conv2DBackpropFilter(ScopeRef scope, const Input& input, const Input& filter_sizes,
                            const Input& out_backprop, const std::vector<int64_t>& strides,
                            const std::string& padding, const Conv2DOptions& options) {
  return BuildConvolution2D(scope.scope(), "Conv2DBackpropFilter",
                            {input, filter_sizes, out_backprop}, strides, padding, options);
}

Output Conv3DBackpropFilter(ScopeRef scope, const Input& input, const Input& filter_sizes,
                            const Input& out_backprop, const std::vector<int64_t>& strides,
                            const std::string& padding, const std::string& data_format,
                            const std::vector<int64_t>& dilations) {
  return BuildConvolution(scope.scope(), "Conv3DBackpropFilterV2", 3,
                          {input, filter_sizes, out_backprop}, strides, padding, data_format,
                          dilations);
}

Output AtrousConv2D(ScopeRef scope, const Input& value, const Input& filters, int64_t rate,
                    const std::string& padding) {
  return Convolution(scope, value, filters, padding, ConvolutionOptions().dilation_rate({rate}));
}

Output AtrousConv2DTranspose(ScopeRef scope_ref, const Input& value, const Input& filters,
                             const std::vector<int64_t>& output_shape, int64_t rate,
                             const std::string& padding) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("atrous_conv2d_transpose");
  const Output x = AsOutput(inside.Named("value"), value);
  const Output kernel = AsOutput(inside.Named("filters"), filters);
  if (!scope.ok()) return Output();
  Status status = CheckPadding(padding, false);
  const PartialShape window = kernel.shape();
  if (status.ok() && rate < 1) status = InvalidArgument("the rate must be at least 1, got ", rate);
  if (status.ok() && output_shape.size() != 4) {
    status = InvalidArgument("output_shape must be 4 numbers, got ", output_shape.size());
  }
  if (status.ok() && (window.rank() != 4 || window.dim(0) < 0 || window.dim(1) < 0)) {
    status = InvalidArgument("height and width of the filter must be known, its shape is ",
                             window.ToString());
  }
  if (!status.ok()) {
    scope.Fail(Annotate(status, "AtrousConv2DTranspose"));
    return Output();
  }
  if (rate == 1) {
    return scope(Conv2DTranspose(inside, x, kernel, output_shape, {1, 1, 1, 1}, padding));
  }
  std::vector<int64_t> before, extra, sizes = {rate * rate * output_shape[0]}, after;
  for (int i = 0; i < 2; ++i) {
    const int64_t pad = padding == "SAME" ? rate * (window.dim(i) - 1) : 0;
    const int64_t extent = output_shape[i + 1] + pad;
    extra.push_back((rate - extent % rate) % rate);
    before.push_back(pad / 2);
    after.push_back(pad - pad / 2 + extra.back());
    sizes.push_back((extent + extra.back()) / rate);
  }
  sizes.push_back(output_shape[3]);
  const auto pairs = [&](const char* name, const std::vector<int64_t>& numbers) {
    return Constant(inside.Named(name), numbers, DType::kInt32, {2, 2});
  };
  const OpAttrs block = OpAttrs().Set("block_size", rate);
  const Output batches =
      BuildOutput(inside, "SpaceToBatch",
                  {x, pairs("SpaceToBatch/paddings", {0, extra[0], 0, extra[1]})}, block);
  const Output grown = Conv2DBackpropInput(
      inside, Constant(inside.Named("Conv2DBackpropInput/input_sizes"), sizes, DType::kInt32),
      kernel, batches, {1}, "VALID");
  const Output crops = pairs("BatchToSpace/crops", {before[0], after[0], before[1], after[1]});
  return scope(BuildOutput(inside, "BatchToSpace", {grown, crops}, block));
}

namespace {

// Height and width of a filter, -1 for what is not known.
std::vector<int64_t> WindowOf(const Output& filter) {
  const PartialShape shape = filter.shape();
  if (shape.rank() != 4) return {};
  return {shape.dim(0), shape.dim(1)};
}

}  // namespace

Output DepthwiseConv2D(ScopeRef scope_ref, const Input& input, const Input& filter,
                       const std::vector<int64_t>& strides, const std::string& padding,
                       const DepthwiseOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("depthwise");
  const Output x = AsOutput(inside.Named("tensor_in"), input);
  const Output kernel = AsOutput(inside.Named("filter_in"), filter);
  if (!scope.ok()) return Output();
  const auto op = [&](const Scope& s, const Output& batch, const std::string& pads) {
    return DepthwiseConv2DNative(s.Named(inside.name_scope()), batch, kernel, strides, pads,
                                 Conv2DOptions().data_format(options.format));
  };
  return scope(WithSpaceToBatch(
      inside, x, options.dilation_list, padding, op,
      SpaceToBatchOptions().filter_shape(WindowOf(kernel)).data_format(options.format)));
}

Output SeparableConv2D(ScopeRef scope_ref, const Input& input, const Input& depthwise_filter,
                       const Input& pointwise_filter, const std::vector<int64_t>& strides,
                       const std::string& padding, const DepthwiseOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("separable_conv2d");
  const Output x = AsOutput(inside.Named("tensor_in"), input);
  const Output kernel = AsOutput(inside.Named("depthwise_filter"), depthwise_filter);
  const Output pointwise = AsOutput(inside.Named("pointwise_filter"), pointwise_filter);
  if (!scope.ok()) return Output();
  if (!pointwise.shape().IsCompatibleWith(PartialShape({1, 1, -1, -1}))) {
    scope.Fail(InvalidArgument("SeparableConv2D: the pointwise filter '", pointwise.name(),
                               "' must be [1, 1, channels in, channels out], its shape is ",
                               pointwise.shape().ToString()));
    return Output();
  }
  const auto op = [&](const Scope& s, const Output& batch, const std::string& pads) {
    return DepthwiseConv2DNative(s.Named("depthwise"), batch, kernel, strides, pads,
                                 Conv2DOptions().data_format(options.format));
  };
  const Output each = WithSpaceToBatch(
      inside, x, options.dilation_list, padding, op,
      SpaceToBatchOptions().filter_shape(WindowOf(kernel)).data_format(options.format));
  return scope(Conv2D(inside.Named(inside.name_scope()), each, pointwise, {1, 1, 1, 1}, "VALID",
                      Conv2DOptions().data_format(options.format)));
}

Output DepthwiseConv2DNative(ScopeRef scope, const Input& input, const Input& filter,
                             const std::vector<int64_t>& strides, const std::string& padding,
                             const Conv2DOptions& options) {
  return BuildConvolution2D(scope.scope(), "DepthwiseConv2dNative", {input, filter}, strides,
                            padding, options);
}

Output DepthwiseConv2DNativeBackpropInput(ScopeRef scope, const Input& input_sizes,
                                          const Input& filter, const Input& out_backprop,
                                          const std::vector<int64_t>& strides,
                                          const std::string& padding,
                                          const Conv2DOptions& options) {
  return BuildConvolution2D(scope.scope(), "DepthwiseConv2dNativeBackpropInput",
                            {input_sizes, filter, out_backprop}, strides, padding, options);
}

Output DepthwiseConv2DNativeBackpropFilter(ScopeRef scope, const Input& input,
                                           const Input& filter_sizes, const Input& out_backprop,
                                           const std::vector<int64_t>& strides,
                                           const std::string& padding,
                                           const Conv2DOptions& options) {
  return BuildConvolution2D(scope.scope(), "DepthwiseConv2dNativeBackpropFilter",
                            {input, filter_sizes, out_backprop}, strides, padding, options);
}

Output Dilation2D(ScopeRef scope, const Input& input, const Input& filter,
                  const std::vector<int64_t>& strides, const std::vector<int64_t>& rates,
                  const std::string& padding) {
  return BuildOutput(scope.scope(), "Dilation2D", {input, filter},
                     OpAttrs().Set("strides", strides).Set("rates", rates).Set("padding", padding));
}

Output Erosion2D(ScopeRef scope_ref, const Input& value, const Input& kernel,
                 const std::vector<int64_t>& strides, const std::vector<int64_t>& rates,
                 const std::string& padding) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("erosion2d");
  const Output negative = Negative(inside, value);
  const Output reversed =
      BuildOutput(inside, "ReverseV2", {kernel, Input(std::vector<int32_t>{0, 1})});
  const Output dilated =
      Dilation2D(inside.Named(inside.name_scope()), negative, reversed, strides, rates, padding);
  return scope(Negative(inside, dilated));
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
