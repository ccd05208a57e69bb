#include "runtime/kernel/stoppable_loop.h"

#include <algorithm>

namespace warpbeam {
namespace {

constexpr int64_t kPieceNs = 4'000'000;

}  // namespace

bool StoppableFor(const KernelContext& ctx, int64_t count, int64_t ns_per_item,
                  absl::FunctionRef<void(int64_t, int64_t)> fn) {
  const int64_t piece = std::max<int64_t>(1, kPieceNs / std::max<int64_t>(1, ns_per_item));
  ctx.ParallelFor(count, ns_per_item, [&](int64_t begin, int64_t end) {
    while (end - begin > piece && !ctx.IsCancelled()) {
      fn(begin, begin + piece);
      begin += piece;
    }
    if (!ctx.IsCancelled()) fn(begin, end);
  });
  return !ctx.IsCancelled();
}

Status StepIsOver() { return Cancelled("the step was cancelled while the kernel ran"); }

}  // namespace warpbeam
