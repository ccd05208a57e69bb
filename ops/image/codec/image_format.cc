#include "absl/strings/match.h"
#include "ops/image/codec/image_decoder.h"

namespace warpbeam {

ImageFormat ClassifyImage(absl::string_view file) {
  if (absl::StartsWith(file, "\xff\xd8\xff")) return ImageFormat::kJpeg;
  if (absl::StartsWith(file, "\x89PNG\r\n\x1a\n")) return ImageFormat::kPng;
  if (absl::StartsWith(file, "GIF8")) return ImageFormat::kGif;
  if (absl::StartsWith(file, "BM")) return ImageFormat::kBmp;
  return ImageFormat::kUnknown;
}

Status CheckImageSize(absl::string_view format, int64_t width, int64_t height, int64_t frames) {
  constexpr int64_t kMaxExtent = int64_t{1} << 27;
  if (width > 0 && height > 0 && width < kMaxExtent && height < kMaxExtent &&
      width * height < kMaxPixels && frames * (width * height) < kMaxPixels) {
    return OkStatus();
  }
  return InvalidArgument(format, " image of a size that cannot be decoded: ", width, " x ", height,
                         " pixels, ", frames, " frames");
}

}  // namespace warpbeam
