#include "frontend/image/codecs.h"

#include <algorithm>

#include "frontend/build.h"
#include "frontend/image.h"
#include "frontend/math.h"
#include "frontend/random.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace image {
namespace {

OpAttrs JpegAttrs(int64_t channels, const DecodeJpegOptions& options) {
  return OpAttrs()
      .Set("channels", channels)
      .Set("ratio", options.downscale)
      .Set("fancy_upscaling", options.is_fancy)
      .Set("try_recover_truncated", options.recovers)
      .Set("acceptable_fraction", options.fraction)
      .Set("dct_method", options.method);
}

}  // namespace

Output DecodeJpeg(ScopeRef scope, const Input& contents, int64_t channels,
                  const DecodeJpegOptions& options) {
  return BuildOutput(scope.scope(), "DecodeJpeg", {contents}, JpegAttrs(channels, options));
}

Output DecodeAndCropJpeg(ScopeRef scope, const Input& contents, const Input& crop_window,
                         int64_t channels, const DecodeJpegOptions& options) {
  return BuildOutput(scope.scope(), "DecodeAndCropJpeg", {contents, crop_window},
                     JpegAttrs(channels, options));
}

Output DecodePng(ScopeRef scope, const Input& contents, int64_t channels, DType dtype) {
  return BuildOutput(scope.scope(), "DecodePng", {contents},
                     OpAttrs().Set("channels", channels).Set("dtype", dtype));
}

Output DecodeBmp(ScopeRef scope, const Input& contents, int64_t channels) {
  return BuildOutput(scope.scope(), "DecodeBmp", {contents}, OpAttrs().Set("channels", channels));
}

Output DecodeGif(ScopeRef scope, const Input& contents) {
  return BuildOutput(scope.scope(), "DecodeGif", {contents});
}

Output ExtractJpegShape(ScopeRef scope, const Input& contents, DType output_type) {
  return BuildOutput(scope.scope(), "ExtractJpegShape", {contents},
                     OpAttrs().Set("output_type", output_type));
}

Output IsJpeg(ScopeRef scope_ref, const Input& contents) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("is_jpeg");
  const Output begin = BuildOutput(inside, "Substr", {contents, 0, 3});
  return scope(Equal(inside, begin, std::string("\xff\xd8\xff")));
}

Output EncodeJpeg(ScopeRef scope, const Input& image, const EncodeJpegOptions& options) {
  return BuildOutput(scope.scope(), "EncodeJpeg", {image},
                     OpAttrs()
                         .Set("format", options.color_format)
                         .Set("quality", options.quality_value)
                         .Set("progressive", options.is_progressive)
                         .Set("optimize_size", options.optimizes)
                         .Set("chroma_downsampling", options.downsamples)
                         .Set("density_unit", options.unit)
                         .Set("x_density", options.across)
                         .Set("y_density", options.down)
                         .Set("xmp_metadata", options.metadata));
}

Output EncodePng(ScopeRef scope, const Input& image, int64_t compression) {
  return BuildOutput(scope.scope(), "EncodePng", {image},
                     OpAttrs().Set("compression", compression));
}

Output AdjustJpegQuality(ScopeRef scope_ref, const Output& image, const Input& jpeg_quality,
                         const std::string& dct_method) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("adjust_jpeg_quality");
  if (!scope.ok()) return Output();
  const PartialShape shape = image.shape();
  if (shape.rank() != 3) {
    scope.Fail(InvalidArgument("adjust_jpeg_quality: '", image.name(),
                               "' must be an image [height, ", "width, channels], its shape is ",
                               shape.ToString()));
    return Output();
  }
  const Output bytes = ConvertImageDtype(inside, image, DType::kUInt8, /*saturate=*/true);
  const Output file = BuildOutput(inside, "EncodeJpegVariableQuality", {bytes, jpeg_quality});
  const int64_t channels = std::max<int64_t>(shape.dim(2), 0);
  const Output decoded =
      DecodeJpeg(inside, file, channels, DecodeJpegOptions().dct_method(dct_method));
  if (!scope.ok()) return Output();
  return scope(ConvertImageDtype(inside, decoded, image.dtype(), /*saturate=*/true));
}

Output RandomJpegQuality(ScopeRef scope_ref, const Output& image, int64_t min_jpeg_quality,
                         int64_t max_jpeg_quality, std::optional<int64_t> seed) {
  const Scope scope = scope_ref.scope();
  if (min_jpeg_quality < 0 || max_jpeg_quality > 100 || min_jpeg_quality >= max_jpeg_quality) {
    scope.Fail(InvalidArgument("random_jpeg_quality: 0 <= min < max <= 100 must hold, got ",
                               min_jpeg_quality, " and ", max_jpeg_quality));
    return Output();
  }
  const Output quality =
      RandomUniform(scope.Named(""), std::vector<int>{}, static_cast<int>(min_jpeg_quality),
                    static_cast<int>(max_jpeg_quality), DType::kInt32, seed);
  return AdjustJpegQuality(scope, image, quality);
}

}  // namespace image
}  // namespace frontend
}  // namespace warpbeam
