#include "runtime/session/steps_at_once.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "graph/types/shown_name.h"

namespace warpbeam {
namespace {

// Closing a queue is how one thread ends another. Which files a step touches is not known.
bool MayMeet(const Effect& e) { return e.kind != StateEffect::kEnd && e.state != kFiles; }

Status Check(const PlanFacts& running, const PlanFacts& next) {
  absl::flat_hash_map<absl::string_view, std::vector<const StepEffect*>> held;
  for (const StepEffect& e : running.effects) {
    if (MayMeet(e.effect)) held[e.effect.state].push_back(&e);
  }
  for (const StepEffect& e : next.effects) {
    if (!MayMeet(e.effect)) continue;
    const auto found = held.find(e.effect.state);
    if (found == held.end()) continue;
    for (const StepEffect* other : found->second) {
      if (!OrderMatters(e.effect.kind, other->effect.kind)) continue;
      return FailedPrecondition(
          "node '", ShownName(e.node), "' would run beside '", ShownName(other->node),
          "' of a step that is running, and in a deterministic session no two steps at once may "
          "touch the same state ('",
          e.effect.state, "'); run the steps one after the other, from one thread");
    }
  }
  return OkStatus();
}

}  // namespace

Status StepsAtOnce::Begin(const PlanFacts& plan) {
  if (plan.effects.empty()) return OkStatus();
  std::lock_guard<std::mutex> lock(mutex_);
  for (const PlanFacts* running : running_) WB_RETURN_IF_ERROR(Check(*running, plan));
  running_.push_back(&plan);
  return OkStatus();
}

void StepsAtOnce::End(const PlanFacts& plan) {
  if (plan.effects.empty()) return;
  std::lock_guard<std::mutex> lock(mutex_);
  running_.erase(std::find(running_.begin(), running_.end(), &plan));
}

}  // namespace warpbeam
