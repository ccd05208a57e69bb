#include "frontend/saver/background_saves.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace frontend {
namespace train {

struct BackgroundSaves::State {
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  std::thread writer;  // joined by whoever finds it idle
  bool is_writing = false;
  bool has_missed_a_deadline = false;
  std::string prefix;  // being written, or written last
  Status failed;       // not yet told

  // With the lock held: takes the untold error; the thread of a save that has ended is joined.
  Status Tell() {
    if (writer.joinable()) writer.join();  // it has given its last sign under the lock
    return std::exchange(failed, OkStatus());
  }
};

BackgroundSaves::BackgroundSaves() : state_(std::make_shared<State>()) {}

BackgroundSaves::~BackgroundSaves() {
  std::unique_lock<std::mutex> lock(state_->mutex);
  if (state_->is_writing && state_->has_missed_a_deadline) {
    std::fprintf(stderr, "warning: '%s' was still being written when its saver ended\n",
                 state_->prefix.c_str());
    state_->writer.detach();
    return;
  }
  state_->changed.wait(lock, [this] { return !state_->is_writing; });
  const Status status = state_->Tell();
  if (!status.ok()) std::fprintf(stderr, "warning: %s\n", status.ToString().c_str());
}

Status BackgroundSaves::Start(const std::string& prefix, std::function<Status()> write) {
  State& state = *state_;
  std::unique_lock<std::mutex> lock(state.mutex);
  state.changed.wait(lock, [&] { return !state.is_writing; });
  WB_RETURN_IF_ERROR(state.Tell());
  StatusOr<std::thread> writer = NewThread([state = state_, write = std::move(write)]() mutable {
    Status status = write();
    write = nullptr;  // gives back what it writes from before anyone learns of its end
    std::lock_guard<std::mutex> lock(state->mutex);
    if (!status.ok()) {
      state->failed = Annotate(status, absl::StrCat("the checkpoint '", state->prefix,
                                                    "' was not saved in the background"));
    }
    state->is_writing = false;
    state->changed.notify_all();
  });
  if (!writer.ok()) {
    return Annotate(writer.status(), absl::StrCat("saving '", prefix, "' in the background"));
  }
  state.prefix = prefix;
  state.is_writing = true;
  state.writer = *std::move(writer);
  return OkStatus();
}

bool BackgroundSaves::IsWriting() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->is_writing;
}

Status BackgroundSaves::Wait(double timeout_secs) {
  State& state = *state_;
  std::unique_lock<std::mutex> lock(state.mutex);
  const auto is_idle = [&] { return !state.is_writing; };
  if (timeout_secs <= 0) {
    state.changed.wait(lock, is_idle);
  } else if (!state.changed.wait_for(lock, std::chrono::duration<double>(timeout_secs), is_idle)) {
    state.has_missed_a_deadline = true;
    return DeadlineExceeded("the checkpoint '", state.prefix, "' is still being written after ",
                            timeout_secs, " s");
  }
  return state.Tell();
}

void BackgroundSaves::WaitUntilIdle() const {
  std::unique_lock<std::mutex> lock(state_->mutex);
  state_->changed.wait(lock, [this] { return !state_->is_writing; });
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
