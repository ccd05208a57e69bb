#include "frontend/monitored/monitored_session.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "frontend/monitored/checkpoint_saver_hook.h"
#include "frontend/monitored/report_hooks.h"
#include "frontend/training/queue_runner.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

constexpr double kDefaultCheckpointSecs = 600;
constexpr int64_t kDefaultSummarySteps = 100;
// Short enough that a stop is seen soon.
constexpr double kLongestSleepSecs = 0.05;

bool IsLostMachine(const Status& status) { return IsAborted(status) || IsUnavailable(status); }

// What the options say; `otherwise` where they say nothing.
std::optional<Every> EveryOf(std::optional<int64_t> steps, std::optional<double> secs,
                             const Every& otherwise) {
  if (!steps && !secs) return otherwise;
  const Every every{steps.value_or(0), secs.value_or(0)};
  if (every.steps == 0 && every.secs == 0) return std::nullopt;
  return every;
}

}  // namespace

// A Run, with what the hooks have added to it.
struct MonitoredSession::Step {
  const ClientSession::Feeds& user_feeds;
  const std::vector<Fetch>& user_fetches;
  RunContext context;

  ClientSession::Feeds feeds;
  std::vector<Fetch> fetches;
  std::vector<size_t> hook_ends;  // where each hook's fetches end in `fetches`
  bool trace = false;
  RunMetadata metadata;
  std::vector<Tensor> results;  // of the user's fetches
};

MonitoredSession::MonitoredSession(const Scope& scope, const MonitoredTrainingOptions& options)
    : scope_(scope), options_(options) {}

MonitoredSession::~MonitoredSession() { Close().IgnoreError(); }

void MonitoredSession::AddStandardHooks() {
  const bool is_chief = options_.is_chief;
  if (is_chief) hooks_ = options_.chief_only_hooks;
  const std::string& checkpoints = options_.checkpoint_dir;
  const std::string& summaries = options_.summary_dir.empty() ? checkpoints : options_.summary_dir;
  if (is_chief && !summaries.empty()) {
    if (options_.log_step_count_steps > 0) {
      hooks_.push_back(std::make_shared<StepCounterHook>(
          Every::Steps(options_.log_step_count_steps), summaries));
    }
    const auto every = EveryOf(options_.save_summaries_steps, options_.save_summaries_secs,
                               Every::Steps(kDefaultSummarySteps));
    if (every) {
      hooks_.push_back(
          std::make_shared<SummarySaverHook>(summaries, *every, Output(), options_.scaffold));
    }
  }
  if (is_chief && !checkpoints.empty()) {
    const auto every = EveryOf(options_.save_checkpoint_steps, options_.save_checkpoint_secs,
                               Every::Seconds(kDefaultCheckpointSecs));
    if (every) {
      CheckpointSaverOptions saving;
      saving.scaffold = options_.scaffold;
      saving.in_background = options_.save_in_background;
      saving.save_grace_secs = options_.save_grace_secs;
      hooks_.push_back(std::make_shared<CheckpointSaverHook>(checkpoints, *every, saving));
    }
  }
  hooks_.insert(hooks_.end(), options_.hooks.begin(), options_.hooks.end());
}

Status MonitoredSession::Start() {
  WB_RETURN_IF_ERROR(scope_.status());
  if (options_.scaffold == nullptr) options_.scaffold = std::make_shared<Scaffold>(scope_);
  if (options_.stop_on_signals) {
    signals_ = std::make_unique<StopOnSignals>();
    WB_RETURN_IF_ERROR(signals_->status());
  }
  AddStandardHooks();
  for (const auto& hook : hooks_) WB_RETURN_IF_ERROR(hook->Begin(scope_));
  WB_RETURN_IF_ERROR(options_.scaffold->Finalize());
  return MakeSession();
}

