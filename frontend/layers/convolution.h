// Convolution layers (tf.layers.conv1d, conv2d, conv3d, their transposes, separable_conv1d and
// separable_conv2d), with the weights made by the layer.
//
//   layers::ConvOptions options;
//   options.padding("same").activation(nn::Relu);
//   Output features = layers::Conv2D(scope, images, 64, 5, options);     // "conv2d/kernel"
//   Output smaller = layers::Conv2D(scope, features, 64, {3, 3}, options.strides(2));
//
// Inputs are [batch, spatial dimensions…, channels], with data_format("channels_first") [batch,
// channels, spatial dimensions…]; the channels must be known. A dilation is an attribute of the
// convolution here, where TensorFlow cuts space to batch; the numbers are the same.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; a shape that does
// not fit names the layer and the shape.
#ifndef WARPBEAM_FRONTEND_LAYERS_CONVOLUTION_H_
#define WARPBEAM_FRONTEND_LAYERS_CONVOLUTION_H_

#include <string>

#include "frontend/input.h"
#include "frontend/layers/layer_options.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace layers {

template <typename Options>
struct ConvolutionOptions : LayerOptions<Options> {
  Options& strides(SpatialSize value) {
    stride_sizes = std::move(value);
    return static_cast<Options&>(*this);
  }
  // Not together with strides above one.
  Options& dilation_rate(SpatialSize value) {
    dilation_sizes = std::move(value);
    return static_cast<Options&>(*this);
  }
  // "valid" or "same".
  Options& padding(std::string value) {
    padding_name = std::move(value);
    return static_cast<Options&>(*this);
  }
  // "channels_last" or "channels_first".
  Options& data_format(std::string value) {
    data_format_name = std::move(value);
    return static_cast<Options&>(*this);
  }

  SpatialSize stride_sizes = 1;
  SpatialSize dilation_sizes = 1;
  std::string padding_name = "valid";
  std::string data_format_name = "channels_last";
};

struct ConvOptions : ConvolutionOptions<ConvOptions> {};

// kernel_initializer and kernel_regularizer are those of the pointwise kernel.
struct SeparableConvOptions : ConvolutionOptions<SeparableConvOptions> {
  // How many channels come out of each channel before they are mixed.
  SeparableConvOptions& depth_multiplier(int value) {
    channels_per_channel = value;
    return *this;
  }
  SeparableConvOptions& depthwise_initializer(Initializer value) {
    initializer_of_depthwise = std::move(value);
    return *this;
  }
  SeparableConvOptions& depthwise_regularizer(Regularizer value) {
    regularizer_of_depthwise = std::move(value);
    return *this;
  }

  int channels_per_channel = 1;
  Initializer initializer_of_depthwise;
  Regularizer regularizer_of_depthwise;
};

Output Conv1D(ScopeRef scope, const Input& inputs, int64_t filters, const SpatialSize& kernel_size,
              const ConvOptions& options = ConvOptions());
Output Conv2D(ScopeRef scope, const Input& inputs, int64_t filters, const SpatialSize& kernel_size,
              const ConvOptions& options = ConvOptions());
Output Conv3D(ScopeRef scope, const Input& inputs, int64_t filters, const SpatialSize& kernel_size,
              const ConvOptions& options = ConvOptions());

// The gradient of a convolution as a layer: spatial dimensions grow by the strides.
Output Conv2DTranspose(ScopeRef scope, const Input& inputs, int64_t filters,
                       const SpatialSize& kernel_size, const ConvOptions& options = ConvOptions());
Output Conv3DTranspose(ScopeRef scope, const Input& inputs, int64_t filters,
                       const SpatialSize& kernel_size, const ConvOptions& options = ConvOptions());

// Each channel by itself ("depthwise_kernel"), then across channels ("pointwise_kernel").
Output SeparableConv1D(ScopeRef scope, const Input& inputs, int64_t filters,
                       const SpatialSize& kernel_size,
                       const SeparableConvOptions& options = SeparableConvOptions());
Output SeparableConv2D(ScopeRef scope, const Input& inputs, int64_t filters,
                       const SpatialSize& kernel_size,
                       const SeparableConvOptions& options = SeparableConvOptions());

}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_LAYERS_CONVOLUTION_H_
