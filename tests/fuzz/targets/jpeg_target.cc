// JPEG files: decoded whole, made smaller, cut off and cropped.
#include "tests/fuzz/pixel_memory.h"
#include "tests/fuzz/target.h"

namespace warpbeam {
namespace fuzz {
namespace {

void Decode(absl::string_view file) {
  PixelMemory memory;
  ReadJpegSize(file).status().IgnoreError();
  DecodeJpeg(file, JpegOptions(), memory.ForBytesPerValue(1)).IgnoreError();

  JpegOptions smaller;
  smaller.channels = 1;
  smaller.ratio = 4;
  smaller.try_recover_truncated = true;
  DecodeJpeg(file, smaller, memory.ForBytesPerValue(1)).IgnoreError();

  JpegOptions cropped;
  cropped.channels = 3;
  cropped.fancy_upscaling = false;
  cropped.fast_dct = false;
  cropped.acceptable_fraction = 0.5;
  cropped.crop = true;
  cropped.crop_x = cropped.crop_y = 1;
  cropped.crop_width = cropped.crop_height = 3;
  DecodeJpeg(file, cropped, memory.ForBytesPerValue(1)).IgnoreError();
}

}  // namespace
}  // namespace fuzz
}  // namespace warpbeam

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  warpbeam::fuzz::Decode({reinterpret_cast<const char*>(data), size});
  return 0;
}
