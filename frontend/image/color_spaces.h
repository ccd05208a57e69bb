// Images in other colours (tf.image.rgb_to_grayscale, rgb_to_hsv, rgb_to_yuv, adjust_gamma…).
//
//   Output grey = image::RgbToGrayscale(scope, images);          // [n, h, w, 1]
//   Output back = image::YuvToRgb(scope, image::RgbToYuv(scope, images));
//
// The last dimension is the colour's channels. HSV, YIQ and YUV are of floats from 0 to 1.
//
// Nodes and names are those that TensorFlow's functions of the same name make, but for the matrix
// product of YIQ, YUV and grey, which is one multiplication of matrices here.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; images that have
// not the channels are INVALID_ARGUMENT.
#ifndef WARPBEAM_FRONTEND_IMAGE_COLOR_SPACES_H_
#define WARPBEAM_FRONTEND_IMAGE_COLOR_SPACES_H_

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace image {

Output RgbToGrayscale(ScopeRef scope, const Output& images);
Output GrayscaleToRgb(ScopeRef scope, const Output& images);

Output RgbToHsv(ScopeRef scope, const Input& images);
Output HsvToRgb(ScopeRef scope, const Input& images);
Output RgbToYiq(ScopeRef scope, const Output& images);
Output YiqToRgb(ScopeRef scope, const Output& images);
Output RgbToYuv(ScopeRef scope, const Output& images);
Output YuvToRgb(ScopeRef scope, const Output& images);

// gain * image ^ gamma, of images as floats from 0 to 1.
Output AdjustGamma(ScopeRef scope, const Output& images, const Input& gamma = 1.0,
                   const Input& gain = 1.0);

}  // namespace image
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_IMAGE_COLOR_SPACES_H_
