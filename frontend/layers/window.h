// Where the windows of a convolution or pooling layer lie: options, checked and in the form of the
// ops' attributes.
//
// Internal to the layers.
//
//   WB_ASSIGN_OR_RETURN(Window window,
//                       Window::Make(2, kernel, strides, 1, "same", "channels_last"));
//   window.strides == std::vector<int64_t>{1, 2, 2, 1};
//   window.padding == "SAME";   window.format == "NHWC"
//
// Ownership: a value. Thread safety: a value. Errors: INVALID_ARGUMENT naming the option.
#ifndef WARPBEAM_FRONTEND_LAYERS_WINDOW_H_
#define WARPBEAM_FRONTEND_LAYERS_WINDOW_H_

#include <string>
#include <vector>

#include "frontend/layers/layer_options.h"

namespace warpbeam {
namespace frontend {
namespace layers {

struct Window {
  static StatusOr<Window> Make(int dims, const SpatialSize& size, const SpatialSize& strides,
                               const SpatialSize& dilations, const std::string& padding,
                               const std::string& data_format);

  // Sizes along the spatial dimensions as one of all dimensions, with ones for batch and channels.
  std::vector<int64_t> OfAll(const std::vector<int64_t>& spatial) const;
  std::vector<int64_t> all_strides() const { return OfAll(strides); }
  // The dimension of the channels, and the first spatial one.
  int channel_axis() const { return channels_first ? 1 : dims + 1; }
  int first_spatial() const { return channels_first ? 2 : 1; }
  bool dilated() const;
  // An error when a window without padding is larger than inputs of this shape.
  Status CheckFits(const PartialShape& inputs) const;
  // A transposed convolution makes this of a spatial dimension `index` of extent `extent`.
  int64_t TransposedExtent(int index, int64_t extent) const;

  int dims = 2;
  std::vector<int64_t> size, strides, dilations;
  std::string padding;  // "SAME" or "VALID"
  bool channels_first = false;
  std::string format;       // of the op: "NHWC", "NCDHW"…
  std::string flat_format;  // of one and two dimensions, and of biases: "NHWC" or "NCHW"
};

}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_LAYERS_WINDOW_H_
