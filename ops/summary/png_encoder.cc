#include "ops/summary/png_encoder.h"

#include <png.h>

#include <csetjmp>

namespace warpbeam {
namespace {

struct Output {
  std::string bytes;
  std::string error;
};

// libpng wants an error to leave its functions; nothing between here and setjmp has a destructor.
void OnError(png_structp png, png_const_charp message) {
  static_cast<Output*>(png_get_error_ptr(png))->error = message;
  longjmp(png_jmpbuf(png), 1);
}
void OnWarning(png_structp, png_const_charp) {}
void OnData(png_structp png, png_bytep data, png_size_t size) {
  static_cast<Output*>(png_get_io_ptr(png))->bytes.append(reinterpret_cast<char*>(data), size);
}
void OnFlush(png_structp) {}

bool Write(png_structp png, png_infop info, const uint8_t* pixels, uint32_t width, uint32_t height,
           int channels) {
  static constexpr int kColorTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                        PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGBA};
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_IHDR(png, info, width, height, 8, kColorTypes[channels - 1], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const size_t row = static_cast<size_t>(width) * channels;
  for (uint32_t y = 0; y < height; ++y) png_write_row(png, pixels + y * row);
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

StatusOr<std::string> EncodePng(const uint8_t* pixels, int64_t width, int64_t height,
                                int channels) {
  if (width < 1 || height < 1 || width > 0x7fffffff || height > 0x7fffffff || channels < 1 ||
      channels > 4) {
    return InvalidArgument("a PNG image cannot be of ", width, " x ", height, " pixels of ",
                           channels, " channels");
  }
  Output output;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &output, OnError, OnWarning);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  if (info == nullptr) {
    png_destroy_write_struct(&png, nullptr);
    return ResourceExhausted("no memory to encode a PNG image");
  }
  png_set_write_fn(png, &output, OnData, OnFlush);
  // libpng's own limit is a million pixels a side.
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
  const bool ok = Write(png, info, pixels, static_cast<uint32_t>(width),
                        static_cast<uint32_t>(height), channels);
  png_destroy_write_struct(&png, &info);
  if (!ok) return Internal("cannot encode a PNG image: ", output.error);
  return std::move(output.bytes);
}

}  // namespace warpbeam
