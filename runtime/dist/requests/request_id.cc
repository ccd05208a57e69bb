#include "runtime/dist/requests/request_id.h"

#include <memory>
#include <random>

namespace warpbeam {

int64_t NewRequestId() {
  // On the heap: a library that a program opens late gets little room for variables of threads.
  thread_local const auto generator = [] {
    std::random_device seed;
    return std::make_unique<std::mt19937_64>((uint64_t{seed()} << 32) | seed());
  }();
  std::mt19937_64& random = *generator;
  for (;;) {
    if (const auto id = static_cast<int64_t>(random()); id != 0) return id;
  }
}

}  // namespace warpbeam
