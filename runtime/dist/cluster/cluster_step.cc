#include "runtime/dist/cluster/cluster_step.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_join.h"
#include "proto/worker.pb.h"
#include "runtime/dist/cluster/remote_status.h"
#include "runtime/dist/requests/request_id.h"
#include "runtime/trace/run_metadata_proto.h"

namespace warpbeam {
namespace {

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;

// How long another task has to drop what is left of a step or a graph.
constexpr int64_t kCleanupMs = 1000;
// A task ends its part by itself if nobody tells it, so long after the step's time.
constexpr int64_t kGraceMs = 2000;
// A part that was let go of says so on one connection a moment before its own call ends, on
// another, with the reason.
constexpr int64_t kReasonMs = 1000;

int64_t MsUntil(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  return std::max<int64_t>(0, left.count());
}

// Adds what a task has told of its part.
Status AddTold(const tensorflow::RunGraphResponse& told, StepReport* report) {
  if (report->stats != nullptr && told.has_step_stats()) {
    AppendStepStats(told.step_stats(), report->stats);
  }
  if (report->other_graphs == nullptr) return OkStatus();
  for (const tensorflow::GraphDef& graph : told.partition_graph()) {
    WB_ASSIGN_OR_RETURN(DeviceGraph part, DeviceGraphFromProto(graph));
    report->other_graphs->push_back(std::move(part));
  }
  return OkStatus();
}

// Until the step has ended: its feeds and fetches pass through its rendezvous.
Status RunPartial(PlanRunner* plan, const std::shared_ptr<StepContext>& context) {
  std::promise<Status> ended;
  plan->Start(context, [&ended](Status status) { ended.set_value(std::move(status)); });
  return ended.get_future().get();
}

}  // namespace

// The parts of other tasks while they run.
class ClusterStep::Remote : public std::enable_shared_from_this<ClusterStep::Remote> {
 public:
  explicit Remote(std::shared_ptr<StepContext> context) : context_(std::move(context)) {}

  void StartAll(const Parts& parts, int64_t step_id, const Deadline& deadline,
                const StepReport* report) {
    tensorflow::RunGraphRequest request;
    request.set_session_handle(parts.session_handle);
    request.set_create_worker_session_called(true);
    request.set_step_id(step_id);
    request.set_store_errors_in_response_body(true);
    tensorflow::ExecutorOpts& told = *request.mutable_exec_opts();
    if (report != nullptr) {
      told.set_record_timeline(report->trace != TraceLevel::kNone);
      told.set_record_partition_graphs(report->other_graphs != nullptr);
    }
    const int64_t timeout_ms = deadline.has_value() ? MsUntil(*deadline) + kGraceMs : 0;
    for (const RemotePart& part : parts.remote) {
      request.set_graph_handle(part.graph_handle);
      request.set_request_id(NewRequestId());
      Start(part, request, timeout_ms);
    }
  }

  void Cancel() {
    std::vector<std::shared_ptr<WorkerPeer::PendingCall>> calls;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      is_cancelled_ = true;
      calls = calls_;
      ended_.notify_all();
    }
    for (const auto& call : calls) call->Cancel();
  }

  // Until all have ended; false when some have not, by then.
  bool Await(const Deadline& deadline) {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto all_ended = [this] { return running_.empty(); };
    if (!deadline.has_value()) {
      ended_.wait(lock, all_ended);
      return true;
    }
    return ended_.wait_until(lock, *deadline, all_ended);
  }

  // For a moment, until one says by itself why it has failed.
  void AwaitReason() {
    std::unique_lock<std::mutex> lock(mutex_);
    ended_.wait_for(lock, std::chrono::milliseconds(kReasonMs), [this] {
      return running_.empty() || is_cancelled_ || (!status_.ok() && !IsDerived(status_));
    });
  }

