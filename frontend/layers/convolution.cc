#include "frontend/layers/convolution.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/layers/layer_scope.h"
#include "frontend/layers/window.h"
#include "frontend/math.h"
#include "frontend/nn.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace layers {
namespace {

const char* LayoutOf(int dims, bool channels_first) {
  static const char* const kLast[] = {"[batch, width, channels]",
                                      "[batch, height, width, channels]",
                                      "[batch, depth, height, width, channels]"};
  static const char* const kFirst[] = {"[batch, channels, width]",
                                       "[batch, channels, height, width]",
                                       "[batch, channels, depth, height, width]"};
  return (channels_first ? kFirst : kLast)[dims - 1];
}

Shape KernelShape(const Window& window, int64_t second_last, int64_t last) {
  std::vector<int64_t> dims = window.size;
  dims.push_back(second_last);
  dims.push_back(last);
  return Shape::Make(dims).value_or(Shape());
}

// A layer while it is built: what it was given, checked.
struct Convolution {
  // Not ok() after an error, which the scope has.
  template <typename Options>
  Convolution(const Scope& scope, const char* base_name, int dims, const Input& inputs,
              int64_t filters, const SpatialSize& size, const Options& options)
      : layer(OpenLayer(scope, base_name, options.names, options.reuse_mode)) {
    x = AsOutput(layer.Named("inputs"), inputs);
    StatusOr<Window> made = Window::Make(dims, size, options.stride_sizes, options.dilation_sizes,
                                         options.padding_name, options.data_format_name);
    if (made.ok() && filters < 1) made = InvalidArgument("needs one filter or more, got ", filters);
    if (!made.ok()) {
      if (layer.ok()) layer.Fail(Annotate(made.status(), Describe(layer, x)));
      return;
    }
    window = *made;
    if (!CheckRank(layer, x, dims + 2, LayoutOf(dims, window.channels_first))) return;
    channels = CheckedExtent(layer, x, window.channel_axis());
  }
  bool ok() const { return channels >= 0 && layer.ok(); }
  // For all but transposed convolutions.
  bool WindowFits() const {
    if (!ok()) return false;
    const Status fits = window.CheckFits(x.shape());
    if (!fits.ok()) layer.Fail(Annotate(fits, Describe(layer, x)));
    return fits.ok();
  }

  OpAttrs attrs() const {
    return OpAttrs()
        .Set("strides", window.all_strides())
        .Set("padding", window.padding)
        .Set("data_format", window.format);
  }

  // A convolution of one spatial dimension is one of two, the first of them one high.
  template <typename Build>
  Output AsImage(const Scope& inside, const std::vector<Output>& kernels, const Build& build) {
    const int height = window.first_spatial();
    const Output image = ExpandDims(inside, x, height);
    std::vector<Output> filters;
    for (const Output& kernel : kernels) filters.push_back(ExpandDims(inside, kernel, 0));
    Window flat = window;
    flat.dims = 2;
    for (auto* sizes : {&flat.size, &flat.strides, &flat.dilations})
      sizes->insert(sizes->begin(), 1);
    return build(flat, image, filters);
  }
  Output Squeezed(const Scope& scope, const Output& image) const {
    return BuildOutput(scope, "Squeeze", {image},
                       OpAttrs().Set("squeeze_dims", std::vector<int64_t>{window.first_spatial()}));
  }

  template <typename Options>
  Output WithBias(const Output& y, const Variable& bias, const Options& options) const {
    if (!options.has_bias) return y;
    return BuildOutput(layer, "BiasAdd", {y, bias},
                       OpAttrs().Set("data_format", window.flat_format));
  }
  template <typename Options>
  Output Activated(const Scope& scope, const Output& y, const Options& options) const {
    if (!y.valid()) return y;
    const Output active = options.activation_function ? options.activation_function(layer, y) : y;
    AddActivityLoss(layer, active, options.regularizer_of_activity);
    return scope(active);
  }