Status MonitoredSession::MakeSession() {
  const ScaffoldOptions& parts = options_.scaffold->parts();
  SessionManagerOptions manage;
  manage.ready_op = parts.ready_op;
  manage.ready_for_local_init_op = parts.ready_for_local_init_op;
  manage.local_init_op = parts.local_init_op;
  manage.local_init_feeds = parts.local_init_feeds;
  manage.recovery_wait_secs = options_.recovery_wait_secs;
  manage.config = options_.config;
  manage.make_session = options_.make_session;
  manage.should_stop = [this] { return ShouldStop(); };
  SessionManager manager(scope_, std::move(manage));
  if (options_.is_chief) {
    PrepareOptions prepare;
    prepare.init_op = parts.init_op;
    prepare.init_feeds = parts.init_feeds;
    prepare.init_fn = parts.init_fn;
    prepare.saver = parts.saver.get();
    prepare.checkpoint_dir = options_.checkpoint_dir;
    prepare.max_wait_secs = options_.max_wait_secs;
    WB_ASSIGN_OR_RETURN(session_, manager.PrepareSession(prepare));
  } else {
    WB_ASSIGN_OR_RETURN(session_, manager.WaitForSession(options_.max_wait_secs));
  }
  coordinator_ = std::make_unique<Coordinator>();
  WB_RETURN_IF_ERROR(StartQueueRunners(scope_, *session_, *coordinator_));
  for (const auto& hook : hooks_) {
    WB_RETURN_IF_ERROR(hook->AfterCreateSession(*session_, *coordinator_));
  }
  return OkStatus();
}

Status MonitoredSession::MakeSessionAnew() {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (;;) {
    const Status made = MakeSession();
    const double again = seconds() + options_.recovery_wait_secs;
    if (!IsLostMachine(made) || again > options_.max_wait_secs) return made;
    while (seconds() < again) {
      if (ShouldStop()) return made;
      std::this_thread::sleep_for(
          std::chrono::duration<double>(std::clamp(again - seconds(), 0.0, kLongestSleepSecs)));
    }
  }
}

bool MonitoredSession::ShouldStop() const {
  return stop_requested_ || is_closed_ || !failure_.ok() ||
         (signals_ != nullptr && StopOnSignals::Received() != 0) ||
         (coordinator_ != nullptr && coordinator_->ShouldStop());
}

StatusOr<std::vector<Tensor>> MonitoredSession::Run(const std::vector<Fetch>& fetches) {
  return Run({}, fetches);
}

Status MonitoredSession::CheckMayRun() const {
  if (!ShouldStop()) return OkStatus();
  return FailedPrecondition("the session was run although it should stop; ask ShouldStop() ",
                            "before every step");
}

StatusOr<std::vector<Tensor>> MonitoredSession::Run(const ClientSession::Feeds& feeds,
                                                    const std::vector<Fetch>& fetches) {
  WB_RETURN_IF_ERROR(CheckMayRun());
  for (;;) {
    Step step{feeds, fetches, RunContext(*session_, feeds, fetches), {}, {}, {}, false, {}, {}};
    const Status status = RunOnce(step);
    if (status.ok()) {
      stop_requested_ = stop_requested_ || step.context.stop_requested();
      return std::move(step.results);
    }
    WB_RETURN_IF_ERROR(Recover(status));
  }
}

Status MonitoredSession::RunStepFn(const std::function<Status(StepContext& context)>& step) {
  WB_RETURN_IF_ERROR(CheckMayRun());
  for (;;) {
    StepContext context(*this);
    const Status status = step(context);
    if (status.ok()) return status;
    // RunWithHooks has dealt with its own.
    if (!failure_.ok()) return failure_;
    WB_RETURN_IF_ERROR(Recover(status));
  }
}

ClientSession& StepContext::session() const { return *owner_.session_; }

StatusOr<std::vector<Tensor>> StepContext::RunWithHooks(const ClientSession::Feeds& feeds,
                                                        const std::vector<Fetch>& fetches) {
  return owner_.Run(feeds, fetches);
}

void StepContext::RequestStop() { owner_.RequestStop(); }

Status MonitoredSession::Recover(const Status& error) {
  if (options_.recovers && IsLostMachine(error)) {
    EndThreads().IgnoreError();
    session_->Close().IgnoreError();
    coordinator_.reset();  // it has been asked to stop, but this session goes on
    const Status made = MakeSessionAnew();
    if (made.ok()) return made;
    failure_ = Annotate(made, absl::StrCat("after '", error.message(), "'"));
    return failure_;
  }
  // The threads' first error is the cause, what a step sees of it a consequence.
  if (coordinator_->ShouldStop()) {
    const Status cause = EndThreads();
    if (!cause.ok()) {
      failure_ = cause;
      return failure_;
    }
  }
  stop_requested_ = true;
  if (!IsOutOfRange(error)) failure_ = error;
  return error;
}

