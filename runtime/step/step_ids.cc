#include "runtime/step/step_ids.h"

#include <atomic>

namespace warpbeam {

int64_t NewStepId() {
  static std::atomic<int64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace warpbeam
