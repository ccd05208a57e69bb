#include "runtime/kernel/function_runner.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace warpbeam {

StatusOr<std::vector<Tensor>> FunctionRunner::RunSync(Handle function, StepContext* step,
                                                      std::vector<Tensor> args) {
  std::mutex mutex;
  std::condition_variable finished;
  bool is_done = false;
  Status status;
  std::vector<Tensor> results;
  Run(function, step, std::move(args), [&](Status s, std::vector<Tensor> r) {
    std::lock_guard<std::mutex> lock(mutex);
    status = std::move(s);
    results = std::move(r);
    is_done = true;
    finished.notify_one();
  });
  std::unique_lock<std::mutex> lock(mutex);
  finished.wait(lock, [&] { return is_done; });
  if (!status.ok()) return status;
  return results;
}

}  // namespace warpbeam
