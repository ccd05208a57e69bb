#include "runtime/dist/requests/request_id.h"

#include <random>

namespace warpbeam {

int64_t NewRequestId() {
  thread_local std::mt19937_64 random = [] {
    std::random_device seed;
    return std::mt19937_64((uint64_t{seed()} << 32) | seed());
  }();
  for (;;) {
    if (const auto id = static_cast<int64_t>(random()); id != 0) return id;
  }
}

}  // namespace warpbeam
