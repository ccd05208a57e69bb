#include "runtime/thread/new_thread.h"

#include <system_error>
#include <utility>

namespace warpbeam {

// The C++ library reports a refused thread by an exception; it goes no further than this.
StatusOr<std::thread> NewThread(std::function<void()> main) {
  try {
    return std::thread(std::move(main));
  } catch (const std::system_error& error) {
    return ResourceExhausted("the system gives no further thread: ", error.what());
  }
}

Status CallThreads::Start(std::function<void()> call) {
  auto is_done = std::make_shared<std::atomic<bool>>(false);
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = entries_.begin(); it != entries_.end();) {
    if (!it->is_done->load(std::memory_order_acquire)) {
      ++it;
      continue;
    }
    it->thread.join();
    it = entries_.erase(it);
  }
  WB_ASSIGN_OR_RETURN(std::thread thread, NewThread([call = std::move(call), is_done]() mutable {
                        call();
                        call = nullptr;
                        is_done->store(true, std::memory_order_release);
                      }));
  entries_.push_back({std::move(thread), std::move(is_done)});
  return OkStatus();
}

CallThreads::~CallThreads() {
  for (Entry& entry : entries_) entry.thread.join();
}

}  // namespace warpbeam
