// Images (tf.image): distortions for training, sizes, and conversion between 0..255 and 0..1.
//
//   Output image = Cast(scope, pixels, DType::kFloat);                   // [32, 32, 3]
//   image = RandomCrop(scope, image, {24, 24, 3});
//   image = image::RandomFlipLeftRight(scope, image);
//   image = image::RandomBrightness(scope, image, 63);
//   image = image::RandomContrast(scope, image, 0.2, 1.8);
//   image = image::PerImageStandardization(scope, image);
//
// An image is [height, width, channels]; where "images" is said, a batch [n, height, width,
// channels] too. Images of an integer type are computed with as floats from 0 to 1 and become what
// they were. Decoders are ops (ops::DecodeJpeg, ops::DecodePng in frontend/ops/image_ops.h).
//
// Nodes and names are those that TensorFlow's functions of the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; the rank must be
// known, and where a function says so height and width too (Output::set_shape tells what inference
// does not know). Sizes that are not known are checked in each step.
#ifndef WARPBEAM_FRONTEND_IMAGE_H_
#define WARPBEAM_FRONTEND_IMAGE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// A part of `value` of this size (a list with a number for each dimension), anywhere in it
// (tf.random_crop).
Output RandomCrop(ScopeRef scope, const Input& value, const Input& size,
                  std::optional<int64_t> seed = std::nullopt);

namespace image {

Output FlipLeftRight(ScopeRef scope, const Output& images);
Output FlipUpDown(ScopeRef scope, const Output& images);
Output TransposeImage(ScopeRef scope, const Output& images);
// Flips every second time; of a batch each image for itself.
Output RandomFlipLeftRight(ScopeRef scope, const Output& images,
                           std::optional<int64_t> seed = std::nullopt);
Output RandomFlipUpDown(ScopeRef scope, const Output& images,
                        std::optional<int64_t> seed = std::nullopt);

// Adds `delta` to every value.
Output AdjustBrightness(ScopeRef scope, const Output& images, const Input& delta);
// The distance of every value from the mean of its channel, times `factor`.
Output AdjustContrast(ScopeRef scope, const Output& images, const Input& factor);
// Turns the hue by `delta`, from -1 to 1.
Output AdjustHue(ScopeRef scope, const Output& images, const Input& delta);
Output AdjustSaturation(ScopeRef scope, const Output& images, const Input& factor);
// The same by something drawn from [-max_delta, max_delta) or [lower, upper).
Output RandomBrightness(ScopeRef scope, const Output& images, double max_delta,
                        std::optional<int64_t> seed = std::nullopt);
Output RandomContrast(ScopeRef scope, const Output& images, double lower, double upper,
                      std::optional<int64_t> seed = std::nullopt);
Output RandomHue(ScopeRef scope, const Output& images, double max_delta,
                 std::optional<int64_t> seed = std::nullopt);
Output RandomSaturation(ScopeRef scope, const Output& images, double lower, double upper,
                        std::optional<int64_t> seed = std::nullopt);

// Each image with the mean 0 and the standard deviation 1, in floats. One of a single colour
// becomes 0.
Output PerImageStandardization(ScopeRef scope, const Output& images);

enum class ResizeMethod { kBilinear, kNearestNeighbor, kBicubic, kArea };
// To `height` times `width`. Nearest neighbours keep the type, the others give floats.
Output ResizeImages(ScopeRef scope, const Output& images, int64_t height, int64_t width,
                    ResizeMethod method = ResizeMethod::kBilinear, bool align_corners = false);

// The part whose upper left corner is at (offset_height, offset_width). Height and width of the
// images must be known here and below.
Output CropToBoundingBox(ScopeRef scope, const Output& images, int64_t offset_height,
                         int64_t offset_width, int64_t target_height, int64_t target_width);
// The opposite: zeros around the images.
Output PadToBoundingBox(ScopeRef scope, const Output& images, int64_t offset_height,
                        int64_t offset_width, int64_t target_height, int64_t target_width);
// The middle of the images, with zeros around it where they are too small.
Output ResizeImageWithCropOrPad(ScopeRef scope, const Output& images, int64_t target_height,
                                int64_t target_width);

// Floats are from 0 to 1, integers from 0 to the largest of their type. With `saturate` what does
// not fit becomes the nearest value that does.
Output ConvertImageDtype(ScopeRef scope, const Output& images, DType dtype, bool saturate = false);

// A BMP, GIF, JPEG or PNG file, whatever it is. `channels` 0: as many as the file has. GIFs have a
// dimension more, or only their first image without `expand_animations`.
Output DecodeImage(ScopeRef scope, const Input& contents, int64_t channels = 0,
                   DType dtype = DType::kUInt8, bool expand_animations = true);

}  // namespace image
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_IMAGE_H_
