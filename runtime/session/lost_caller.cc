#include "runtime/session/lost_caller.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "runtime/thread/new_thread.h"

namespace warpbeam {

struct LostCaller::Watch {
  std::shared_ptr<DeviceSet> devices;
  std::shared_ptr<StepRunner> runner;
  std::shared_ptr<StepContext> step;
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;

  void Main() {
    std::unique_lock<std::mutex> lock(mutex);
    const auto grace = std::chrono::milliseconds(PlanRunner::kGraceMs);
    if (changed.wait_for(lock, grace, [&] { return ended; })) return;
    // With the mutex held, so that the caller is still in the step.
    runner->ReplaceWorkers(step.get());
  }
};

LostCaller::LostCaller(std::shared_ptr<StepRunner> runner, std::shared_ptr<DeviceSet> devices,
                       std::shared_ptr<StepContext> step)
    : watch_(std::make_shared<Watch>()) {
  watch_->devices = std::move(devices);
  watch_->runner = std::move(runner);
  watch_->step = std::move(step);
  token_ = watch_->step->OnCancel([watch = watch_] {
    StatusOr<std::thread> thread = NewThread([watch] { watch->Main(); });
    if (thread.ok()) thread->detach();
  });
}

LostCaller::~LostCaller() {
  if (token_ != StepContext::kAlreadyCancelled) watch_->step->RemoveCallback(token_);
  std::lock_guard<std::mutex> lock(watch_->mutex);
  watch_->ended = true;
  watch_->changed.notify_all();
}

}  // namespace warpbeam
