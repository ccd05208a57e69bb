#include "frontend/training/coordinator.h"

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <utility>

#include "absl/strings/str_join.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {

struct Coordinator::State {
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  bool stop = false;
  bool joined = false;
  Status error;
  int working = 0;               // threads that do not only wait for the stop
  std::list<std::string> alive;  // names of all that run

  void RequestStop(const Status& why) {
    std::lock_guard<std::mutex> lock(mutex);
    if (stop) return;
    stop = true;
    if (!IsOutOfRange(why)) error = why;
    changed.notify_all();
  }
};

Coordinator::Coordinator() : state_(std::make_shared<State>()) {}

Coordinator::~Coordinator() {
  RequestStop();
  Join().IgnoreError();
}

void Coordinator::RequestStop(const Status& error) { state_->RequestStop(error); }

bool Coordinator::ShouldStop() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->stop;
}

bool Coordinator::joined() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->joined;
}

bool Coordinator::WaitForStop(int64_t timeout_ms) const {
  std::unique_lock<std::mutex> lock(state_->mutex);
  const auto stopped = [this] { return state_->stop; };
  if (timeout_ms >= 0) {
    return state_->changed.wait_for(lock, std::chrono::milliseconds(timeout_ms), stopped);
  }
  state_->changed.wait(lock, stopped);
  return true;
}

void Coordinator::Launch(std::string name, std::function<Status()> body, bool waits_for_stop) {
  std::list<std::string>::iterator self;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    self = state_->alive.insert(state_->alive.end(), std::move(name));
    if (!waits_for_stop) ++state_->working;
    state_->joined = false;
  }
  threads_.emplace_back([state = state_, self, waits_for_stop, body = std::move(body)] {
    const Status status = body();
    if (!status.ok()) state->RequestStop(status);
    std::lock_guard<std::mutex> lock(state->mutex);
    state->alive.erase(self);
    if (!waits_for_stop) --state->working;
    state->changed.notify_all();
  });
}

Status Coordinator::Join(int64_t stop_grace_ms) {
  std::unique_lock<std::mutex> lock(state_->mutex);
  state_->changed.wait(lock, [this] { return state_->stop || state_->working == 0; });
  state_->stop = true;
  state_->changed.notify_all();
  const bool all_ended = state_->changed.wait_for(lock, std::chrono::milliseconds(stop_grace_ms),
                                                  [this] { return state_->alive.empty(); });
  state_->joined = all_ended;
  const std::string alive = absl::StrJoin(state_->alive, ", ");
  const Status error = state_->error;
  lock.unlock();
  for (std::thread& thread : threads_) {
    if (all_ended) {
      thread.join();
    } else {
      thread.detach();
    }
  }
  threads_.clear();
  if (!error.ok() || all_ended) return error;
  return DeadlineExceeded("threads that did not stop within ", stop_grace_ms,
                          " ms of the request: ", alive);
}

void Coordinator::ClearStop() {
  std::lock_guard<std::mutex> lock(state_->mutex);
  state_->stop = false;
  state_->error = Status();
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
