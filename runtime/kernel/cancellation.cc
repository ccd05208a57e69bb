#include "runtime/kernel/cancellation.h"

#include <algorithm>

namespace warpbeam {

Cancellation::Scope::Scope(Cancellation* cancellation, StepContext* step)
    : cancellation_(cancellation), step_(step) {
  if (cancellation_ == nullptr) return;
  std::lock_guard<std::mutex> lock(cancellation_->mutex_);
  if (!cancellation_->why_.ok()) step_->Cancel(cancellation_->why_);
  cancellation_->steps_.push_back(step_);
}

Cancellation::Scope::~Scope() {
  if (cancellation_ == nullptr) return;
  std::lock_guard<std::mutex> lock(cancellation_->mutex_);
  std::vector<StepContext*>& steps = cancellation_->steps_;
  steps.erase(std::find(steps.begin(), steps.end(), step_));
}

void Cancellation::Cancel(const Status& why) {
  std::vector<std::shared_ptr<Takings>> taken;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!why_.ok()) return;
    why_ = why;
    for (StepContext* step : steps_) step->Cancel(why_);
    taken.swap(taken_);
  }
  for (const auto& takings : taken) takings->GiveBack();
}

void Cancellation::Keep(std::shared_ptr<Takings> takings) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (why_.ok()) return taken_.push_back(std::move(takings));
  }
  takings->GiveBack();
}

}  // namespace warpbeam
