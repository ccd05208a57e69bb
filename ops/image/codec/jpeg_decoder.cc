#include <cstddef>
#include <cstdio>
// jpeglib.h wants the two above.
#include <jpeglib.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <string>
#include <vector>

#include "ops/image/codec/image_decoder.h"

namespace warpbeam {
namespace {

// A block of 64 samples takes a bit at least, and a block of colour may stand for 16 of them.
constexpr int64_t kMostJpegPixelsPerByte = 8 * 64 * 16;
// Progressive files have about ten; each costs as much as decoding the whole image.
constexpr int kMostScans = 500;

struct ErrorManager {
  jpeg_error_mgr base;
  jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

// libjpeg wants an error to leave its functions; nothing between here and setjmp has a destructor.
[[noreturn]] void OnError(j_common_ptr jpeg) {
  ErrorManager* errors = reinterpret_cast<ErrorManager*>(jpeg->err);
  errors->base.format_message(jpeg, errors->message);
  longjmp(errors->jump, 1);
}
void OnMessage(j_common_ptr) {}

struct ProgressMonitor {
  jpeg_progress_mgr base;
};
void OnProgress(j_common_ptr jpeg) {
  const j_decompress_ptr decoder = reinterpret_cast<j_decompress_ptr>(jpeg);
  if (!jpeg->is_decompressor || decoder->input_scan_number <= kMostScans) return;
  ErrorManager* errors = reinterpret_cast<ErrorManager*>(jpeg->err);
  strncpy(errors->message, "it has too many scans", sizeof(errors->message) - 1);
  longjmp(errors->jump, 1);
}

void OnSource(j_decompress_ptr) {}
// All bytes are there from the beginning, so whoever asks for more has reached the end. The decoder
// then either stops where it is, or is told that the image ends here and makes up the rest.
boolean OnStop(j_decompress_ptr) { return FALSE; }
boolean OnEndImage(j_decompress_ptr jpeg) {
  static const JOCTET kEnd[] = {0xff, JPEG_EOI};
  jpeg->src->next_input_byte = kEnd;
  jpeg->src->bytes_in_buffer = sizeof(kEnd);
  return TRUE;
}
void OnSkip(j_decompress_ptr jpeg, long count) {  // NOLINT: libjpeg's signature
  if (count <= 0) return;
  const size_t n = std::min(static_cast<size_t>(count), jpeg->src->bytes_in_buffer);
  jpeg->src->next_input_byte += n;
  jpeg->src->bytes_in_buffer -= n;
}

// One file. Whatever calls libjpeg is a function of its own around a setjmp, without objects.
class JpegReader {
 public:
  JpegReader() = default;
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() {
    if (is_made_) jpeg_destroy_decompress(&jpeg_);
  }

  const char* error() const { return errors_.message; }
  const jpeg_decompress_struct& info() const { return jpeg_; }

  bool ReadHeader(absl::string_view file, bool recover) {
    jpeg_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = OnError;
    errors_.base.output_message = OnMessage;
    errors_.message[0] = '\0';
    if (setjmp(errors_.jump)) return false;
    jpeg_create_decompress(&jpeg_);
    is_made_ = true;
    source_.init_source = OnSource;
    source_.fill_input_buffer = recover ? OnEndImage : OnStop;
    source_.skip_input_data = OnSkip;
    source_.resync_to_restart = jpeg_resync_to_restart;
    source_.term_source = OnSource;
    source_.next_input_byte = reinterpret_cast<const JOCTET*>(file.data());
    source_.bytes_in_buffer = file.size();
    jpeg_.src = &source_;
    progress_.base.progress_monitor = OnProgress;
    jpeg_.progress = &progress_.base;
    if (jpeg_read_header(&jpeg_, TRUE) == JPEG_HEADER_OK) return true;
    Fail("the header is cut off");
    return false;
  }

