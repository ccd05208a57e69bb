#include "runtime/dist/cluster/step_table.h"

#include <utility>

namespace warpbeam {

StatusOr<std::shared_ptr<TaskRendezvous>> StepTable::Get(int64_t step_id) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto ended = ended_.find(step_id);
  if (ended != ended_.end() && ended->second.has_ended) {
    return Aborted("step ", step_id, " has ended on ", identity_->task, ": ", ended->second.why);
  }
  std::shared_ptr<TaskRendezvous>& step = steps_[step_id];
  if (step == nullptr) step = TaskRendezvous::Create(step_id, identity_, transfers_);
  return step;
}

StepTable::Ended& StepTable::Remember(int64_t step_id) {
  const auto [entry, is_new] = ended_.try_emplace(step_id);
  if (!is_new) return entry->second;
  order_.push_back(step_id);
  if (order_.size() > kRemembered) {
    ended_.erase(order_.front());
    order_.pop_front();
  }
  return ended_[step_id];
}

void StepTable::Reopen(int64_t step_id) {
  std::lock_guard<std::mutex> lock(mutex_);
  Ended& entry = Remember(step_id);
  entry.is_counted = true;
  entry.has_ended = false;
}

void StepTable::End(int64_t step_id, const Status& why) { End(step_id, why, false); }

void StepTable::CleanUp(int64_t step_id, const Status& why) { End(step_id, why, true); }

void StepTable::End(int64_t step_id, const Status& why, bool is_over) {
  std::shared_ptr<TaskRendezvous> ended;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (const auto found = steps_.find(step_id); found != steps_.end()) {
      ended = std::move(found->second);
      steps_.erase(found);
    }
    Ended& entry = Remember(step_id);
    if (entry.is_counted && is_over) {
      entry.has_ended = false;
    } else if (!entry.has_ended) {
      entry.has_ended = true;
      entry.why = std::string(why.message().substr(0, kMostBytesOfWhy));
    }
  }
  if (ended != nullptr) ended->Abort(why);
}

void StepTable::EndAll(const Status& why) {
  std::map<int64_t, std::shared_ptr<TaskRendezvous>> all;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    all.swap(steps_);
  }
  for (const auto& [id, step] : all) step->Abort(why);
}

std::vector<int64_t> StepTable::Ids() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<int64_t> ids;
  for (const auto& [id, step] : steps_) ids.push_back(id);
  return ids;
}

int StepTable::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int>(steps_.size());
}

}  // namespace warpbeam
