// Images turned, cut and in other sizes, beside those of frontend/image.h (tf.image.rot90,
// central_crop, resize_image_with_pad, resize_bilinear, extract_image_patches).
//
//   Output upright = image::Rot90(scope, photo, /*k=*/3);
//   Output middle = image::CentralCrop(scope, photo, 0.5);
//   Output whole = image::ResizeImageWithPad(scope, photo, 224, 224);
//   Output patches = image::ExtractImagePatches(scope, images, {3, 3}, {5, 5}, {1, 1}, "VALID");
//
// Nodes and names are those that TensorFlow's functions of the same name make, but for images whose
// size is known: what follows from it is computed while the graph is built.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; the rank must be
// known.
#ifndef WARPBEAM_FRONTEND_IMAGE_GEOMETRY_H_
#define WARPBEAM_FRONTEND_IMAGE_GEOMETRY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/image.h"
#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace image {

// A quarter turn to the left, k times; a negative k turns to the right.
Output Rot90(ScopeRef scope, const Output& images, const Input& k = 1);

// The middle of the images, `central_fraction` (above 0, up to 1) of their height and width.
Output CentralCrop(ScopeRef scope, const Output& images, double central_fraction);

// As large as fits without another ratio of height and width, with zeros around it. Height and
// width of the images must be known.
Output ResizeImageWithPad(ScopeRef scope, const Output& images, int64_t target_height,
                          int64_t target_width, ResizeMethod method = ResizeMethod::kBilinear,
                          bool align_corners = false);

// The operations themselves: of a batch [n, height, width, channels] to `size` {height, width}.
Output ResizeBilinear(ScopeRef scope, const Input& images, const Input& size,
                      bool align_corners = false, bool half_pixel_centers = false);
Output ResizeNearestNeighbor(ScopeRef scope, const Input& images, const Input& size,
                             bool align_corners = false, bool half_pixel_centers = false);
Output ResizeBicubic(ScopeRef scope, const Input& images, const Input& size,
                     bool align_corners = false, bool half_pixel_centers = false);
Output ResizeArea(ScopeRef scope, const Input& images, const Input& size,
                  bool align_corners = false);

// Parts of the images of the size `ksizes`, `strides` apart, each laid into the channels of one
// pixel: [n, rows, columns, height * width * channels]. A part takes every rates-th pixel. Lists
// have the numbers of height and width, or of all four dimensions.
Output ExtractImagePatches(ScopeRef scope, const Input& images, const std::vector<int64_t>& ksizes,
                           const std::vector<int64_t>& strides, const std::vector<int64_t>& rates,
                           const std::string& padding);
inline Output ExtractPatches(ScopeRef scope, const Input& images, const std::vector<int64_t>& sizes,
                             const std::vector<int64_t>& strides, const std::vector<int64_t>& rates,
                             const std::string& padding) {
  return ExtractImagePatches(scope, images, sizes, strides, rates, padding);
}

// Other names of frontend/image.h's.
inline Output Transpose(ScopeRef scope, const Output& images) {
  return TransposeImage(scope, images);
}
inline Output Resize(ScopeRef scope, const Output& images, int64_t height, int64_t width,
                     ResizeMethod method = ResizeMethod::kBilinear, bool align_corners = false) {
  return ResizeImages(scope, images, height, width, method, align_corners);
}
inline Output ResizeWithCropOrPad(ScopeRef scope, const Output& images, int64_t target_height,
                                  int64_t target_width) {
  return ResizeImageWithCropOrPad(scope, images, target_height, target_width);
}

}  // namespace image
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_IMAGE_GEOMETRY_H_
