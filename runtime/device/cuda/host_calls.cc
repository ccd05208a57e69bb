#include "runtime/device/cuda/host_calls.h"

#include <utility>
#include <vector>

namespace warpbeam {

cudaError_t HostCalls::Enqueue(cudaStream_t stream, std::function<void()> fn) {
  std::list<Call> made;
  made.push_back({this, {}, std::move(fn)});
  Call* const call = &made.front();
  call->self = made.begin();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    calls_.splice(calls_.end(), made);
  }
  const cudaError_t error = cudaLaunchHostFunc(stream, &Run, call);
  if (error == cudaSuccess) return error;
  std::lock_guard<std::mutex> lock(mutex_);
  made.splice(made.end(), calls_, call->self);
  return error;
}

// What was abandoned is called, if at all, without effect.
void CUDART_CB HostCalls::Run(void* argument) {
  auto* const call = static_cast<Call*>(argument);
  HostCalls& owner = *call->owner;
  std::function<void()> fn;
  {
    std::lock_guard<std::mutex> lock(owner.mutex_);
    fn = std::exchange(call->fn, nullptr);
    if (fn == nullptr) return;
    ++owner.running_;
  }
  fn();
  fn = nullptr;
  std::lock_guard<std::mutex> lock(owner.mutex_);
  owner.calls_.erase(call->self);
  --owner.running_;
  owner.idle_.notify_all();
}

void HostCalls::Abandon() {
  std::vector<std::function<void()>> dropped;  // outside of the lock: what they hold goes with them
  std::unique_lock<std::mutex> lock(mutex_);
  for (Call& call : calls_) dropped.push_back(std::exchange(call.fn, nullptr));
  idle_.wait(lock, [&] { return running_ == 0; });
  lock.unlock();
}

}  // namespace warpbeam