Status MonitoredSession::Prepare(Step& step) {
  step.fetches = step.user_fetches;
  step.feeds = step.user_feeds;
  for (const auto& hook : hooks_) {
    WB_ASSIGN_OR_RETURN(RunArgs args, hook->BeforeRun(step.context));
    step.fetches.insert(step.fetches.end(), args.fetches.begin(), args.fetches.end());
    step.hook_ends.push_back(step.fetches.size());
    step.trace = step.trace || args.trace;
    for (auto& feed : args.feeds) {
      const bool is_fed = std::any_of(step.feeds.begin(), step.feeds.end(), [&](const auto& other) {
        return SameOutput(other.first, feed.first);
      });
      if (is_fed) {
        return InvalidArgument("a hook feeds '", feed.first.name(),
                               "', which the step or another hook feeds too");
      }
      step.feeds.push_back(std::move(feed));
    }
  }
  return OkStatus();
}

// As ClientSession::Run, which keeps the trace to itself.
Status MonitoredSession::RunTraced(Step& step, std::vector<Tensor>* fetched) {
  NamedTensors fed;
  for (const auto& feed : step.feeds) fed.emplace_back(feed.first.name(), feed.second);
  std::vector<std::string> names, targets;
  for (const Fetch& fetch : step.fetches) {
    (fetch.is_tensor() ? names : targets).push_back(fetch.name());
  }
  RunOptions options;
  options.trace = TraceLevel::kFull;
  std::vector<Tensor> tensors;
  WB_RETURN_IF_ERROR(
      session_->session()->Run(options, fed, names, targets, &tensors, &step.metadata));
  size_t next = 0;
  for (const Fetch& fetch : step.fetches) {
    fetched->push_back(fetch.is_tensor() ? tensors[next++] : Tensor());
  }
  return OkStatus();
}

Status MonitoredSession::RunOnce(Step& step) {
  WB_RETURN_IF_ERROR(Prepare(step));
  std::vector<Tensor> fetched;
  if (step.trace) {
    WB_RETURN_IF_ERROR(RunTraced(step, &fetched));
  } else {
    WB_ASSIGN_OR_RETURN(fetched, session_->Run(step.feeds, step.fetches));
  }
  const auto at = [&](size_t i) { return fetched.begin() + static_cast<std::ptrdiff_t>(i); };
  size_t begin = step.user_fetches.size();
  for (size_t i = 0; i < hooks_.size(); ++i) {
    const size_t end = step.hook_ends[i];
    const RunValues values{
        {at(begin), at(end)}, &step.feeds, step.trace ? &step.metadata : nullptr};
    WB_RETURN_IF_ERROR(hooks_[i]->AfterRun(step.context, values));
    begin = end;
  }
  fetched.resize(step.user_fetches.size());
  step.results = std::move(fetched);
  return OkStatus();
}

Status MonitoredSession::EndThreads() {
  if (coordinator_ == nullptr) return OkStatus();
  coordinator_->RequestStop();
  return coordinator_->Join(static_cast<int64_t>(options_.stop_grace_period_secs * 1000));
}

Status MonitoredSession::Close() {
  if (is_closed_) return failure_;
  is_closed_ = true;
  if (session_ == nullptr) return failure_;
  // A thread's error is known before the hooks save: they are not to save what it spoiled.
  if (failure_.ok() && coordinator_ != nullptr && coordinator_->ShouldStop()) {
    failure_ = EndThreads();
  }
  if (failure_.ok()) {
    for (const auto& hook : hooks_) {
      const Status ended = hook->End(*session_);
      if (failure_.ok()) failure_ = ended;
    }
  }
  const Status threads = EndThreads();
  if (failure_.ok()) failure_ = threads;
  const Status closed = session_->Close();
  if (failure_.ok()) failure_ = closed;
  // The threads' session must outlive them, also one that was left behind.
  coordinator_.reset();
  session_.reset();
  signals_.reset();
  return failure_;
}

StatusOr<std::unique_ptr<MonitoredSession>> MonitoredTrainingSession(
    ScopeRef scope, const MonitoredTrainingOptions& options) {
  std::unique_ptr<MonitoredSession> session(new MonitoredSession(scope.scope(), options));
  const Status started = session->Start();
  if (started.ok()) return session;
  session->failure_ = started;
  return started;
}

StatusOr<std::unique_ptr<MonitoredSession>> SingularMonitoredSession(
    ScopeRef scope, MonitoredTrainingOptions options) {
  options.recovers = false;
  options.save_checkpoint_secs = options.save_summaries_secs = 0;
  options.save_checkpoint_steps = options.save_summaries_steps = 0;
  options.log_step_count_steps = 0;
  return MonitoredTrainingSession(scope, options);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
