#include "frontend/monitored/control_hooks.h"

#include <chrono>

#include "frontend/monitored/global_step_reader.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

constexpr int64_t kLookAgainMs = 50;

}  // namespace

std::shared_ptr<StopAtStepHook> StopAtStepHook::AfterSteps(int64_t steps) {
  return std::shared_ptr<StopAtStepHook>(new StopAtStepHook(steps, std::nullopt));
}

std::shared_ptr<StopAtStepHook> StopAtStepHook::AtLastStep(int64_t last_step) {
  return std::shared_ptr<StopAtStepHook>(new StopAtStepHook(std::nullopt, last_step));
}

Status StopAtStepHook::Begin(const Scope& scope) {
  WB_ASSIGN_OR_RETURN(step_, GlobalStepOf(scope, "StopAtStepHook"));
  return OkStatus();
}

Status StopAtStepHook::AfterCreateSession(ClientSession& session, Coordinator& coordinator) {
  WB_ASSIGN_OR_RETURN(const int64_t step, ReadStep(session, step_));
  if (!last_step_) last_step_ = step + *steps_;
  // A checkpoint may be of the last step already: then none is to run.
  if (step >= *last_step_) coordinator.RequestStop();
  return OkStatus();
}

StatusOr<RunArgs> StopAtStepHook::BeforeRun(RunContext&) { return RunArgs{{step_}, {}, false}; }

Status StopAtStepHook::AfterRun(RunContext& context, const RunValues& values) {
  if (StepValue(values.results[0]) + 1 < *last_step_) return OkStatus();
  WB_ASSIGN_OR_RETURN(const int64_t step, ReadStep(context.session(), step_));
  if (step >= *last_step_) context.RequestStop();
  return OkStatus();
}

FeedFnHook::FeedFnHook(std::function<StatusOr<Feeds>()> feed_fn) : feed_fn_(std::move(feed_fn)) {}

StatusOr<RunArgs> FeedFnHook::BeforeRun(RunContext&) {
  WB_ASSIGN_OR_RETURN(Feeds feeds, feed_fn_());
  return RunArgs{{}, std::move(feeds), false};
}

FinalOpsHook::FinalOpsHook(std::vector<Fetch> fetches, ClientSession::Feeds feeds)
    : fetches_(std::move(fetches)), feeds_(std::move(feeds)) {}

Status FinalOpsHook::End(ClientSession& session) {
  WB_ASSIGN_OR_RETURN(values_, session.Run(feeds_, fetches_));
  return OkStatus();
}

Status GlobalStepWaiterHook::Begin(const Scope& scope) {
  is_over_ = wait_until_step_ <= 0;
  WB_ASSIGN_OR_RETURN(step_, GlobalStepOf(scope, "GlobalStepWaiterHook"));
  return OkStatus();
}

Status GlobalStepWaiterHook::AfterCreateSession(ClientSession&, Coordinator& coordinator) {
  coordinator_ = &coordinator;
  return OkStatus();
}

StatusOr<RunArgs> GlobalStepWaiterHook::BeforeRun(RunContext& context) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  while (!is_over_) {
    WB_ASSIGN_OR_RETURN(const int64_t step, ReadStep(context.session(), step_));
    is_over_ = step >= wait_until_step_;
    if (is_over_) break;
    const double waited = std::chrono::duration<double>(Clock::now() - start).count();
    if (waited > max_wait_secs_) {
      return DeadlineExceeded("the global step is ", step, " after waiting ", max_wait_secs_,
                              " s for it to be ", wait_until_step_);
    }
    if (coordinator_ != nullptr && coordinator_->WaitForStop(kLookAgainMs)) break;
  }
  return RunArgs();
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
