// Convolutions beside Conv2D (tf.nn.convolution, conv1d, conv3d, their transposes, atrous,
// depthwise and separable ones), dilation and erosion.
//
//   Output y = nn::Convolution(scope, x, filter, "SAME", nn::ConvolutionOptions().strides({2}));
//   Output z = nn::AtrousConv2D(scope, x, filter, /*rate=*/2, "VALID");
//   Output d = nn::DepthwiseConv2D(scope, x, depthwise, {1, 1, 1, 1}, "SAME");
//   Output up = nn::Conv2DTranspose(scope, y, filter, {8, 32, 32, 3}, {2});
//
// Strides and dilations are one number, one for each spatial dimension, or one for each dimension.
// Filters are [spatial sizes…, channels in, channels out]; those of transposed convolutions
// [spatial sizes…, channels out, channels in]. A data format that begins with "NC" has the channels
// first.
//
// Nodes and names are those that TensorFlow's functions of the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; sizes that do not
// fit, an unknown padding or data format are INVALID_ARGUMENT.
#ifndef WARPBEAM_FRONTEND_NN_CONVOLUTION_H_
#define WARPBEAM_FRONTEND_NN_CONVOLUTION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/nn.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace nn {

struct ConvolutionOptions {
  ConvolutionOptions& strides(std::vector<int64_t> value) {
    stride_list = std::move(value);
    return *this;
  }
  // Not together with strides above one.
  ConvolutionOptions& dilation_rate(std::vector<int64_t> value) {
    dilation_list = std::move(value);
    return *this;
  }
  // "" has the channels last.
  ConvolutionOptions& data_format(std::string value) {
    format = std::move(value);
    return *this;
  }

  std::vector<int64_t> stride_list = {1};
  std::vector<int64_t> dilation_list = {1};
  std::string format;
};

// Along 1, 2 or 3 spatial dimensions, as the filter has them. A dilated one is made of an undilated
// one between SpaceToBatchND and BatchToSpaceND.
Output Convolution(ScopeRef scope, const Input& input, const Input& filter,
                   const std::string& padding,
                   const ConvolutionOptions& options = ConvolutionOptions());

Output Conv1D(ScopeRef scope, const Input& value, const Input& filters, int64_t stride,
              const std::string& padding, const std::string& data_format = "NWC",
              int64_t dilation = 1);
Output Conv3D(ScopeRef scope, const Input& input, const Input& filter,
              const std::vector<int64_t>& strides, const std::string& padding,
              const std::string& data_format = "NDHWC",
              const std::vector<int64_t>& dilations = {1});

// The gradient of a convolution as a function of its own: `output_shape` is that of the result, a
// list of numbers or a tensor.
Output Conv1DTranspose(ScopeRef scope, const Input& input, const Input& filters,
                       const Input& output_shape, int64_t stride,
                       const std::string& padding = "SAME", const std::string& data_format = "NWC",
                       int64_t dilation = 1);
Output Conv2DTranspose(ScopeRef scope, const Input& value, const Input& filter,
                       const Input& output_shape, const std::vector<int64_t>& strides,
                       const std::string& padding = "SAME",
                       const Conv2DOptions& options = Conv2DOptions());
Output Conv3DTranspose(ScopeRef scope, const Input& value, const Input& filter,
                       const Input& output_shape, const std::vector<int64_t>& strides,
                       const std::string& padding = "SAME",
                       const std::string& data_format = "NDHWC",
                       const std::vector<int64_t>& dilations = {1});
// The one of these for so many dimensions as `output_shape` says. "" has the channels last.
Output ConvTranspose(ScopeRef scope, const Input& input, const Input& filters,
                     const Input& output_shape, const std::vector<int64_t>& strides,
                     const std::string& padding = "SAME", const std::string& data_format = "",
                     const std::vector<int64_t>& dilations = {1});

// What flows back into the input and the filter of a convolution.
Output Conv2DBackpropInput(ScopeRef scope, const Input& input_sizes, const Input& filter,
                           const Input& out_backprop, const std::vector<int64_t>& strides,
                           const std::string& padding,
                           const Conv2DOptions& options = Conv2DOptions());