  std::string Running() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return absl::StrJoin(running_, ", ");
  }

  // When all have ended.
  Status Tell(StepReport* report) const {
    std::lock_guard<std::mutex> lock(mutex_);
    if (report == nullptr) return OkStatus();
    for (const auto& [task, told] : told_) {
      WB_RETURN_IF_ERROR(Annotate(AddTold(told, report), absl::StrCat("what ", task, " tells")));
    }
    return OkStatus();
  }

  // The first that failed; a task that was only told to end says nothing.
  Status status() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return status_;
  }

 private:
  void Start(const RemotePart& part, const tensorflow::RunGraphRequest& request,
             int64_t timeout_ms) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      running_.push_back(part.task);
    }
    std::shared_ptr<WorkerPeer::PendingCall> call =
        part.peer->RunGraph(request, timeout_ms,
                            [self = shared_from_this(), task = part.task](
                                Status status, tensorflow::RunGraphResponse response) {
                              self->End(task, std::move(status), std::move(response));
                            });
    if (call == nullptr) return;
    bool is_late = false;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      calls_.push_back(call);
      is_late = is_cancelled_;
    }
    if (is_late) call->Cancel();
  }

  void End(const std::string& task, Status status, tensorflow::RunGraphResponse response) {
    if (status.ok() && response.status_code() != tensorflow::error::OK) {
      status =
          Status(static_cast<StatusCode>(response.status_code()), response.status_error_message());
    }
    if (!status.ok()) {
      status = ToldBy(task, status);
      bool is_first = false;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        is_first = status_.ok() || (IsCancelled(status_) && !IsCancelled(status)) ||
                   (IsDerived(status_) && !IsDerived(status));
        if (is_first) status_ = status;
      }
      // The part that it comes from ends as well, and says why.
      if (is_first && !IsDerived(status)) context_->Fail(status).IgnoreError();
    }
    std::lock_guard<std::mutex> lock(mutex_);
    if (response.has_step_stats() || response.partition_graph_size() > 0) {
      told_[task] = std::move(response);
    }
    const auto found = std::find(running_.begin(), running_.end(), task);
    if (found != running_.end()) running_.erase(found);
    if (running_.empty() || !status_.ok()) ended_.notify_all();
  }

  const std::shared_ptr<StepContext> context_;  // of the step as a whole
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<std::string> running_;
  std::vector<std::shared_ptr<WorkerPeer::PendingCall>> calls_;
  std::map<std::string, tensorflow::RunGraphResponse> told_;  // by task
  bool is_cancelled_ = false;
  Status status_;
};

ClusterStep::ClusterStep(Parts parts, PlanFacts facts)
    : parts_(std::move(parts)), facts_(std::move(facts)) {}

ClusterStep::~ClusterStep() {
  for (std::thread& run : started_) run.join();
  for (const RemotePart& part : parts_.remote) {
    tensorflow::DeregisterGraphRequest request;
    request.set_session_handle(parts_.session_handle);
    request.set_create_worker_session_called(true);
    request.set_graph_handle(part.graph_handle);
    tensorflow::DeregisterGraphResponse response;
    part.peer->DeregisterGraph(request, kCleanupMs, &response).IgnoreError();
  }
}

std::vector<DeviceGraph> ClusterStep::DeviceGraphs() const {
  return parts_.home == nullptr ? std::vector<DeviceGraph>() : DeviceGraphsOf(parts_.home->plan());
}
bool ClusterStep::Drain(int64_t timeout_ms) {
  return parts_.home == nullptr || parts_.home->Drain(timeout_ms);
}
std::vector<std::string> ClusterStep::Running() const {
  return parts_.home == nullptr ? std::vector<std::string>() : parts_.home->Running();
}

void ClusterStep::Start(std::shared_ptr<StepContext> context, std::function<void(Status)> done) {
  std::lock_guard<std::mutex> lock(mutex_);
  started_.emplace_back([this, context = std::move(context), done = std::move(done)] {
    done(Run(context, {}, 0, nullptr, nullptr));
  });
}

std::vector<std::string> ClusterStep::RunningOf(const StepContext* context) const {
  UnderWay step;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = under_way_.find(context);
    if (found == under_way_.end()) return {};
    step = found->second;
  }
  std::vector<std::string> all;
  for (const std::string& tensor : step.rendezvous->Awaited()) {
    all.push_back(absl::StrCat("receiving ", tensor));
  }
  if (parts_.home != nullptr) {
    for (std::string& item : parts_.home->Running(step.home.get())) all.push_back(std::move(item));
  }
  const std::string others = step.remote->Running();
  if (!others.empty()) all.push_back(absl::StrCat("the parts of ", others));
  return all;
}

Status ClusterStep::RunHome(const std::shared_ptr<StepContext>& context, const UnderWay& step,
                            Span<const Tensor> feeds, int64_t timeout_ms,
                            std::vector<Tensor>* fetched, StepReport* report) {
  const EndsWithStep ends(parts_.identity->task, step.home.get(), step.rendezvous);
  const Status status = parts_.is_partial
                            ? RunPartial(parts_.home.get(), step.home)
                            : parts_.home->Run(step.home, feeds, timeout_ms, fetched, report);
  if (status.ok()) return status;
  // Who was only let go of must not hide why.
  if (!IsCancelled(status)) return context->Fail(status);
  if (IsDerived(status)) step.remote->AwaitReason();
  context->Cancel(status);
  return status;
}

void ClusterStep::CleanUp(int64_t step_id) {
  parts_.worker->CleanUpStep(step_id);
  tensorflow::CleanupGraphRequest request;
  request.set_step_id(step_id);
  for (const RemotePart& part : parts_.remote) part.peer->CleanupGraph(request, kCleanupMs);
}

Status ClusterStep::Run(std::shared_ptr<StepContext> context, Span<const Tensor> feeds,
                        int64_t timeout_ms, std::vector<Tensor>* fetched, StepReport* report) {
  const CollectiveScope& scope = *parts_.collectives;
  if (!scope.by_number || scope.graph_key == 0) {
    return RunNumbered(context->step_id(), context, feeds, timeout_ms, fetched, report);
  }
  TaskCollectives& collectives = parts_.worker->collectives();
  int64_t step_id = context->step_id();
  if (parts_.is_numbered) {
    WB_ASSIGN_OR_RETURN(step_id, collectives.BeginNumbered(*parts_.identity, scope.leader,
                                                           scope.graph_key, *context));
  }
  parts_.worker->ReopenStep(step_id);
  const Status status = RunNumbered(step_id, context, feeds, timeout_ms, fetched, report);
  if (parts_.is_numbered) collectives.numbers().End(scope.graph_key, step_id, status.ok());
  return status;
}

Status ClusterStep::RunNumbered(int64_t step_id, const std::shared_ptr<StepContext>& context,
                                Span<const Tensor> feeds, int64_t timeout_ms,
                                std::vector<Tensor>* fetched, StepReport* report) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<TaskRendezvous> rendezvous,
                      parts_.worker->steps().Get(step_id));
  rendezvous->BelongTo(parts_.identity);
  const auto collectives =
      std::make_shared<StepCollectives>(&parts_.worker->collectives(), parts_.collectives, step_id);
  rendezvous->set_collectives(collectives);
  const auto remote = std::make_shared<Remote>(context);
  std::shared_ptr<StepContext> home;
  if (parts_.home != nullptr) home = parts_.home_task->NewContext(step_id, rendezvous);
  const StepContext::Token token = context->OnCancel([&] {
    const Status why = context->cancel_reason();
    rendezvous->Abort(why);
    if (home != nullptr) home->Cancel(why);
    remote->Cancel();
  });
  if (token == StepContext::kAlreadyCancelled) {
    parts_.worker->EndStep(step_id, context->cancel_reason());
    return context->cancel_reason();
  }
  const UnderWay step = {home, rendezvous, remote};
  Deadline deadline;
  if (timeout_ms > 0) deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  if (timeout_ms > 0 && report != nullptr && report->deadline) deadline = report->deadline;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    under_way_[context.get()] = step;
  }
  remote->StartAll(parts_, step_id, deadline, report);
  Status status;
  if (fetched != nullptr) fetched->assign(parts_.num_fetches, Tensor());
  if (home != nullptr) {
    status = RunHome(context, step, feeds, timeout_ms, fetched, report);
  }
  if (!remote->Await(status.ok() ? deadline : std::nullopt)) {
    const Status late = DeadlineExceeded("the step did not end within ", timeout_ms,
                                         " ms; still running on ", remote->Running());
    status = context->Fail(late);
    remote->Await(std::nullopt);
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    under_way_.erase(context.get());
  }
  context->RemoveCallback(token);
  if (status.ok() || IsCancelled(status)) {
    if (const Status there = remote->status(); !there.ok()) status = there;
  }
  if (!status.ok()) collectives->Fail(status);
  CleanUp(step_id);
  if (status.ok()) status = remote->Tell(report);
  return status;
}

}  // namespace warpbeam
