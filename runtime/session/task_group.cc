#include "runtime/session/task_group.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include "runtime/comm/rendezvous.h"
#include "runtime/session/session_core.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

// What one task does in a step.
struct RunnablePart {
  const LocalTask* task = nullptr;
  std::unique_ptr<PlanRunner> runner;
  std::vector<int> feed_numbers;
  std::vector<int> fetch_numbers;
};

// A part while it runs.
struct RunningPart {
  std::shared_ptr<StepContext> context;
  StepContext::Token token = 0;  // of what makes all parts end with this one
  std::vector<Tensor> feeds;
  std::vector<Tensor> fetched;
  StepReport report;
  StepStats stats;
  Status status;
};

// Two traces as one: the nodes of the second come behind those of the first.
void Append(StepStats more, StepStats* all) {
  if (all->nodes.empty()) {
    *all = std::move(more);
    return;
  }
  const auto shift = static_cast<int32_t>(all->nodes.size());
  for (NodeStats& node : more.nodes) {
    for (int32_t& before : node.predecessors) before += shift;
    all->nodes.push_back(std::move(node));
  }
  all->start_ns = std::min(all->start_ns, more.start_ns);
  all->end_ns = std::max(all->end_ns, more.end_ns);
  all->thread_names.insert(more.thread_names.begin(), more.thread_names.end());
  using Names = std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>;
  all->names = std::make_shared<const Names>(std::move(all->names), std::move(more.names));
}

class TaskGroupStep final : public StepRunner {
 public:
  TaskGroupStep(std::vector<RunnablePart> parts, PlanFacts facts, size_t num_fetches)
      : parts_(std::move(parts)), facts_(std::move(facts)), num_fetches_(num_fetches) {}

  Status Run(std::shared_ptr<StepContext> context, Span<const Tensor> feeds, int64_t timeout_ms,
             std::vector<Tensor>* fetched, StepReport* report) override;
  const PlanFacts& facts() const override { return facts_; }
  std::vector<DeviceGraph> DeviceGraphs() const override {
    std::vector<DeviceGraph> all;
    for (const RunnablePart& part : parts_) {
      for (DeviceGraph& graph : DeviceGraphsOf(part.runner->plan())) {
        all.push_back(std::move(graph));
      }
    }
    return all;
  }
  bool Drain(int64_t timeout_ms) override {
    bool drained = true;
    for (const RunnablePart& part : parts_) drained &= part.runner->Drain(timeout_ms);
    return drained;
  }
  void Start(std::shared_ptr<StepContext> /*context*/, std::function<void(Status)> done) override {
    done(Unimplemented("partial runs of several tasks in one process"));
  }
  // Each part has a context of its own.
  std::vector<std::string> RunningOf(const StepContext*) const override { return Running(); }
  std::vector<std::string> Running() const override {
    std::vector<std::string> all;
    for (const RunnablePart& part : parts_) {
      for (std::string& name : part.runner->Running()) all.push_back(std::move(name));
    }
    return all;
  }
  // The context is that of the whole step; its parts replace their own when they are left behind.
  void ReplaceWorkers(const StepContext* /*context*/) override {}

 private:
  Status Begin(StepContext* context, Span<const Tensor> feeds, const StepReport* report,
               const std::shared_ptr<Rendezvous>& rendezvous,
               std::vector<RunningPart>* running) const;
  void RunPart(size_t index, StepContext* context, int64_t timeout_ms, RunningPart* part) const;
  void Gather(std::vector<RunningPart>* running, std::vector<Tensor>* fetched,
              StepReport* report) const;

  const std::vector<RunnablePart> parts_;  // of the caller's task first, if it has one
  const PlanFacts facts_;
  const size_t num_fetches_;
};

