// PlanCache: the plans of a session, kept by what they were asked for.
//
//   auto runner = cache.Find(key);
//   if (runner == nullptr) {
//     WB_ASSIGN_OR_RETURN(runner, cache.FindOrCompile(key, [&] { return CompilePlan(request); }));
//   }
//
// Threads that ask for the same plan at the same time wait for the first of them, which compiles
// it; when that fails the next one tries. Of more plans than are kept the least recently used one
// goes, once its last step has ended.
//
// Ownership: shares the runners with their callers. Thread safety: any thread. Errors: those of
// compiling, which are not kept.
#ifndef WARPBEAM_RUNTIME_SESSION_PLAN_CACHE_H_
#define WARPBEAM_RUNTIME_SESSION_PLAN_CACHE_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "runtime/executor/plan_runner.h"

namespace warpbeam {

class PlanCache {
 public:
  using Runner = std::shared_ptr<PlanRunner>;
  using Compiler = absl::FunctionRef<absl::StatusOr<std::unique_ptr<Plan>>()>;

  explicit PlanCache(size_t most_plans) : most_plans_(most_plans) {}

  // Null when there is none yet.
  Runner Find(const std::string& key);
  // `compile` must not ask for the same key.
  absl::StatusOr<Runner> FindOrCompile(const std::string& key, Compiler compile);
  // Keeps a plan that is not asked for by a key, or not any more, until its last step has ended.
  void Drop(Runner runner);
  // Those that were dropped and may still run, too.
  std::vector<Runner> All();
  void Clear();

 private:
  struct Kept {
    Runner runner;
    uint64_t last_use = 0;
  };

  // All with mutex_ held.
  Runner Use(const std::string& key);
  void Keep(const std::string& key, Runner runner);
  void DropLocked(Runner runner);

  const size_t most_plans_;
  std::mutex mutex_;
  std::condition_variable compiled_;
  absl::flat_hash_map<std::string, Kept> plans_;
  absl::flat_hash_set<std::string> compiling_;
  uint64_t use_count_ = 0;
  std::vector<Runner> dropped_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_PLAN_CACHE_H_