  Scope layer;
  Output x;
  Window window;
  int64_t channels = -1;
};

OpAttrs AttrsOf(const Window& window) {
  return OpAttrs()
      .Set("strides", window.all_strides())
      .Set("padding", window.padding)
      .Set("data_format", window.format)
      .Set("dilations", window.OfAll(window.dilations));
}

Output Conv(const Scope& scope, const char* base_name, int dims, const Input& inputs,
            int64_t filters, const SpatialSize& size, const ConvOptions& options) {
  Convolution conv(scope, base_name, dims, inputs, filters, size, options);
  if (!conv.WindowFits()) return Output();
  const DType dtype = conv.x.dtype();
  const Scope& layer = conv.layer;
  const Variable kernel =
      KernelVariable(layer, options.names.kernel, KernelShape(conv.window, conv.channels, filters),
                     dtype, options);
  const Variable bias =
      options.has_bias ? BiasVariable(layer, filters, dtype, options) : Variable();
  if (!layer.ok()) return Output();
  Output y;
  if (dims == 1) {
    const Scope inside = layer.NameScope("conv1d");
    y = conv.AsImage(
        inside, {kernel},
        [&](const Window& flat, const Output& image, const std::vector<Output>& kernels) {
          return BuildOutput(inside.Named(inside.name_scope()), "Conv2D", {image, kernels[0]},
                             AttrsOf(flat));
        });
    y = conv.Squeezed(inside, y);
  } else {
    y = BuildOutput(layer, dims == 2 ? "Conv2D" : "Conv3D", {conv.x, kernel}, AttrsOf(conv.window));
  }
  return conv.Activated(scope, conv.WithBias(y, bias, options), options);
}

// The shape that a transposed convolution makes, as a tensor; dimensions that are not known are
// computed from the inputs'.
Output TransposedShape(const Convolution& conv, int64_t filters, bool all_computed,
                       PartialShape* known) {
  const Scope& layer = conv.layer;
  const Window& window = conv.window;
  const Output shape = BuildOutput(layer, "Shape", {conv.x});
  std::vector<Output> extents = {DimensionAt(layer, shape, 0)};
  *known = conv.x.shape();
  known->set_dim(window.channel_axis(), filters);
  std::vector<int64_t> packed = known->dims();
  packed[0] = -1;
  std::vector<int> computed;
  for (int i = 0; i < window.dims; ++i) {
    const int axis = window.first_spatial() + i;
    known->set_dim(axis, window.TransposedExtent(i, conv.x.shape().dim(axis)));
    packed[axis] = all_computed ? -1 : known->dim(axis);
    if (packed[axis] < 0) computed.push_back(i);
  }
  std::vector<Output> sizes;
  for (int i : computed) sizes.push_back(DimensionAt(layer, shape, window.first_spatial() + i));
  for (size_t k = 0; k < computed.size(); ++k) {
    const int i = computed[k];
    Output extent = Multiply(layer.Named("mul"), sizes[k], static_cast<int>(window.strides[i]));
    if (window.padding == "VALID") {
      extent = Add(layer.Named("add"), extent, static_cast<int>(window.TransposedExtent(i, 0)));
    }
    extents.push_back(extent);
  }
  return PackShape(layer, "stack", packed, extents);
}

Output Transposed(const Scope& scope, const char* base_name, int dims, const Input& inputs,
                  int64_t filters, const SpatialSize& size, const ConvOptions& options) {
  Convolution conv(scope, base_name, dims, inputs, filters, size, options);
  if (!conv.ok()) return Output();
  const DType dtype = conv.x.dtype();
  const Scope& layer = conv.layer;
  const Variable kernel =
      KernelVariable(layer, options.names.kernel, KernelShape(conv.window, filters, conv.channels),
                     dtype, options);
  const Variable bias =
      options.has_bias ? BiasVariable(layer, filters, dtype, options) : Variable();
  if (!layer.ok()) return Output();
  PartialShape known;
  const Output shape = TransposedShape(conv, filters, dims == 3, &known);
  const Output y = BuildOutput(layer.Named(base_name),
                               dims == 2 ? "Conv2DBackpropInput" : "Conv3DBackpropInputV2",
                               {shape, kernel, conv.x}, AttrsOf(conv.window));
  if (!y.valid()) return Output();
  y.set_shape(known);
  return conv.Activated(scope, conv.WithBias(y, bias, options), options);
}

struct SeparableKernels {
  Variable depthwise, pointwise, bias;
};

SeparableKernels MakeSeparableKernels(const Convolution& conv, int64_t filters,
                                      const SeparableConvOptions& options) {
  const DType dtype = conv.x.dtype();
  const int64_t multiplier = options.channels_per_channel;
  LayerOptions<SeparableConvOptions> depthwise = options;
  depthwise.initializer_of_kernel = options.initializer_of_depthwise;
  depthwise.regularizer_of_kernel = options.regularizer_of_depthwise;
  Window point = conv.window;
  point.size.assign(point.size.size(), 1);
  SeparableKernels kernels;
  kernels.depthwise =
      KernelVariable(conv.layer, "depthwise_kernel",
                     KernelShape(conv.window, conv.channels, multiplier), dtype, depthwise);
  kernels.pointwise =
      KernelVariable(conv.layer, "pointwise_kernel",
                     KernelShape(point, multiplier * conv.channels, filters), dtype, options);
  if (options.has_bias) kernels.bias = BiasVariable(conv.layer, filters, dtype, options);
  return kernels;
}

Output SeparableOfImage(const Scope& layer, const Window& window, const Output& image,
                        const Output& depthwise, const Output& pointwise) {
  const Scope inside = layer.NameScope("separable_conv2d");
  const Output apart = BuildOutput(inside.Named("depthwise"), "DepthwiseConv2dNative",
                                   {image, depthwise}, AttrsOf(window));
  return BuildOutput(inside.Named(inside.name_scope()), "Conv2D", {apart, pointwise},
                     OpAttrs()
                         .Set("strides", std::vector<int64_t>{1, 1, 1, 1})
                         .Set("padding", "VALID")
                         .Set("data_format", window.format));
}

Output Separable(const Scope& scope, const char* base_name, int dims, const Input& inputs,
                 int64_t filters, const SpatialSize& size, const SeparableConvOptions& options) {
  Convolution conv(scope, base_name, dims, inputs, filters, size, options);
  if (!conv.WindowFits()) return Output();
  if (options.channels_per_channel < 1) {
    scope.Fail(InvalidArgument(Describe(conv.layer, conv.x),
                               " needs a depth_multiplier of one or more, got ",
                               options.channels_per_channel));
    return Output();
  }
  const SeparableKernels kernels = MakeSeparableKernels(conv, filters, options);
  if (!conv.layer.ok()) return Output();
  if (dims == 2) {
    const Output y =
        SeparableOfImage(conv.layer, conv.window, conv.x, kernels.depthwise, kernels.pointwise);
    return conv.Activated(scope, conv.WithBias(y, kernels.bias, options), options);
  }
  Output y = conv.AsImage(
      conv.layer, {kernels.depthwise, kernels.pointwise},
      [&](const Window& flat, const Output& image, const std::vector<Output>& filters_of_image) {
        // The op strides alike in both directions; the one that is one high does not mind.
        Window even = flat;
        even.strides[0] = even.strides[1];
        return SeparableOfImage(conv.layer, even, image, filters_of_image[0], filters_of_image[1]);
      });
  y = conv.Squeezed(conv.layer, conv.WithBias(y, kernels.bias, options));
  return conv.Activated(scope, y, options);
}

}  // namespace