Status TaskGroupStep::Begin(StepContext* context, Span<const Tensor> feeds,
                            const StepReport* report, const std::shared_ptr<Rendezvous>& rendezvous,
                            std::vector<RunningPart>* running) const {
  for (size_t i = 0; i < parts_.size(); ++i) {
    RunningPart& part = (*running)[i];
    part.context = parts_[i].task->NewContext(context->step_id(), rendezvous);
    // Whatever ends one part lets go of all that wait for it. The step may outlive this call.
    part.token = part.context->OnCancel([rendezvous, context = part.context.get()] {
      rendezvous->Abort(context->cancel_reason());
    });
    for (const int number : parts_[i].feed_numbers) {
      if (static_cast<size_t>(number) >= feeds.size()) {
        return InvalidArgument("expected more than ", number, " feeds, got ", feeds.size());
      }
      part.feeds.push_back(feeds[static_cast<size_t>(number)]);
    }
    if (report == nullptr) continue;
    part.report.trace = report->trace;
    part.report.deadline = report->deadline;
    part.report.stats = &part.stats;
  }
  return OkStatus();
}

void TaskGroupStep::RunPart(size_t index, StepContext* context, int64_t timeout_ms,
                            RunningPart* part) const {
  part->status = parts_[index].runner->Run(part->context, part->feeds, timeout_ms, &part->fetched,
                                           &part->report);
  if (part->status.ok()) return;
  // Who was only let go of must not hide why.
  if (IsCancelled(part->status)) {
    context->Cancel(part->status);
  } else {
    part->status = context->Fail(part->status);
  }
}

// An error that others have ended for, or that all were told to end. Parts that are late together
// all say what they were at.
Status Outcome(const std::vector<RunningPart>& running) {
  Status outcome;
  for (const RunningPart& part : running) {
    if (part.status.ok()) continue;
    if (IsDeadlineExceeded(outcome) && IsDeadlineExceeded(part.status)) {
      outcome = DeadlineExceeded(outcome.message(), "; ", part.status.message());
    } else if (outcome.ok() || IsCancelled(outcome)) {
      outcome = part.status;
    }
  }
  return outcome;
}

Status TaskGroupStep::Run(std::shared_ptr<StepContext> context, Span<const Tensor> feeds,
                          int64_t timeout_ms, std::vector<Tensor>* fetched, StepReport* report) {
  const auto rendezvous = std::make_shared<Rendezvous>();
  std::vector<RunningPart> running(parts_.size());
  WB_RETURN_IF_ERROR(Begin(context.get(), feeds, report, rendezvous, &running));
  const StepContext::Token token = context->OnCancel([&] {
    for (RunningPart& part : running) part.context->Cancel(context->cancel_reason());
  });
  if (token == StepContext::kAlreadyCancelled) return context->cancel_reason();
  std::vector<std::thread> threads;
  for (size_t i = 1; i < parts_.size(); ++i) {
    auto thread = NewThread([&, i] { RunPart(i, context.get(), timeout_ms, &running[i]); });
    if (thread.ok()) {
      threads.push_back(*std::move(thread));
    } else {
      running[i].status = context->Fail(thread.status());
    }
  }
  if (!parts_.empty()) RunPart(0, context.get(), timeout_ms, &running[0]);
  for (std::thread& thread : threads) thread.join();
  context->RemoveCallback(token);
  WB_RETURN_IF_ERROR(Outcome(running));
  Gather(&running, fetched, report);
  return OkStatus();
}

void TaskGroupStep::Gather(std::vector<RunningPart>* running, std::vector<Tensor>* fetched,
                           StepReport* report) const {
  if (fetched != nullptr) fetched->assign(num_fetches_, Tensor());
  for (size_t i = 0; i < parts_.size(); ++i) {
    RunningPart& part = (*running)[i];
    for (size_t f = 0; fetched != nullptr && f < part.fetched.size(); ++f) {
      (*fetched)[static_cast<size_t>(parts_[i].fetch_numbers[f])] = std::move(part.fetched[f]);
    }
    if (report == nullptr) continue;
    report->items_run += part.report.items_run;
    report->bytes_copied += part.report.bytes_copied;
    if (report->stats != nullptr && report->trace != TraceLevel::kNone) {
      Append(std::move(part.stats), report->stats);
    }
  }
}

}  // namespace