Output Conv2DBackpropFilter(ScopeRef scope, const Input& input, const Input& filter_sizes,
                            const Input& out_backprop, const std::vector<int64_t>& strides,
                            const std::string& padding,
                            const Conv2DOptions& options = Conv2DOptions());
Output Conv3DBackpropFilter(ScopeRef scope, const Input& input, const Input& filter_sizes,
                            const Input& out_backprop, const std::vector<int64_t>& strides,
                            const std::string& padding, const std::string& data_format = "NDHWC",
                            const std::vector<int64_t>& dilations = {1});

// With `rate` - 1 zeros between the elements of the filter.
Output AtrousConv2D(ScopeRef scope, const Input& value, const Input& filters, int64_t rate,
                    const std::string& padding);
// `output_shape` [batch, height, width, channels] must be known.
Output AtrousConv2DTranspose(ScopeRef scope, const Input& value, const Input& filters,
                             const std::vector<int64_t>& output_shape, int64_t rate,
                             const std::string& padding);

struct DepthwiseOptions {
  // Of height and width; not together with strides above one.
  DepthwiseOptions& rate(std::vector<int64_t> value) {
    dilation_list = std::move(value);
    return *this;
  }
  DepthwiseOptions& data_format(std::string value) {
    format = std::move(value);
    return *this;
  }

  std::vector<int64_t> dilation_list = {1, 1};
  std::string format = "NHWC";
};

// Each channel by itself; `filter` is [height, width, channels, results of each channel].
Output DepthwiseConv2D(ScopeRef scope, const Input& input, const Input& filter,
                       const std::vector<int64_t>& strides, const std::string& padding,
                       const DepthwiseOptions& options = DepthwiseOptions());
// Then across channels; `pointwise_filter` is [1, 1, channels in, channels out].
Output SeparableConv2D(ScopeRef scope, const Input& input, const Input& depthwise_filter,
                       const Input& pointwise_filter, const std::vector<int64_t>& strides,
                       const std::string& padding,
                       const DepthwiseOptions& options = DepthwiseOptions());

// The operation itself, which takes dilations as an attribute, and its gradients.
Output DepthwiseConv2DNative(ScopeRef scope, const Input& input, const Input& filter,
                             const std::vector<int64_t>& strides, const std::string& padding,
                             const Conv2DOptions& options = Conv2DOptions());
Output DepthwiseConv2DNativeBackpropInput(ScopeRef scope, const Input& input_sizes,
                                          const Input& filter, const Input& out_backprop,
                                          const std::vector<int64_t>& strides,
                                          const std::string& padding,
                                          const Conv2DOptions& options = Conv2DOptions());
Output DepthwiseConv2DNativeBackpropFilter(ScopeRef scope, const Input& input,
                                           const Input& filter_sizes, const Input& out_backprop,
                                           const std::vector<int64_t>& strides,
                                           const std::string& padding,
                                           const Conv2DOptions& options = Conv2DOptions());

// The largest sum, and the smallest difference, of a window and the filter [height, width,
// channels].
Output Dilation2D(ScopeRef scope, const Input& input, const Input& filter,
                  const std::vector<int64_t>& strides, const std::vector<int64_t>& rates,
                  const std::string& padding);
Output Erosion2D(ScopeRef scope, const Input& value, const Input& kernel,
                 const std::vector<int64_t>& strides, const std::vector<int64_t>& rates,
                 const std::string& padding);

// Something along the spatial dimensions, "SAME" or "VALID": a convolution or a pooling.
using SpatialFunction =
    std::function<Output(const Scope& scope, const Output& input, const std::string& padding)>;

struct SpaceToBatchOptions {
  // The sizes of the window along the spatial dimensions; needed for "SAME".
  SpaceToBatchOptions& filter_shape(std::vector<int64_t> value) {
    window = std::move(value);
    return *this;
  }
  SpaceToBatchOptions& data_format(std::string value) {
    format = std::move(value);
    return *this;
  }

  std::vector<int64_t> window;
  std::string format;
};

// `op` as if its window were dilated: applied to every dilation_rate-th element.
Output WithSpaceToBatch(ScopeRef scope, const Input& input,
                        const std::vector<int64_t>& dilation_rate, const std::string& padding,
                        const SpatialFunction& op,
                        const SpaceToBatchOptions& options = SpaceToBatchOptions());

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_NN_CONVOLUTION_H_
