// PixelMemory: what an image decoder's target gives its decoder for pixels: exactly as much as
// asked for, up to a limit, so that a sanitizer sees what is written behind the end.
//
//   PixelMemory memory;
//   DecodeBmp(file, /*channels=*/0, memory.ForBytesPerValue(1)).IgnoreError();
//
// Thread safety: one thread. Errors: RESOURCE_EXHAUSTED beyond the limit.
#ifndef WARPBEAM_TESTS_FUZZ_PIXEL_MEMORY_H_
#define WARPBEAM_TESTS_FUZZ_PIXEL_MEMORY_H_

#include <functional>
#include <memory>

#include "ops/image/codec/image_decoder.h"

namespace warpbeam {
namespace fuzz {

class PixelMemory {
 public:
  static constexpr int64_t kMostBytes = 32 << 20;

  // Valid until the next call.
  std::function<StatusOr<void*>(const ImageSize&)>& ForBytesPerValue(int bytes) {
    allocate_ = [this, bytes](const ImageSize& size) -> StatusOr<void*> {
      // Decoders promise fewer than kMaxPixels and at most four channels.
      const int64_t total = size.frames * size.height * size.width * size.channels * bytes;
      if (total < 0 || total > kMostBytes) return ResourceExhausted(total, " bytes of pixels");
      memory_.reset(new char[static_cast<size_t>(total)]);
      return static_cast<void*>(memory_.get());
    };
    return allocate_;
  }

 private:
  std::unique_ptr<char[]> memory_;
  std::function<StatusOr<void*>(const ImageSize&)> allocate_;
};

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_PIXEL_MEMORY_H_
