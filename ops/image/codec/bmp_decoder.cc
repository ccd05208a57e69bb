#include <cstdlib>
#include <cstring>

#include "ops/image/codec/image_decoder.h"

namespace warpbeam {
namespace {

// Where the header's fields begin; all are little-endian, as the host is.
constexpr size_t kPixelsAt = 10, kWidthAt = 18, kHeightAt = 22, kBitsAt = 28;
constexpr size_t kLeastBytes = 32;

template <class T>
T Field(absl::string_view file, size_t at) {
  T value;
  memcpy(&value, file.data() + at, sizeof(value));
  return value;
}

// BMP keeps blue first. Grey is spread over three channels, a fourth one is dropped or opaque.
void CopyRow(const uint8_t* from, int64_t width, int from_channels, int channels, uint8_t* to) {
  for (int64_t x = 0; x < width; ++x, from += from_channels, to += channels) {
    if (from_channels == 1) {
      for (int c = 0; c < channels && c < 3; ++c) to[c] = from[0];
    } else {
      for (int c = 0; c < 3; ++c) to[c] = from[2 - c];
    }
    if (channels == 4) to[3] = from_channels == 4 ? from[3] : 255;
  }
}

}  // namespace

Status DecodeBmp(absl::string_view file, int channels, AllocatePixels allocate) {
  if (file.size() < kLeastBytes) {
    return InvalidArgument("Incomplete bmp content, requires at least ", kLeastBytes,
                           " bytes to find the header size, width, height, and bpp, got ",
                           file.size(), " bytes");
  }
  if (channels != 0 && channels != 3 && channels != 4) {
    return InvalidArgument(
        "BMP images are decoded to 3 or 4 channels, or to as many as they have (0); ", "got ",
        channels);
  }
  const int64_t pixels_at = Field<int32_t>(file, kPixelsAt);
  const int64_t width = Field<int32_t>(file, kWidthAt);
  const int64_t signed_height = Field<int32_t>(file, kHeightAt);
  const int bits = Field<int16_t>(file, kBitsAt);
  const int from_channels = bits / 8;
  if (from_channels != 1 && from_channels != 3 && from_channels != 4) {
    return InvalidArgument("Number of channels inherent in the image must be 1, 3 or 4, was ",
                           from_channels);
  }
  if (pixels_at < 0) return InvalidArgument("header size must be nonnegative, got ", pixels_at);
  // A negative height: the first row comes first.
  const int64_t height = std::abs(signed_height);
  WB_RETURN_IF_ERROR(CheckImageSize("BMP", width, height));
  const int64_t row = (from_channels * width + 3) / 4 * 4;
  const int64_t needed = pixels_at + height * row;
  if (needed > static_cast<int64_t>(file.size())) {
    return InvalidArgument("Incomplete bmp content, requires at least ", needed, " bytes, got ",
                           file.size(), " bytes");
  }
  if (channels == 0) channels = from_channels;
  WB_ASSIGN_OR_RETURN(void* const room, allocate({1, height, width, channels}));
  uint8_t* const pixels = static_cast<uint8_t*>(room);
  const uint8_t* const from = reinterpret_cast<const uint8_t*>(file.data()) + pixels_at;
  for (int64_t y = 0; y < height; ++y) {
    const int64_t source = signed_height < 0 ? y : height - 1 - y;
    CopyRow(from + source * row, width, from_channels, channels, pixels + y * width * channels);
  }
  return OkStatus();
}

}  // namespace warpbeam
