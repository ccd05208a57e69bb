// Compilation: a plan in the making, and those who wait for it.
//
// Who waits may have a deadline, or a step that can be cancelled. So that they are obeyed whatever
// compiling does, it then runs in a thread of its own. Once nobody waits any more the compilation
// is abandoned (graph/abandonment.h) and what becomes of it is lost.
//
//   auto compilation = std::make_shared<Compilation>();
//   compilation->RunHere(compile, step);                    // or RunApart(compile, compilation)
//   StatusOr<Compilation::Runner> plan = compilation->Await(patience);
//
// Ownership: shared by its thread and those who wait; what `compile` touches is its own to keep,
// until AwaitEnd says that it does not any more.
// Thread safety: any thread. Errors: those of compiling; DEADLINE_EXCEEDED, and the reason for
// which the step that waits was cancelled; RESOURCE_EXHAUSTED where no thread is left.
#ifndef WARPBEAM_RUNTIME_SESSION_COMPILATION_H_
#define WARPBEAM_RUNTIME_SESSION_COMPILATION_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "runtime/session/step_runner.h"

namespace warpbeam {

// How long somebody waits for a plan.
struct Patience {
  using Clock = std::chrono::steady_clock;

  // `timeout_ms`: from now on; 0: for ever. `step`: whose cancellation ends the wait, or null.
  // `may_be_left`: somebody besides the session may cancel it.
  static Patience For(int64_t timeout_ms, StepContext* step, bool may_be_left);
  bool IsEndless() const { return !deadline.has_value() && !may_be_left; }
  // OK, or why the wait is over.
  Status Check() const;

  StepContext* step = nullptr;
  bool may_be_left = false;
  int64_t timeout_ms = 0;
  std::optional<Clock::time_point> deadline;
};

class Compilation {
 public:
  using Runner = std::shared_ptr<StepRunner>;
  using Compiler = std::function<StatusOr<std::unique_ptr<StepRunner>>()>;

  Compilation() = default;
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  // In this thread; a cancelled `step`, if it is not null, abandons it.
  void RunHere(const Compiler& compile, StepContext* step);
  // In a thread of its own.
  static void RunApart(Compiler compile, std::shared_ptr<Compilation> self);
  // One more waits; false when the compilation has been abandoned.
  bool Join();
  // For one who has joined: the plan, or why there is none.
  StatusOr<Runner> Await(const Patience& patience);

  bool IsDone() const;
  bool IsAbandoned() const { return abandoned_.load(std::memory_order_relaxed); }
  // Whether it is done, and its thread holds nothing any more of what `compile` touches.
  bool HasEnded() const;
  // False when it has not ended by then.
  bool AwaitEnd(Patience::Clock::time_point deadline);

 private:
  // Whether a thread still holds the compilation, which it would thus outlive: so it is told here.
  struct Hold {
    std::mutex mutex;
    std::condition_variable released;
    bool is_held = false;
  };

  void End(StatusOr<Runner> result);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  std::optional<StatusOr<Runner>> result_;
  std::atomic<bool> abandoned_{false};
  const std::shared_ptr<Hold> hold_ = std::make_shared<Hold>();
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_COMPILATION_H_
