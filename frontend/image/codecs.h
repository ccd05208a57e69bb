// Images as files: decoders and encoders of single formats, and what JPEG loses
// (tf.image.decode_jpeg, encode_png, adjust_jpeg_quality…). image::DecodeImage takes any format.
//
//   Output image = image::DecodeJpeg(scope, contents, 3);
//   Output part = image::DecodeAndCropJpeg(scope, contents, {10, 20, 64, 64}, 3);
//   Output png = image::EncodePng(scope, image);
//
// `channels` 0: as many as the file has. Nodes and names are those that TensorFlow's functions of
// the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; a file that is not
// of its format fails the step.
#ifndef WARPBEAM_FRONTEND_IMAGE_CODECS_H_
#define WARPBEAM_FRONTEND_IMAGE_CODECS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace image {

struct DecodeJpegOptions {
  // 1, 2, 4 or 8: smaller by so much.
  DecodeJpegOptions& ratio(int64_t value) {
    downscale = value;
    return *this;
  }
  DecodeJpegOptions& fancy_upscaling(bool value) {
    is_fancy = value;
    return *this;
  }
  DecodeJpegOptions& try_recover_truncated(bool value) {
    recovers = value;
    return *this;
  }
  // The part of the lines that must be there.
  DecodeJpegOptions& acceptable_fraction(float value) {
    fraction = value;
    return *this;
  }
  // "INTEGER_FAST" or "INTEGER_ACCURATE"; "" leaves it to the decoder.
  DecodeJpegOptions& dct_method(std::string value) {
    method = std::move(value);
    return *this;
  }

  int64_t downscale = 1;
  bool is_fancy = true;
  bool recovers = false;
  float fraction = 1;
  std::string method;
};

Output DecodeJpeg(ScopeRef scope, const Input& contents, int64_t channels = 0,
                  const DecodeJpegOptions& options = DecodeJpegOptions());
// Only the part `crop_window` = {top, left, height, width}.
Output DecodeAndCropJpeg(ScopeRef scope, const Input& contents, const Input& crop_window,
                         int64_t channels = 0,
                         const DecodeJpegOptions& options = DecodeJpegOptions());
Output DecodePng(ScopeRef scope, const Input& contents, int64_t channels = 0,
                 DType dtype = DType::kUInt8);
Output DecodeBmp(ScopeRef scope, const Input& contents, int64_t channels = 0);
// [images, height, width, 3].
Output DecodeGif(ScopeRef scope, const Input& contents);
// Height, width and channels, without decoding.
Output ExtractJpegShape(ScopeRef scope, const Input& contents, DType output_type = DType::kInt32);
// Whether the file begins as a JPEG does.
Output IsJpeg(ScopeRef scope, const Input& contents);

struct EncodeJpegOptions {
  // "grayscale", "rgb"; "" as the image is.
  EncodeJpegOptions& format(std::string value) {
    color_format = std::move(value);
    return *this;
  }
  // From 0 to 100.
  EncodeJpegOptions& quality(int64_t value) {
    quality_value = value;
    return *this;
  }
  EncodeJpegOptions& progressive(bool value) {
    is_progressive = value;
    return *this;
  }
  EncodeJpegOptions& optimize_size(bool value) {
    optimizes = value;
    return *this;
  }
  EncodeJpegOptions& chroma_downsampling(bool value) {
    downsamples = value;
    return *this;
  }
  // "in" or "cm".
  EncodeJpegOptions& density_unit(std::string value) {
    unit = std::move(value);
    return *this;
  }
  EncodeJpegOptions& x_density(int64_t value) {
    across = value;
    return *this;
  }
  EncodeJpegOptions& y_density(int64_t value) {
    down = value;
    return *this;
  }
  EncodeJpegOptions& xmp_metadata(std::string value) {
    metadata = std::move(value);
    return *this;
  }

  std::string color_format;
  int64_t quality_value = 95;
  bool is_progressive = false;
  bool optimizes = false;
  bool downsamples = true;
  std::string unit = "in";
  int64_t across = 300;
  int64_t down = 300;
  std::string metadata;
};

Output EncodeJpeg(ScopeRef scope, const Input& image,
                  const EncodeJpegOptions& options = EncodeJpegOptions());
// `compression` from 0 to 9; -1 leaves it to the encoder.
Output EncodePng(ScopeRef scope, const Input& image, int64_t compression = -1);

// What is left of an image as a JPEG of this quality, from 0 to 100.
Output AdjustJpegQuality(ScopeRef scope, const Output& image, const Input& jpeg_quality,
                         const std::string& dct_method = "");
// Of a quality drawn from [min, max).
Output RandomJpegQuality(ScopeRef scope, const Output& image, int64_t min_jpeg_quality,
                         int64_t max_jpeg_quality, std::optional<int64_t> seed = std::nullopt);

}  // namespace image
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_IMAGE_CODECS_H_
