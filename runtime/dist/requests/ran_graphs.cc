#include "runtime/dist/requests/ran_graphs.h"

#include <utility>

#include "proto/worker.pb.h"
#include "runtime/kernel/cancellation.h"

namespace warpbeam {

struct RanGraphs::Run {
  int64_t request_id = 0;
  int64_t step_id = 0;
  // What follows is guarded by the mutex of all, and does not change once it has ended.
  bool has_ended = false;
  int waiting = 0;  // requests that came again meanwhile
  Status status;
  tensorflow::RunGraphResponse response;
  size_t bytes = 0;
  std::list<std::shared_ptr<Run>>::iterator age;  // in kept_
};

Status RanGraphs::Once(const tensorflow::RunGraphRequest& request, Cancellation* cancellation,
                       tensorflow::RunGraphResponse* response, const std::function<Status()>& run) {
  if (request.request_id() == 0) return run();
  std::shared_ptr<Run> mine;
  std::shared_ptr<Run> first;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = runs_.find(request.request_id());
    if (known != runs_.end()) {
      first = known->second;
    } else {
      WB_RETURN_IF_ERROR(recent_.Begin(request.request_id(), "RunGraph"));
      mine = std::make_shared<Run>();
      mine->request_id = request.request_id();
      mine->step_id = request.step_id();
      runs_[mine->request_id] = mine;
    }
  }
  if (mine == nullptr) return Await(first, cancellation, response);
  const Status status = run();
  const size_t bytes = sizeof(Run) + status.message().size() + response->ByteSizeLong();
  std::lock_guard<std::mutex> lock(mutex_);
  mine->has_ended = true;
  mine->status = status;
  mine->bytes = bytes;
  if (mine->waiting > 0 || bytes <= kMostBytes) mine->response = *response;
  if (bytes <= kMostBytes) {
    Keep(mine);
  } else {
    runs_.erase(mine->request_id);
  }
  ended_.notify_all();
  return status;
}

Status RanGraphs::Await(const std::shared_ptr<Run>& run, Cancellation* cancellation,
                        tensorflow::RunGraphResponse* response) {
  // By which the cancellation knows who waits.
  StepContext waits(0, nullptr, nullptr);
  const StepContext::Token token = waits.OnCancel([this] {
    std::lock_guard<std::mutex> lock(mutex_);
    ended_.notify_all();
  });
  {
    const Cancellation::Scope scope(cancellation, &waits);
    std::unique_lock<std::mutex> lock(mutex_);
    ++run->waiting;
    ended_.wait(lock, [&] { return run->has_ended || waits.IsCancelled(); });
    --run->waiting;
  }
  waits.RemoveCallback(token);
  std::lock_guard<std::mutex> lock(mutex_);
  if (!run->has_ended) return waits.cancel_reason();
  *response = run->response;
  return run->status;
}

void RanGraphs::Keep(const std::shared_ptr<Run>& run) {
  run->age = kept_.insert(kept_.end(), run);
  steps_[run->step_id].insert(run);
  bytes_ += run->bytes;
  while (bytes_ > kMostTotal) {
    const std::shared_ptr<Run> oldest = kept_.front();
    Drop(oldest);
  }
}

void RanGraphs::Drop(const std::shared_ptr<Run>& run) {
  bytes_ -= run->bytes;
  kept_.erase(run->age);
  runs_.erase(run->request_id);
  const auto step = steps_.find(run->step_id);
  step->second.erase(run);
  if (step->second.empty()) steps_.erase(step);
}

void RanGraphs::EndStep(int64_t step_id) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto step = steps_.find(step_id); step != steps_.end(); step = steps_.find(step_id)) {
    const std::shared_ptr<Run> run = *step->second.begin();
    Drop(run);
  }
}

size_t RanGraphs::bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

}  // namespace warpbeam
