#include "runtime/session/plan_cache.h"

#include <algorithm>
#include <utility>

namespace warpbeam {

PlanCache::Runner PlanCache::Use(const std::string& key) {
  const auto found = plans_.find(key);
  if (found == plans_.end()) return nullptr;
  found->second.last_use = ++use_count_;
  return found->second.runner;
}

PlanCache::Runner PlanCache::Find(const std::string& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  return Use(key);
}

absl::StatusOr<PlanCache::Runner> PlanCache::FindOrCompile(const std::string& key,
                                                           Compiler compile) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      if (Runner runner = Use(key); runner != nullptr) return runner;
      if (compiling_.insert(key).second) break;
      compiled_.wait(lock);
    }
  }
  absl::StatusOr<std::unique_ptr<Plan>> plan = compile();
  Runner runner;
  if (plan.ok()) runner = std::make_shared<PlanRunner>(*std::move(plan));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    compiling_.erase(key);
    if (runner != nullptr) Keep(key, runner);
  }
  compiled_.notify_all();
  if (runner == nullptr) return plan.status();
  return runner;
}

void PlanCache::Keep(const std::string& key, Runner runner) {
  if (plans_.size() >= most_plans_) {
    const auto oldest = std::min_element(
        plans_.begin(), plans_.end(),
        [](const auto& a, const auto& b) { return a.second.last_use < b.second.last_use; });
    DropLocked(std::move(oldest->second.runner));
    plans_.erase(oldest);
  }
  plans_.emplace(key, Kept{std::move(runner), ++use_count_});
}

void PlanCache::Drop(Runner runner) {
  std::lock_guard<std::mutex> lock(mutex_);
  DropLocked(std::move(runner));
}

void PlanCache::DropLocked(Runner runner) {
  const auto is_over = [](const Runner& r) { return r.use_count() == 1 && r->Drain(0); };
  dropped_.erase(std::remove_if(dropped_.begin(), dropped_.end(), is_over), dropped_.end());
  dropped_.push_back(std::move(runner));
}

std::vector<PlanCache::Runner> PlanCache::All() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Runner> all = dropped_;
  for (const auto& [key, kept] : plans_) all.push_back(kept.runner);
  return all;
}

void PlanCache::Clear() {
  std::lock_guard<std::mutex> lock(mutex_);
  plans_.clear();
  dropped_.clear();
}

}  // namespace warpbeam
