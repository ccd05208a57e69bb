// Decoders of image files: PNG, JPEG, GIF and BMP, from bytes in memory to rows of pixels.
//
// A decoder reads the header, refuses what cannot be (more pixels than fit an int32, or than the
// bytes that are there can stand for), and only then asks for memory. Pixels are stored row after
// row, channels together; those of 16 bits in the host's byte order.
//
//   Status s = DecodePng(bytes, /*channels=*/3, /*bits=*/8, [&](const ImageSize& size) {
//     return Room(size);                                     // StatusOr<void*>
//   });
//
// Ownership: the memory is the caller's; after an error its content is of no use. Thread safety:
// pure. Errors: INVALID_ARGUMENT for files that are damaged, cut off or of an unknown kind, saying
// what is wrong with them; RESOURCE_EXHAUSTED where a codec gets no memory; whatever the callback
// returns.
#ifndef WARPBEAM_OPS_IMAGE_CODEC_IMAGE_DECODER_H_
#define WARPBEAM_OPS_IMAGE_CODEC_IMAGE_DECODER_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "graph/types/errors.h"

namespace warpbeam {

struct ImageSize {
  int64_t frames = 1;
  int64_t height = 0;
  int64_t width = 0;
  int channels = 0;
};
using AllocatePixels = absl::FunctionRef<StatusOr<void*>(const ImageSize&)>;

// Pixels of one image, all of its frames together.
inline constexpr int64_t kMaxPixels = int64_t{1} << 29;

// INVALID_ARGUMENT unless both extents are positive and there are fewer than kMaxPixels.
Status CheckImageSize(absl::string_view format, int64_t width, int64_t height, int64_t frames = 1);

// By the first bytes.
enum class ImageFormat { kUnknown, kJpeg, kPng, kGif, kBmp };
ImageFormat ClassifyImage(absl::string_view file);

// `channels` 0: as many as the file has. `bits` is 8 or 16.
Status DecodePng(absl::string_view file, int channels, int bits, AllocatePixels allocate);

struct JpegOptions {
  int channels = 0;  // 0, 1 or 3
  int ratio = 1;     // the image is made smaller by 1, 2, 4 or 8
  bool fancy_upscaling = true;
  bool fast_dct = true;  // as TensorFlow does unless told otherwise
  // What is cut off is filled with the last line instead of refused.
  bool try_recover_truncated = false;
  // Less than 1: an image is accepted when this share of its lines is there; the others are black.
  float acceptable_fraction = 1;
  bool crop = false;
  int crop_y = 0, crop_x = 0, crop_height = 0, crop_width = 0;
};
Status DecodeJpeg(absl::string_view file, const JpegOptions& options, AllocatePixels allocate);
// What the header says; nothing is decoded.
StatusOr<ImageSize> ReadJpegSize(absl::string_view file);

// Three channels. Each frame is drawn over the one before; the canvas is as large as the largest of
// them. Frames from the first damaged one on are left out; with `only_first` all but the first.
Status DecodeGif(absl::string_view file, bool only_first, AllocatePixels allocate);

// `channels` is 0 (as many as the file has), 3 or 4; anything else is INVALID_ARGUMENT.
Status DecodeBmp(absl::string_view file, int channels, AllocatePixels allocate);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_IMAGE_CODEC_IMAGE_DECODER_H_
