#include "runtime/kernel/kernel.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

void Kernel::ComputeAsync(KernelContext& ctx, Done done) { done(Compute(ctx)); }

Status AsyncKernel::Compute(KernelContext& ctx) {
  std::mutex mutex;
  std::condition_variable finished;
  bool is_done = false;
  Status result;
  ComputeAsync(ctx, [&](Status s) {
    std::lock_guard<std::mutex> lock(mutex);
    result = std::move(s);
    is_done = true;
    finished.notify_one();
  });
  std::unique_lock<std::mutex> lock(mutex);
  finished.wait(lock, [&] { return is_done; });
  return result;
}

}  // namespace warpbeam
