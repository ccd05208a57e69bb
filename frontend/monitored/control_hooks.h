// Hooks that say what steps get and when training ends.
//
//   hooks.push_back(StopAtStepHook::AtLastStep(10000));
//   hooks.push_back(std::make_shared<FeedFnHook>([&] { return FeedFnHook::Feeds{{x, Next()}}; }));
//   auto accuracy = std::make_shared<FinalOpsHook>(std::vector<Fetch>{accuracy_op});
//
// Ownership: values. Thread safety: one thread. Errors: FAILED_PRECONDITION where the graph has no
// global step; DEADLINE_EXCEEDED where GlobalStepWaiterHook waited for `max_wait_secs`.
#ifndef WARPBEAM_FRONTEND_MONITORED_CONTROL_HOOKS_H_
#define WARPBEAM_FRONTEND_MONITORED_CONTROL_HOOKS_H_

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/monitored/session_run_hook.h"

namespace warpbeam {
namespace frontend {
namespace train {

// tf.train.StopAtStepHook. Where a checkpoint is of the last step already, no step runs.
class StopAtStepHook : public SessionRunHook {
 public:
  // After so many more steps.
  static std::shared_ptr<StopAtStepHook> AfterSteps(int64_t steps);
  // When the global step is that, also if an earlier run did most of them.
  static std::shared_ptr<StopAtStepHook> AtLastStep(int64_t last_step);

  Status Begin(const Scope& scope) override;
  Status AfterCreateSession(ClientSession& session, Coordinator& coordinator) override;
  StatusOr<RunArgs> BeforeRun(RunContext& context) override;
  Status AfterRun(RunContext& context, const RunValues& values) override;

 private:
  StopAtStepHook(std::optional<int64_t> steps, std::optional<int64_t> last_step)
      : steps_(steps), last_step_(last_step) {}

  const std::optional<int64_t> steps_;
  std::optional<int64_t> last_step_;
  Variable step_;
};

// tf.train.FeedFnHook: feeds what the function gives before every step.
class FeedFnHook : public SessionRunHook {
 public:
  using Feeds = ClientSession::Feeds;
  explicit FeedFnHook(std::function<StatusOr<Feeds>()> feed_fn);

  StatusOr<RunArgs> BeforeRun(RunContext& context) override;

 private:
  const std::function<StatusOr<Feeds>()> feed_fn_;
};

// tf.train.FinalOpsHook: runs once, at the end.
class FinalOpsHook : public SessionRunHook {
 public:
  explicit FinalOpsHook(std::vector<Fetch> fetches, ClientSession::Feeds feeds = {});

  Status End(ClientSession& session) override;
  // Empty before the end.
  const std::vector<Tensor>& final_values() const { return values_; }

 private:
  const std::vector<Fetch> fetches_;
  const ClientSession::Feeds feeds_;
  std::vector<Tensor> values_;
};

// tf.train.GlobalStepWaiterHook: steps begin when the global step, which others raise, is that far.
class GlobalStepWaiterHook : public SessionRunHook {
 public:
  explicit GlobalStepWaiterHook(int64_t wait_until_step, double max_wait_secs = 7200)
      : wait_until_step_(wait_until_step), max_wait_secs_(max_wait_secs) {}

  Status Begin(const Scope& scope) override;
  Status AfterCreateSession(ClientSession& session, Coordinator& coordinator) override;
  StatusOr<RunArgs> BeforeRun(RunContext& context) override;

 private:
  const int64_t wait_until_step_;
  const double max_wait_secs_;
  Variable step_;
  const Coordinator* coordinator_ = nullptr;
  bool is_over_ = false;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MONITORED_CONTROL_HOOKS_H_
