#include <png.h>

#include <csetjmp>
#include <cstring>
#include <string>

#include "ops/image/codec/image_decoder.h"

namespace warpbeam {
namespace {

// What deflate makes of one byte at most.
constexpr int64_t kMostInflated = 1032;

struct Source {
  absl::string_view rest;
  std::string error;
};

// libpng wants an error to leave its functions; nothing between here and setjmp has a destructor.
[[noreturn]] void OnError(png_structp png, png_const_charp message) {
  static_cast<Source*>(png_get_error_ptr(png))->error = message;
  png_longjmp(png, 1);
}
void OnWarning(png_structp, png_const_charp) {}
void OnRead(png_structp png, png_bytep to, size_t size) {
  Source* source = static_cast<Source*>(png_get_io_ptr(png));
  if (size > source->rest.size()) png_error(png, "the file ends too early");
  memcpy(to, source->rest.data(), size);
  source->rest.remove_prefix(size);
}

// One file. Whatever calls libpng is a function of its own around a setjmp, without objects.
class PngReader {
 public:
  explicit PngReader(absl::string_view file) : source_{file, {}} {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source_, OnError, OnWarning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  bool has_memory() const { return info_ != nullptr; }
  const std::string& error() const { return source_.error; }
  int64_t width() const { return width_; }
  int64_t height() const { return height_; }
  int channels() const { return channels_; }
  // Bytes that the image has before it is compressed, the filters' numbers among them.
  int64_t raw_bytes() const { return (static_cast<int64_t>(raw_row_) + 1) * height_; }
  // The rows come with 8 bits a channel although 16 were asked for.
  bool is_narrow() const { return is_narrow_; }

  bool ReadHeader() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_set_read_fn(png_, &source_, OnRead);
    png_read_info(png_, info_);
    width_ = png_get_image_width(png_, info_);
    height_ = png_get_image_height(png_, info_);
    depth_ = png_get_bit_depth(png_, info_);
    color_ = png_get_color_type(png_, info_);
    raw_row_ = png_get_rowbytes(png_, info_);
    return true;
  }

  bool SetTransforms(int channels, int bits) {
    if (setjmp(png_jmpbuf(png_))) return false;
    const bool has_key = png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
    const bool has_alpha = (color_ & PNG_COLOR_MASK_ALPHA) != 0;
    const bool is_palette = color_ == PNG_COLOR_TYPE_PALETTE;
    channels_ = channels != 0 ? channels
                : is_palette  ? (has_key ? 4 : 3)
                              : png_get_channels(png_, info_);
    if (channels_ % 2 == 1) {
      if (has_alpha || has_key) png_set_strip_alpha(png_);
    } else if (!has_alpha && has_key) {
      png_set_tRNS_to_alpha(png_);
    } else if (!has_alpha) {
      png_set_add_alpha(png_, (1u << depth_) - 1, PNG_FILLER_AFTER);
    }
    if (depth_ > 8 && bits <= 8) png_set_strip_16(png_);
    if (depth_ > 8 && bits > 8) png_set_swap(png_);
    is_narrow_ = depth_ <= 8 && bits > 8;
    png_set_packing(png_);
    passes_ = png_set_interlace_handling(png_);
    if (is_palette) png_set_palette_to_rgb(png_);
    const bool is_gray = (color_ & PNG_COLOR_MASK_COLOR) == 0;
    if (is_gray && depth_ < 8) png_set_expand_gray_1_2_4_to_8(png_);
    if (channels_ < 3 && !is_gray) {
      png_set_rgb_to_gray(png_, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
    } else if (channels_ >= 3 && is_gray) {
      png_set_gray_to_rgb(png_);
    }
    png_read_update_info(png_, info_);
    row_ = png_get_rowbytes(png_, info_);
    return true;
  }

  // Bytes that a row is written with.
  size_t row_bytes() const { return row_; }

  bool ReadRows(uint8_t* pixels, size_t stride) {
    if (setjmp(png_jmpbuf(png_))) return false;
    for (int pass = 0; pass < passes_; ++pass) {
      for (int64_t y = 0; y < height_; ++y) {
        png_read_row(png_, pixels + static_cast<size_t>(y) * stride, nullptr);
      }
    }
    png_read_end(png_, info_);
    return true;
  }

 private:
  Source source_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int64_t width_ = 0, height_ = 0;
  int depth_ = 0, color_ = 0, channels_ = 0, passes_ = 1;
  size_t raw_row_ = 0, row_ = 0;
  bool is_narrow_ = false;
};

// Each row has its bytes at its beginning: from the last on, each becomes 16 bits.
void Widen(uint8_t* pixels, int64_t rows, int64_t row) {
  for (int64_t y = 0; y < rows; ++y) {
    uint8_t* const from = pixels + y * row * 2;
    for (int64_t i = row - 1; i >= 0; --i) {
      const uint16_t wide = static_cast<uint16_t>(from[i] * 257);
      memcpy(from + 2 * i, &wide, 2);
    }
  }
}

}  // namespace

Status DecodePng(absl::string_view file, int channels, int bits, AllocatePixels allocate) {
  PngReader reader(file);
  if (!reader.has_memory()) return ResourceExhausted("no memory to decode a PNG image");
  if (!reader.ReadHeader()) return InvalidArgument("Invalid PNG header: ", reader.error());
  WB_RETURN_IF_ERROR(CheckImageSize("PNG", reader.width(), reader.height()));
  if (reader.raw_bytes() / kMostInflated > static_cast<int64_t>(file.size())) {
    return InvalidArgument("Invalid PNG data: ", file.size(), " bytes cannot hold ", reader.width(),
                           " x ", reader.height(), " pixels");
  }
  if (!reader.SetTransforms(channels, bits)) {
    return InvalidArgument("Invalid PNG header: ", reader.error());
  }
  const ImageSize size{1, reader.height(), reader.width(), reader.channels()};
  const int64_t row = size.width * size.channels;
  const int64_t stride = row * (bits / 8);
  if (static_cast<int64_t>(reader.row_bytes()) != (reader.is_narrow() ? row : stride)) {
    return InvalidArgument("Invalid PNG data: its colours cannot be turned into ", size.channels,
                           " channels of ", bits, " bits");
  }
  WB_ASSIGN_OR_RETURN(void* const room, allocate(size));
  uint8_t* const pixels = static_cast<uint8_t*>(room);
  if (!reader.ReadRows(pixels, static_cast<size_t>(stride))) {
    return InvalidArgument("Invalid PNG data of ", file.size(), " bytes: ", reader.error());
  }
  if (reader.is_narrow()) Widen(pixels, size.height, row);
  return OkStatus();
}

}  // namespace warpbeam