StatusOr<std::unique_ptr<TaskGroup>> TaskGroup::Create(const TaskGroupOptions& options,
                                                       const Graph& graph, LocalTask::Dump dump) {
  if (options.tasks.empty()) return InvalidArgument("a group of tasks needs at least one task");
  if (options.session.devices != nullptr || options.session.resources != nullptr) {
    return Unimplemented("the tasks of a group have devices and resources of their own");
  }
  std::unique_ptr<TaskGroup> group(new TaskGroup);
  std::vector<DeviceName> names;
  FunctionPlans::Setup placing;
  for (size_t i = 0; i < options.tasks.size(); ++i) {
    const auto& task = options.tasks[i];
    if (std::count(options.tasks.begin(), options.tasks.end(), task) > 1) {
      return InvalidArgument("the task ", task.second, " of the job '", task.first,
                             "' is in the group twice");
    }
    SessionOptions own = options.session;
    own.job = task.first;
    own.task = task.second;
    own.use_per_session_threads = true;  // its part may wait for another task's
    WB_ASSIGN_OR_RETURN(std::shared_ptr<DeviceSet> devices, CreateDevices(own));
    names.insert(names.end(), devices->names().begin(), devices->names().end());
    auto resources = std::make_shared<ResourceStore>();
    if (i == 0) placing = FunctionSetup(own, graph, devices, resources);
    WB_ASSIGN_OR_RETURN(std::unique_ptr<LocalTask> made,
                        LocalTask::Create(own, graph, std::move(devices), std::move(resources),
                                          i == 0 ? dump : nullptr));
    group->tasks_.push_back(std::move(made));
  }
  group->cutter_ = std::make_unique<TaskCutter>(SiteList(std::move(names)), *group->tasks_.front(),
                                                std::move(placing), graph);
  return group;
}

StatusOr<Machine> TaskGroup::DescribeMachine() const {
  std::vector<const DeviceSet*> known;
  for (const auto& task : tasks_) known.push_back(task->devices().get());
  return MachineOf(sites().names(), known);
}

void TaskGroup::UpdateLibrary(const FunctionLibrary& library) {
  cutter_->UpdateLibrary(library);
  for (const auto& task : tasks_) task->UpdateLibrary(library);
}

void TaskGroup::ClearResources() {
  for (const auto& task : tasks_) task->resources()->Clear();
}

StatusOr<std::unique_ptr<StepRunner>> TaskGroup::Compile(const StepBounds& bounds,
                                                         const PlanMode& mode) {
  WB_ASSIGN_OR_RETURN(TaskCutter::CutStep step, cutter_->Cut(bounds, mode, /*at_home=*/false));
  PlanMode after = mode;
  after.stage = PassStage::kAfterCut;
  std::vector<RunnablePart> parts;
  for (TaskPart& of_task : step.parts) {
    RunnablePart made;
    made.task = tasks_[static_cast<size_t>(of_task.task)].get();
    made.feed_numbers = std::move(of_task.feed_numbers);
    made.fetch_numbers = std::move(of_task.fetch_numbers);
    WB_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan,
                        CompilePlan(made.task->env(), BoundsOf(std::move(of_task)), after));
    AddCounts(plan->facts, &step.facts);
    made.runner = std::make_unique<PlanRunner>(std::move(plan));
    parts.push_back(std::move(made));
  }
  return std::make_unique<TaskGroupStep>(std::move(parts), std::move(step.facts),
                                         bounds.fetches.size());
}

StatusOr<std::unique_ptr<Session>> NewTaskGroupSession(const TaskGroupOptions& options,
                                                       std::shared_ptr<Graph> graph) {
  return SessionCore::Create(
      options.session, graph,
      [options](const Graph& of_session,
                LocalTask::Dump dump) -> StatusOr<std::unique_ptr<StepTarget>> {
        return TaskGroup::Create(options, of_session, std::move(dump));
      });
}

}  // namespace warpbeam
