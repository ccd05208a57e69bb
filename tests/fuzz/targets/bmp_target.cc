// BMP files.
#include "tests/fuzz/pixel_memory.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view file(reinterpret_cast<const char*>(data), size);
  warpbeam::fuzz::PixelMemory memory;
  for (int channels : {0, 1, 3, 4}) {
    warpbeam::DecodeBmp(file, channels, memory.ForBytesPerValue(1)).IgnoreError();
  }
  return 0;
}