  bool SetOptions(const JpegOptions& options) {
    if (setjmp(errors_.jump)) return false;
    channels_ = options.channels != 0 ? options.channels : std::min(jpeg_.num_components, 3);
    if (channels_ == 1) {
      jpeg_.out_color_space = JCS_GRAYSCALE;
    } else if (channels_ != 3) {
      Fail("an image of two colours cannot be decoded");
      return false;
    } else {
      is_cmyk_ = jpeg_.jpeg_color_space == JCS_CMYK || jpeg_.jpeg_color_space == JCS_YCCK;
      jpeg_.out_color_space = is_cmyk_ ? JCS_CMYK : JCS_RGB;
    }
    jpeg_.do_fancy_upsampling = options.fancy_upscaling ? TRUE : FALSE;
    jpeg_.scale_num = 1;
    jpeg_.scale_denom = static_cast<unsigned>(options.ratio);
    jpeg_.dct_method = options.fast_dct ? JDCT_IFAST : JDCT_DEFAULT;
    jpeg_calc_output_dimensions(&jpeg_);
    return true;
  }
  int channels() const { return channels_; }
  bool is_cmyk() const { return is_cmyk_; }

  // Starts to decode; with a crop, up to its first line.
  bool Start(const JpegOptions& options) {
    if (setjmp(errors_.jump)) return false;
    if (!jpeg_start_decompress(&jpeg_)) {
      Fail("its data ends too early");
      return false;
    }
    if (!options.crop) return true;
    JDIMENSION x = static_cast<JDIMENSION>(options.crop_x);
    JDIMENSION width = static_cast<JDIMENSION>(options.crop_width);
    jpeg_crop_scanline(&jpeg_, &x, &width);
    const JDIMENSION y = static_cast<JDIMENSION>(options.crop_y);
    if (y == 0 || jpeg_skip_scanlines(&jpeg_, y) == y) return true;
    Fail("its data ends before the crop window");
    return false;
  }

  // Some lines, at most kMostLines and `count`, `stride` bytes apart: how many. None when the data
  // ends here, -1 after an error.
  static constexpr int64_t kMostLines = 16;
  int ReadLines(uint8_t* to, int64_t stride, int64_t count) {
    if (setjmp(errors_.jump)) return -1;
    JSAMPROW rows[kMostLines];
    const int64_t most = std::min(count, kMostLines);
    for (int64_t i = 0; i < most; ++i) rows[i] = to + i * stride;
    return static_cast<int>(jpeg_read_scanlines(&jpeg_, rows, static_cast<JDIMENSION>(most)));
  }

 private:
  void Fail(const char* message) { strncpy(errors_.message, message, sizeof(errors_.message) - 1); }

