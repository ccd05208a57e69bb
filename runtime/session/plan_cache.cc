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

StatusOr<PlanCache::Runner> PlanCache::FindOrCompile(const std::string& key,
                                                     const Compiler& compile,
                                                     const Patience& patience) {
  for (;;) {
    std::shared_ptr<Compilation> compilation;
    bool is_own = false;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (Runner runner = Use(key); runner != nullptr) return runner;
      std::shared_ptr<Compilation>& of_key = compiling_[key];
      is_own = of_key == nullptr || !of_key->Join();
      if (is_own) of_key = NewCompilation();
      compilation = of_key;
    }
    if (is_own) Begin(compilation, compile, patience);
    StatusOr<Runner> runner = compilation->Await(patience);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      const auto of_key = compiling_.find(key);
      const bool is_over = compilation->IsDone() || compilation->IsAbandoned();
      if (of_key != compiling_.end() && of_key->second == compilation && is_over) {
        compiling_.erase(of_key);
      }
      if (runner.ok()) {
        if (Runner kept = Use(key); kept != nullptr) return kept;
        Keep(key, *runner);
      }
    }
    if (runner.ok() || is_own) return runner;
    // Another's compilation failed, perhaps for reasons of its own.
    WB_RETURN_IF_ERROR(patience.Check());
  }
}

StatusOr<PlanCache::Runner> PlanCache::Compile(const Compiler& compile, const Patience& patience) {
  std::shared_ptr<Compilation> compilation;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    compilation = NewCompilation();
  }
  Begin(compilation, compile, patience);
  return compilation->Await(patience);
}

std::shared_ptr<Compilation> PlanCache::NewCompilation() {
  const auto is_over = [](const auto& c) { return c->HasEnded(); };
  under_way_.erase(std::remove_if(under_way_.begin(), under_way_.end(), is_over), under_way_.end());
  auto compilation = std::make_shared<Compilation>();
  compilation->Join();
  under_way_.push_back(compilation);
  return compilation;
}

void PlanCache::Begin(const std::shared_ptr<Compilation>& compilation, const Compiler& compile,
                      const Patience& patience) {
  if (patience.IsEndless()) return compilation->RunHere(compile, patience.step);
  Compilation::RunApart(compile, compilation);
}

int PlanCache::AwaitCompilations(Patience::Clock::time_point deadline) {
  std::vector<std::shared_ptr<Compilation>> under_way;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    under_way = under_way_;
  }
  return static_cast<int>(
      std::count_if(under_way.begin(), under_way.end(),
                    [&](const auto& compilation) { return !compilation->AwaitEnd(deadline); }));
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
  compiling_.clear();
  under_way_.clear();
}

}  // namespace warpbeam