Output Conv1D(ScopeRef scope, const Input& inputs, int64_t filters, const SpatialSize& kernel_size,
              const ConvOptions& options) {
  return Conv(scope.scope(), "conv1d", 1, inputs, filters, kernel_size, options);
}

Output Conv2D(ScopeRef scope, const Input& inputs, int64_t filters, const SpatialSize& kernel_size,
              const ConvOptions& options) {
  return Conv(scope.scope(), "conv2d", 2, inputs, filters, kernel_size, options);
}

Output Conv3D(ScopeRef scope, const Input& inputs, int64_t filters, const SpatialSize& kernel_size,
              const ConvOptions& options) {
  return Conv(scope.scope(), "conv3d", 3, inputs, filters, kernel_size, options);
}

Output Conv2DTranspose(ScopeRef scope, const Input& inputs, int64_t filters,
                       const SpatialSize& kernel_size, const ConvOptions& options) {
  return Transposed(scope.scope(), "conv2d_transpose", 2, inputs, filters, kernel_size, options);
}

Output Conv3DTranspose(ScopeRef scope, const Input& inputs, int64_t filters,
                       const SpatialSize& kernel_size, const ConvOptions& options) {
  return Transposed(scope.scope(), "conv3d_transpose", 3, inputs, filters, kernel_size, options);
}

Output SeparableConv1D(ScopeRef scope, const Input& inputs, int64_t filters,
                       const SpatialSize& kernel_size, const SeparableConvOptions& options) {
  return Separable(scope.scope(), "separable_conv1d", 1, inputs, filters, kernel_size, options);
}

Output SeparableConv2D(ScopeRef scope, const Input& inputs, int64_t filters,
                       const SpatialSize& kernel_size, const SeparableConvOptions& options) {
  return Separable(scope.scope(), "separable_conv2d", 2, inputs, filters, kernel_size, options);
}

}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam
