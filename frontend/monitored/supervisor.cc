#include "frontend/monitored/supervisor.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/finalize.h"
#include "frontend/monitored/global_step_reader.h"
#include "frontend/monitored/scaffold.h"
#include "frontend/monitored/shared_file_writer.h"
#include "frontend/summary/summary.h"
#include "frontend/training/global_step.h"
#include "frontend/training/queue_runner.h"
#include "frontend/training/uninitialized_variables.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using Clock = std::chrono::steady_clock;

Clock::duration Seconds(double secs) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(secs));
}

}  // namespace

Supervisor::Supervisor(ScopeRef scope, const SupervisorOptions& options)
    : scope_(scope.scope()), options_(options) {
  status_ = SetUp();
}

Supervisor::~Supervisor() { Stop().IgnoreError(); }

Status Supervisor::FindOps() {
  const Scope& s = scope_;
  WB_RETURN_IF_ERROR(s.status());
  SupervisorOptions& o = options_;
  if (!o.ready_op.valid()) {
    WB_ASSIGN_OR_RETURN(o.ready_op, OnlyOutput(s, ScaffoldKeys::kReadyOp));
    if (!o.ready_op.valid()) {
      o.ready_op = ReportUninitializedVariables(s);
      AddToCollection(s, ScaffoldKeys::kReadyOp, o.ready_op);
    }
  }
  if (!o.ready_for_local_init_op.valid()) {
    WB_ASSIGN_OR_RETURN(o.ready_for_local_init_op,
                        OnlyOutput(s, ScaffoldKeys::kReadyForLocalInitOp));
  }
  if (!o.init_op.valid()) {
    WB_ASSIGN_OR_RETURN(o.init_op, OnlyOperation(s, ScaffoldKeys::kInitOp));
    if (!o.init_op.valid()) {
      o.init_op = GlobalVariablesInitializer(s);
      AddToCollection(s, ScaffoldKeys::kInitOp, o.init_op);
    }
  }
  if (!o.local_init_op.valid()) {
    WB_ASSIGN_OR_RETURN(o.local_init_op, OnlyOperation(s, ScaffoldKeys::kLocalInitOp));
    if (!o.local_init_op.valid()) {
      o.local_init_op = DefaultLocalInitOp(s);
      AddToCollection(s, ScaffoldKeys::kLocalInitOp, o.local_init_op);
    }
  }
  if (o.saver == nullptr) {
    WB_ASSIGN_OR_RETURN(o.saver, SaverOfGraph(s));
    if (o.saver == nullptr && !GlobalVariables(s).empty()) {
      o.saver = std::make_shared<Saver>(s);
      AddToCollection(s, GraphKeys::kSavers, o.saver->Serialize());
    }
  }
  if (!o.summary_op.valid()) {
    WB_ASSIGN_OR_RETURN(o.summary_op, OnlyOutput(s, ScaffoldKeys::kSummaryOp));
    if (!o.summary_op.valid()) {
      o.summary_op = summary::MergeAll(s);
      if (o.summary_op.valid()) AddToCollection(s, ScaffoldKeys::kSummaryOp, o.summary_op);
    }
  }
  if (!o.global_step.valid()) o.global_step = GetGlobalStep(s);
  return s.status();
}

Status Supervisor::SetUp() {
  WB_RETURN_IF_ERROR(FindOps());
  if (!options_.is_chief) options_.logdir.clear();
  if (!options_.logdir.empty()) {
    WB_ASSIGN_OR_RETURN(writer_, SharedFileWriter(options_.logdir));
  }
  if (options_.stop_on_signals) {
    signals_ = std::make_unique<StopOnSignals>();
    WB_RETURN_IF_ERROR(signals_->status());
  }
  frontend::Finalize(scope_);
  return OkStatus();
}

std::string Supervisor::save_path() const {
  if (options_.logdir.empty()) return "";
  return absl::StrCat(options_.logdir, "/", options_.checkpoint_basename);
}

StatusOr<std::unique_ptr<ClientSession>> Supervisor::PrepareOrWaitForSession(
    const SessionConfig& config, double max_wait_secs, bool start_standard_services) {
  WB_RETURN_IF_ERROR(status_);
  coordinator_.ClearStop();
  SessionManagerOptions manage;
  manage.ready_op = options_.ready_op;
  manage.ready_for_local_init_op = options_.ready_for_local_init_op;
  manage.local_init_op = options_.local_init_op;
  manage.recovery_wait_secs = options_.recovery_wait_secs;
  manage.config = config;
  manage.should_stop = [this] { return ShouldStop(); };
  SessionManager manager(scope_, std::move(manage));
  std::unique_ptr<ClientSession> session;
  if (options_.is_chief) {
    if (!options_.logdir.empty() && writer_ == nullptr) {
      WB_ASSIGN_OR_RETURN(writer_, SharedFileWriter(options_.logdir));
    }
    PrepareOptions prepare;
    prepare.init_op = options_.init_op;
    prepare.init_feeds = options_.init_feeds;
    prepare.init_fn = options_.init_fn;
    prepare.saver = options_.saver.get();
    prepare.checkpoint_dir = options_.logdir;
    prepare.max_wait_secs = max_wait_secs;
    WB_ASSIGN_OR_RETURN(session, manager.PrepareSession(prepare));
    if (writer_ != nullptr) WB_RETURN_IF_ERROR(writer_->AddGraph(scope_));
  } else {
    WB_ASSIGN_OR_RETURN(session, manager.WaitForSession(max_wait_secs));
  }
  session_ = session.get();
  if (start_standard_services) {
    StartStandardServices(*session);
    WB_RETURN_IF_ERROR(StartQueueRunners(*session));
  }
  return session;
}

