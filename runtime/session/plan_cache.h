// PlanCache: the plans of a session, kept by what they were asked for.
//
//   auto runner = cache.Find(key);
//   if (runner == nullptr) {
//     const auto compile = [&] { return target.Compile(bounds, mode); };
//     WB_ASSIGN_OR_RETURN(runner, cache.FindOrCompile(key, compile));
//   }
//
// Threads that ask for the same plan at the same time wait, each as long as its patience lasts, for
// the first of them, which compiles it; when that fails the next one tries. Of more plans than are
// kept the least recently used one goes, once its last step has ended.
//
// Ownership: shares the runners with their callers. Thread safety: any thread. Errors: those of
// compiling, which are not kept, and those of whose patience has ended (compilation.h).
#ifndef WARPBEAM_RUNTIME_SESSION_PLAN_CACHE_H_
#define WARPBEAM_RUNTIME_SESSION_PLAN_CACHE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "runtime/session/compilation.h"

namespace warpbeam {

class PlanCache {
 public:
  using Runner = Compilation::Runner;
  using Compiler = Compilation::Compiler;

  explicit PlanCache(size_t most_plans) : most_plans_(most_plans) {}

  // Null when there is none yet.
  Runner Find(const std::string& key);
  // `compile` must not ask for the same key. Where the patience may end it runs in a thread of its
  // own and may outlive this call, and the cache.
  StatusOr<Runner> FindOrCompile(const std::string& key, const Compiler& compile,
                                 const Patience& patience = {});
  // A plan that is not kept here until it is dropped.
  StatusOr<Runner> Compile(const Compiler& compile, const Patience& patience);
  // How many compilations have not ended by then.
  int AwaitCompilations(Patience::Clock::time_point deadline);
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
  std::shared_ptr<Compilation> NewCompilation();  // which the caller has joined

  static void Begin(const std::shared_ptr<Compilation>& compilation, const Compiler& compile,
                    const Patience& patience);

  const size_t most_plans_;
  std::mutex mutex_;
  absl::flat_hash_map<std::string, Kept> plans_;
  absl::flat_hash_map<std::string, std::shared_ptr<Compilation>> compiling_;
  std::vector<std::shared_ptr<Compilation>> under_way_;  // and some that have ended
  uint64_t use_count_ = 0;
  std::vector<Runner> dropped_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_PLAN_CACHE_H_