  jpeg_decompress_struct jpeg_ = {};
  ErrorManager errors_ = {};
  jpeg_source_mgr source_ = {};
  ProgressMonitor progress_ = {};
  bool is_made_ = false;
  bool is_cmyk_ = false;
  int channels_ = 0;
};

// Adobe's files have their colours inverted.
void CmykToRgb(const uint8_t* from, int64_t width, bool is_inverted, uint8_t* to) {
  for (int64_t x = 0; x < width; ++x) {
    const int k = from[4 * x + 3];
    for (int i = 0; i < 3; ++i) {
      const int c = from[4 * x + i];
      to[3 * x + i] = static_cast<uint8_t>(is_inverted ? k * c / 255 : (255 - k) * (255 - c) / 255);
    }
  }
}

Status CheckCrop(const JpegOptions& o, int64_t width, int64_t height) {
  if (o.crop_width > 0 && o.crop_height > 0 && o.crop_x >= 0 && o.crop_y >= 0 &&
      int64_t{o.crop_x} + o.crop_width <= width && int64_t{o.crop_y} + o.crop_height <= height) {
    return OkStatus();
  }
  return InvalidArgument("Invalid crop window: y=", o.crop_y, " x=", o.crop_x,
                         " height=", o.crop_height, " width=", o.crop_width, " of an image of ",
                         height, " lines of ", width, " pixels");
}

Status Invalid(absl::string_view file, const char* what) {
  return InvalidArgument("Invalid JPEG data or crop window, ", file.size(), " bytes: ", what);
}

// Whether the file's own header claims no more than its bytes can hold.
bool CanHold(absl::string_view file, const jpeg_decompress_struct& info, const JpegOptions& o) {
  if (info.arith_code || o.try_recover_truncated || o.acceptable_fraction < 1) return true;
  const int64_t pixels = int64_t{info.image_width} * info.image_height;
  return pixels / kMostJpegPixelsPerByte <= static_cast<int64_t>(file.size());
}

// What to write of the lines that the reader decodes.
struct Lines {
  int64_t count, width;
  int channels;
  int64_t skip;  // pixels before the crop that come with each line
};

// Reads what is there; `read` says how many lines that were.
Status ReadLines(JpegReader* reader, absl::string_view file, const Lines& lines, uint8_t* pixels,
                 int64_t* read) {
  const bool is_cmyk = reader->is_cmyk();
  const int64_t stride = lines.width * lines.channels;
  const int64_t decoded = reader->info().output_width;
  std::vector<uint8_t> line;
  if (is_cmyk || decoded != lines.width) {
    line.resize(static_cast<size_t>(decoded * (is_cmyk ? 4 : lines.channels)));
  }
  int got = 0;
  for (*read = 0; *read < lines.count; *read += got) {
    uint8_t* const to = pixels + *read * stride;
    got = line.empty() ? reader->ReadLines(to, stride, lines.count - *read)
                       : reader->ReadLines(line.data(), 0, 1);
    if (got < 0) return Invalid(file, reader->error());
    if (got == 0) break;
    if (is_cmyk) {
      CmykToRgb(line.data() + lines.skip * 4, lines.width, reader->info().saw_Adobe_marker, to);
    } else if (!line.empty()) {
      memcpy(to, line.data() + lines.skip * lines.channels, static_cast<size_t>(stride));
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<ImageSize> ReadJpegSize(absl::string_view file) {
  JpegReader reader;
  if (!reader.ReadHeader(file, /*recover=*/false)) return Invalid(file, reader.error());
  const jpeg_decompress_struct& info = reader.info();
  return ImageSize{1, info.image_height, info.image_width, info.num_components};
}

Status DecodeJpeg(absl::string_view file, const JpegOptions& options, AllocatePixels allocate) {
  JpegReader reader;
  if (!reader.ReadHeader(file, options.try_recover_truncated)) return Invalid(file, reader.error());
  const jpeg_decompress_struct& info = reader.info();
  WB_RETURN_IF_ERROR(CheckImageSize("JPEG", info.image_width, info.image_height));
  if (!CanHold(file, info, options)) {
    return Invalid(file, "the image has more pixels than so few bytes can hold");
  }
  if (!reader.SetOptions(options)) return Invalid(file, reader.error());
  ImageSize size{1, info.output_height, info.output_width, reader.channels()};
  if (options.crop) {
    WB_RETURN_IF_ERROR(CheckCrop(options, size.width, size.height));
    size.height = options.crop_height;
    size.width = options.crop_width;
  }
  if (!reader.Start(options)) return Invalid(file, reader.error());
  WB_ASSIGN_OR_RETURN(void* const room, allocate(size));
  uint8_t* const pixels = static_cast<uint8_t*>(room);
  const Lines lines{size.height, size.width, size.channels,
                    int64_t{info.output_width} - size.width};
  int64_t read = 0;
  WB_RETURN_IF_ERROR(ReadLines(&reader, file, lines, pixels, &read));
  if (read == size.height) return OkStatus();
  const size_t stride = static_cast<size_t>(size.width * size.channels);
  if (options.try_recover_truncated) {
    if (read == 0) memset(pixels, 0, stride);
    for (int64_t y = std::max<int64_t>(read, 1); y < size.height; ++y) {
      memcpy(pixels + static_cast<size_t>(y) * stride, pixels + static_cast<size_t>(y - 1) * stride,
             stride);
    }
    return OkStatus();
  }
  const float fraction = static_cast<float>(read) / static_cast<float>(size.height);
  if (!(fraction >= std::min(1.0f, options.acceptable_fraction))) {
    return Invalid(file, "its data ends too early");
  }
  memset(pixels + static_cast<size_t>(read) * stride, 0,
         static_cast<size_t>(size.height - read) * stride);
  return OkStatus();
}

}  // namespace warpbeam
