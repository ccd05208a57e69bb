// GIF files.
#include "tests/fuzz/pixel_memory.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view file(reinterpret_cast<const char*>(data), size);
  warpbeam::fuzz::PixelMemory memory;
  for (bool only_first : {true, false}) {
    warpbeam::DecodeGif(file, only_first, memory.ForBytesPerValue(1)).IgnoreError();
  }
  return 0;
}
