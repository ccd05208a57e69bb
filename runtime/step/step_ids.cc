#include "runtime/step/step_ids.h"

#include <atomic>
#include <random>

namespace warpbeam {
namespace {

uint64_t RandomStart() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

}  // namespace

int64_t NewStepId() {
  // Odd, so that no number comes twice before all 63 bits have. Two processes that begin somewhere
  // in this sequence are as far apart in it as two random numbers are.
  constexpr uint64_t kStride = 0x9e3779b97f4a7c15;
  constexpr uint64_t kMask = ~uint64_t{0} >> 1;
  static std::atomic<uint64_t> next{RandomStart()};
  for (;;) {
    const uint64_t id = next.fetch_add(kStride, std::memory_order_relaxed) & kMask;
    if (id != 0) return static_cast<int64_t>(id);
  }
}

}  // namespace warpbeam
