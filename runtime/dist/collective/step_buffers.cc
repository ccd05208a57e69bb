#include "runtime/dist/collective/step_buffers.h"

#include <utility>

#include "graph/types/shown_name.h"

namespace warpbeam {

Status StepBuffers::FailedLocked(int64_t step, const std::string& device) const {
  if (!all_ended_.ok()) return all_ended_;
  const auto found = steps_.find(step);
  if (found != steps_.end() && !found->second.failed.ok()) return found->second.failed;
  const auto failure = failures_.find(step);
  const bool is_told = failure != failures_.end() && failure->second.knows != device;
  return is_told ? failure->second.why : OkStatus();
}

void StepBuffers::RemoveLocked(int64_t step, const std::string& key) {
  const auto found = steps_.find(step);
  found->second.entries.erase(key);
  if (found->second.entries.empty() && !found->second.has_begun) steps_.erase(found);
}

void StepBuffers::Offer(int64_t step, const std::string& key, Tensor piece, Taken taken) {
  Receiver receiver;
  Status status;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    status = FailedLocked(step, "");
    if (status.ok()) {
      Entry& entry = steps_[step].entries[key];
      if (entry.taken != nullptr) {
        status = Internal("a second piece is offered under the key '", ShownName(key), "' of step ",
                          step);
      } else if (entry.receiver == nullptr) {
        entry.piece = std::move(piece);
        entry.taken = std::move(taken);
        return;
      } else {
        receiver = std::move(entry.receiver);
        RemoveLocked(step, key);
      }
    }
  }
  if (receiver != nullptr) receiver(std::move(piece));
  taken(status);
}

int64_t StepBuffers::Take(int64_t step, const std::string& key, const std::string& device,
                          Receiver receiver) {
  Entry offered;
  Status status;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    status = FailedLocked(step, device);
    if (status.ok()) {
      Entry& entry = steps_[step].entries[key];
      if (entry.receiver != nullptr) {
        status = Internal("the key '", ShownName(key), "' of step ", step,
                          " is asked for a second time");
      } else if (entry.taken == nullptr) {
        entry.receiver = std::move(receiver);
        entry.number = next_number_++;
        return entry.number;
      } else {
        offered = std::move(entry);
        RemoveLocked(step, key);
      }
    }
  }
  if (!status.ok()) {
    receiver(status);
    return 0;
  }
  receiver(std::move(offered.piece));
  offered.taken(OkStatus());
  return 0;
}

bool StepBuffers::Forget(int64_t step, const std::string& key, int64_t number) {
  Receiver gone;  // without the lock
  std::lock_guard<std::mutex> lock(mutex_);
  const auto entries = steps_.find(step);
  if (entries == steps_.end()) return false;
  const auto found = entries->second.entries.find(key);
  if (found == entries->second.entries.end() || found->second.receiver == nullptr) return false;
  if (found->second.number != number) return false;
  gone = std::move(found->second.receiver);
  RemoveLocked(step, key);
  return true;
}

void StepBuffers::Begin(int64_t step) {
  std::lock_guard<std::mutex> lock(mutex_);
  Step& begun = steps_[step];
  begun.has_begun = true;
  begun.failed = OkStatus();
  failures_.erase(step);
}

void StepBuffers::FailCollective(int64_t step, const Status& why, const std::string& knows) {
  Fail(step, why);
  std::lock_guard<std::mutex> lock(mutex_);
  if (!failures_.emplace(step, Failure{why, knows}).second) return;
  order_.push_back(step);
  if (order_.size() <= kRemembered) return;
  failures_.erase(order_.front());
  order_.pop_front();
}

void StepBuffers::Tell(Entries* entries, const Status& why) {
  for (auto& [key, entry] : *entries) {
    if (entry.receiver != nullptr) entry.receiver(why);
    if (entry.taken != nullptr) entry.taken(why);
  }
}

void StepBuffers::Fail(int64_t step, const Status& why) {
  Entries entries;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = steps_.find(step);
    if (found == steps_.end()) return;
    entries.swap(found->second.entries);
    if (found->second.failed.ok()) found->second.failed = why;
    if (!found->second.has_begun) steps_.erase(found);
  }
  Tell(&entries, why);
}

void StepBuffers::End(int64_t step, const Status& why) {
  Entries entries;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = steps_.find(step);
    if (found == steps_.end()) return;
    entries.swap(found->second.entries);
    steps_.erase(found);
  }
  Tell(&entries, why);
}

void StepBuffers::EndAll(const Status& why) {
  std::map<int64_t, Step> all;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (all_ended_.ok()) all_ended_ = why;
    all.swap(steps_);
  }
  for (auto& [id, step] : all) Tell(&step.entries, why);
}

}  // namespace warpbeam
