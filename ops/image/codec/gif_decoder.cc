#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "ops/image/codec/image_decoder.h"

namespace warpbeam {
namespace {

// LZW: a code of up to twelve bits stands for at most 4096 pixels.
constexpr int64_t kMostGifPixelsPerByte = 4096;

int ReadBytes(GifFileType* gif, GifByteType* to, int size) {
  absl::string_view* rest = static_cast<absl::string_view*>(gif->UserData);
  const size_t n = std::min(static_cast<size_t>(std::max(size, 0)), rest->size());
  if (n > 0) memcpy(to, rest->data(), n);
  rest->remove_prefix(n);
  return static_cast<int>(n);
}

struct GifCloser {
  void operator()(GifFileType* gif) const { DGifCloseFile(gif, nullptr); }
};
using GifFile = std::unique_ptr<GifFileType, GifCloser>;

struct Frame {
  int64_t left, top, width, height;
  int transparent;  // the index of what shows the frame below; -1: none
  std::vector<GifColorType> colors;
  bool has_colors;
  std::vector<uint8_t> indices;
};

std::string Reason(const GifFileType* gif) {
  const char* text = GifErrorString(gif->Error);
  return text == nullptr ? "unknown error" : text;
}

// Reads the extensions up to their end; keeps what the next frame's transparent colour is.
bool ReadExtension(GifFileType* gif, int* transparent) {
  int code = 0;
  GifByteType* block = nullptr;
  if (DGifGetExtension(gif, &code, &block) == GIF_ERROR) return false;
  while (block != nullptr) {
    GraphicsControlBlock control;
    // The first byte is the block's length.
    if (code == GRAPHICS_EXT_FUNC_CODE &&
        DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) {
      *transparent = control.TransparentColor;
    }
    if (DGifGetExtensionNext(gif, &block) == GIF_ERROR) return false;
  }
  return true;
}

bool ReadIndices(GifFileType* gif, Frame* frame) {
  const auto read_row = [&](int64_t y) {
    return DGifGetLine(gif, frame->indices.data() + y * frame->width,
                       static_cast<int>(frame->width)) == GIF_OK;
  };
  if (!gif->Image.Interlace) {
    for (int64_t y = 0; y < frame->height; ++y) {
      if (!read_row(y)) return false;
    }
    return true;
  }
  constexpr int kFirst[] = {0, 4, 2, 1}, kStep[] = {8, 8, 4, 2};
  for (int pass = 0; pass < 4; ++pass) {
    for (int64_t y = kFirst[pass]; y < frame->height; y += kStep[pass]) {
      if (!read_row(y)) return false;
    }
  }
  return true;
}

Status ReadFrame(GifFileType* gif, const absl::string_view& rest, int transparent, int64_t* pixels,
                 Frame* frame) {
  if (DGifGetImageDesc(gif) == GIF_ERROR) return InvalidArgument(Reason(gif));
  const GifImageDesc& d = gif->Image;
  *frame = {d.Left, d.Top, d.Width, d.Height, transparent, {}, false, {}};
  WB_RETURN_IF_ERROR(CheckImageSize("GIF", frame->width, frame->height));
  const int64_t size = frame->width * frame->height;
  *pixels += size;
  if (*pixels >= kMaxPixels || size / kMostGifPixelsPerByte > static_cast<int64_t>(rest.size())) {
    return InvalidArgument(rest.size(), " bytes cannot hold a frame of ", frame->width, " x ",
                           frame->height, " pixels");
  }
  if (const ColorMapObject* map = d.ColorMap != nullptr ? d.ColorMap : gif->SColorMap) {
    frame->colors.assign(map->Colors, map->Colors + map->ColorCount);
    frame->has_colors = true;
  }
  frame->indices.resize(static_cast<size_t>(size));
  if (!ReadIndices(gif, frame)) return InvalidArgument(Reason(gif));
  return OkStatus();
}

// All frames; those before a damaged one when there are any.
Status ReadFrames(GifFileType* gif, const absl::string_view& rest, std::vector<Frame>* frames) {
  int transparent = NO_TRANSPARENT_COLOR;
  int64_t pixels = 0;
  const auto ended = [&](Status error) { return frames->empty() ? std::move(error) : OkStatus(); };
  while (true) {
    GifRecordType record;
    if (DGifGetRecordType(gif, &record) == GIF_ERROR) return ended(InvalidArgument(Reason(gif)));
    if (record == TERMINATE_RECORD_TYPE) break;
    if (record == EXTENSION_RECORD_TYPE) {
      if (!ReadExtension(gif, &transparent)) return ended(InvalidArgument(Reason(gif)));
    } else if (record == IMAGE_DESC_RECORD_TYPE) {
      Frame frame;
      const Status read = ReadFrame(gif, rest, transparent, &pixels, &frame);
      if (!read.ok()) return ended(read);
      frames->push_back(std::move(frame));
      transparent = NO_TRANSPARENT_COLOR;
    }
  }
  return frames->empty() ? InvalidArgument("gif file does not contain any image") : OkStatus();
}

// Draws over what the canvas of `width` x `height` pixels shows.
Status DrawFrame(const Frame& frame, int64_t width, int64_t height, uint8_t* canvas) {
  if (!frame.has_colors) return InvalidArgument("Invalid GIF data: a frame has no color map");
  const int64_t right = std::min(frame.left + frame.width, width);
  const int64_t bottom = std::min(frame.top + frame.height, height);
  for (int64_t y = frame.top; y < bottom; ++y) {
    const uint8_t* from = frame.indices.data() + (y - frame.top) * frame.width;
    for (int64_t x = frame.left; x < right; ++x) {
      const int index = from[x - frame.left];
      if (index == frame.transparent) continue;
      if (index >= static_cast<int>(frame.colors.size())) {
        return InvalidArgument("Invalid GIF data: found color index ", index,
                               " outside of color map range ", frame.colors.size());
      }
      const GifColorType& color = frame.colors[static_cast<size_t>(index)];
      uint8_t* to = canvas + (y * width + x) * 3;
      to[0] = color.Red;
      to[1] = color.Green;
      to[2] = color.Blue;
    }
  }
  return OkStatus();
}

}  // namespace

Status DecodeGif(absl::string_view file, bool only_first, AllocatePixels allocate) {
  absl::string_view rest = file;
  int error = 0;
  const GifFile gif(DGifOpen(&rest, ReadBytes, &error));
  if (gif == nullptr) {
    const char* text = GifErrorString(error);
    return InvalidArgument("Invalid GIF header: ", text == nullptr ? "unknown error" : text);
  }
  std::vector<Frame> frames;
  const Status read = ReadFrames(gif.get(), rest, &frames);
  if (!read.ok()) {
    return InvalidArgument("Invalid GIF data of ", file.size(), " bytes: ", read.message());
  }
  ImageSize size{only_first ? 1 : static_cast<int64_t>(frames.size()), 0, 0, 3};
  for (const Frame& frame : frames) {
    size.width = std::max(size.width, frame.width);
    size.height = std::max(size.height, frame.height);
  }
  WB_RETURN_IF_ERROR(CheckImageSize("GIF", size.width, size.height, size.frames));
  WB_ASSIGN_OR_RETURN(void* const room, allocate(size));
  uint8_t* canvas = static_cast<uint8_t*>(room);
  const size_t bytes = static_cast<size_t>(size.width * size.height * 3);
  for (size_t i = 0; i < static_cast<size_t>(size.frames); ++i, canvas += bytes) {
    if (i == 0) {
      memset(canvas, 0, bytes);
    } else {
      memcpy(canvas, canvas - bytes, bytes);
    }
    WB_RETURN_IF_ERROR(DrawFrame(frames[i], size.width, size.height, canvas));
  }
  return OkStatus();
}

}  // namespace warpbeam