Status Supervisor::ManagedSession(const SessionConfig& config,
                                  const std::function<Status(ClientSession&)>& body) {
  auto session = PrepareOrWaitForSession(config);
  if (session.ok()) {
    RequestStop(body(**session));
  } else {
    RequestStop(session.status());
  }
  const Status stopped = Stop();
  if (!session.ok()) return session.status();
  (*session)->Close().IgnoreError();
  return stopped;
}

StatusOr<int64_t> Supervisor::StepOf(ClientSession& session) const {
  if (!options_.global_step.valid()) return 0;
  return ReadStep(session, options_.global_step);
}

Status Supervisor::Save(ClientSession& session) {
  std::lock_guard<std::mutex> lock(saving_);
  std::optional<int64_t> step;
  if (options_.global_step.valid()) {
    WB_ASSIGN_OR_RETURN(step, ReadStep(session, options_.global_step));
  }
  // Off the session's threads, which run steps meanwhile.
  WB_ASSIGN_OR_RETURN(const std::string saved,
                      options_.saver->SaveInBackground(session, save_path(), step));
  WB_RETURN_IF_ERROR(options_.saver->Wait());
  if (writer_ == nullptr || !step) return OkStatus();
  return writer_->AddSessionLog(summary::SessionStatus::kCheckpoint, *step, saved);
}

Status Supervisor::Summarize(ClientSession& session) {
  WB_ASSIGN_OR_RETURN(const std::vector<Tensor> fetched, session.Run({options_.summary_op}));
  return SummaryComputed(session, fetched[0]);
}

Status Supervisor::SummaryComputed(ClientSession& session, const Tensor& summary) {
  if (writer_ == nullptr) {
    return FailedPrecondition("only a chief with a logdir writes summaries");
  }
  WB_ASSIGN_OR_RETURN(const int64_t step, StepOf(session));
  return writer_->AddSummary(summary, step);
}

void Supervisor::Loop(double interval_secs, std::string name, std::function<Status()> body) {
  coordinator_.Launch(
      std::move(name),
      [this, interval_secs, body = std::move(body)] {
        Clock::time_point next = Clock::now();
        for (;;) {
          const auto left =
              std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now());
          if (coordinator_.WaitForStop(std::max<int64_t>(0, left.count()))) return Status();
          next += Seconds(interval_secs);
          WB_RETURN_IF_ERROR(body());
        }
      },
      /*waits_for_stop=*/interval_secs > 0);
}

void Supervisor::StartStandardServices(ClientSession& session) {
  if (writer_ == nullptr) return;
  ClientSession* const s = &session;
  const auto step = StepOf(session);
  if (options_.global_step.valid() && step.ok()) {
    writer_->AddSessionLog(summary::SessionStatus::kStart, *step).IgnoreError();
  }
  if (options_.save_summaries_secs > 0) {
    if (options_.summary_op.valid()) {
      Loop(options_.save_summaries_secs, "summaries", [this, s] { return Summarize(*s); });
    }
    if (options_.global_step.valid()) {
      auto last_step = std::make_shared<int64_t>(step.ok() ? *step : 0);
      auto last_time = std::make_shared<Clock::time_point>(Clock::now());
      Loop(options_.save_summaries_secs, "step counter", [this, s, last_step, last_time] {
        WB_ASSIGN_OR_RETURN(const int64_t now, StepOf(*s));
        const Clock::time_point time = Clock::now();
        const double secs = std::chrono::duration<double>(time - *last_time).count();
        const double rate = secs > 0 ? static_cast<double>(now - *last_step) / secs : 0;
        *last_step = now;
        *last_time = time;
        return writer_->AddScalar(options_.global_step.name() + "/sec", static_cast<float>(rate),
                                  now);
      });
    }
  }
  if (options_.saver != nullptr && options_.save_model_secs > 0) {
    Loop(options_.save_model_secs, "checkpoints", [this, s] { return Save(*s); });
  }
}

Status Supervisor::StartQueueRunners(ClientSession& session) {
  return train::StartQueueRunners(scope_, session, coordinator_);
}

bool Supervisor::ShouldStop() const {
  return coordinator_.ShouldStop() || (signals_ != nullptr && StopOnSignals::Received() != 0);
}

Status Supervisor::Stop() {
  coordinator_.RequestStop();
  Status first = coordinator_.Join(static_cast<int64_t>(options_.stop_grace_secs * 1000));
  const bool by_signal = signals_ != nullptr && StopOnSignals::Received() != 0;
  if (first.ok() && by_signal && session_ != nullptr && options_.saver != nullptr &&
      !options_.logdir.empty()) {
    first = Save(*session_);
  }
  session_ = nullptr;
  if (writer_ == nullptr) return first;
  const Status logged = writer_->AddSessionLog(summary::SessionStatus::kStop, 0);
  if (first.ok()) first = logged;
  const Status flushed = writer_->Flush();
  if (first.ok()) first = flushed;
  writer_.reset();
  return first;
}

Status BasicTrainLoop(Supervisor& supervisor,
                      const std::function<Status(ClientSession&)>& train_step,
                      const SessionConfig& config) {
  for (;;) {
    const Status status = supervisor.ManagedSession(config, [&](ClientSession& session) {
      while (!supervisor.ShouldStop()) WB_RETURN_IF_ERROR(train_step(session));
      return OkStatus();
    });
    if (!IsAborted(status) && !IsUnavailable(status)) return status;
  }
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
