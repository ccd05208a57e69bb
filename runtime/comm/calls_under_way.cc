#include "runtime/comm/calls_under_way.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

constexpr std::chrono::milliseconds kInterval(10);

}  // namespace

// Its thread, once there is one, waits until the end of the process.
CallsUnderWay& CallsUnderWay::Process() {
  static auto* const process = new CallsUnderWay;
  return *process;
}

Status CallsUnderWay::Add(std::shared_ptr<CallUnderWay> call) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!has_thread_) {
    WB_ASSIGN_OR_RETURN(std::thread thread, NewThread([this] { Main(); }));
    thread.detach();
    has_thread_ = true;
  }
  calls_.push_back(std::move(call));
  if (calls_.size() == 1) changed_.notify_all();
  return OkStatus();
}

void CallsUnderWay::Main() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !calls_.empty(); });
    std::vector<std::shared_ptr<CallUnderWay>> calls = calls_;
    lock.unlock();
    std::this_thread::sleep_for(kInterval);
    calls.erase(
        std::remove_if(calls.begin(), calls.end(), [](const auto& call) { return call->Look(); }),
        calls.end());
    lock.lock();
    for (const auto& over : calls) {
      calls_.erase(std::remove(calls_.begin(), calls_.end(), over), calls_.end());
    }
    // Without the lock: the last to hold a call gives back what it has.
    lock.unlock();
    calls.clear();
    lock.lock();
  }
}

}  // namespace warpbeam
