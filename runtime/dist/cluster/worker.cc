#include "runtime/dist/cluster/worker.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "graph/io/tensor_io.h"
#include "graph/types/shown_name.h"
#include "proto/worker.pb.h"
#include "runtime/device/local/device_set.h"
#include "runtime/dist/cluster/part_graph.h"
#include "runtime/dist/cluster/remote_status.h"
#include "runtime/dist/cluster/step_collectives.h"
#include "runtime/dist/cluster/task_name.h"
#include "runtime/function/callable_catalog.h"
#include "runtime/kernel/cancellation.h"
#include "runtime/session/device_graphs.h"
#include "runtime/session/local_task.h"
#include "runtime/state/resource_store.h"
#include "runtime/step/plan_runner.h"
#include "runtime/trace/run_metadata_proto.h"

namespace warpbeam {
namespace {

// How many names a task may have in clusters that clients bring.
constexpr size_t kMostNames = 64;

// The same for all that bring the cluster, in whatever order they name its tasks.
std::string AllTasksOf(const tensorflow::ClusterDef& cluster) {
  std::map<std::string, std::string> tasks;
  for (const tensorflow::JobDef& job : cluster.job()) {
    for (const auto& [task, address] : job.tasks()) tasks[TaskName(job.name(), task)] = address;
  }
  return absl::StrJoin(tasks, ",", absl::PairFormatter("="));
}

}  // namespace

struct Worker::RegisteredGraph {
  explicit RegisteredGraph(std::shared_ptr<StatefulKernels> stateful)
      : kernels(KernelRegistry::Global(), std::move(stateful)) {}

  std::shared_ptr<const TaskIdentity> identity;  // the session's, and its task
  std::shared_ptr<LocalTask> task;
  KernelCache kernels;
  std::unique_ptr<PlanRunner> runner;
  Charge charge;
  std::shared_ptr<const CollectiveScope> collectives;
};

struct Worker::WorkerSession {
  std::shared_ptr<const TaskIdentity> identity;
  std::shared_ptr<ResourceStore> resources;
  Charge charge;
  std::string master;  // the task, if it says so
  int64_t master_incarnation = 0;
  std::string group_leader;  // of collectives
  bool asks_nccl = false;
  // A node that stands in several graphs has one kernel, if that has state: a queue, an iterator.
  std::shared_ptr<StatefulKernels> stateful = std::make_shared<StatefulKernels>();
  std::mutex mutex;                 // of what follows; held while a graph is compiled
  std::shared_ptr<LocalTask> task;  // made for the first graph
  FunctionLibrary library;          // of all graphs
  std::map<std::string, std::shared_ptr<RegisteredGraph>> graphs;
};

Worker::Worker(WorkerOptions options)
    : options_(std::move(options)),
      sent_(std::make_shared<SentTensors>(options_.kept_sent_bytes)) {}

StatusOr<std::unique_ptr<Worker>> Worker::Create(WorkerOptions options) {
  std::unique_ptr<Worker> worker(new Worker(std::move(options)));
  SessionOptions& session = worker->options_.session;
  if (session.devices == nullptr) {
    WB_ASSIGN_OR_RETURN(session.devices, CreateDevices(session));
  }
  if (session.resources == nullptr) session.resources = std::make_shared<ResourceStore>();
  std::random_device random;
  for (int i = 0; i < session.devices->size(); ++i) {
    worker->incarnations_.push_back((uint64_t{random()} << 32 | random()) | 1);
  }
  worker->shared_ = std::make_shared<WorkerSession>();
  worker->shared_->resources = session.resources;
  worker->collectives_ = std::make_shared<TaskCollectives>(
      TaskName(session.job, session.task),
      [self = worker.get()](const TaskIdentity& identity) { return self->DevicesOf(identity); },
      worker->options_.may_use_nccl);
  worker->JoinCluster(std::make_shared<PeerDirectory>());
  return worker;
}

Worker::~Worker() { EndSteps(Cancelled(task(), " has stopped")); }

void Worker::JoinCluster(std::shared_ptr<PeerDirectory> peers) {
  const SessionOptions& session = options_.session;
  identity_ = std::make_shared<const TaskIdentity>(TaskIdentity{
      session.job, session.task, TaskName(session.job, session.task), std::move(peers), ""});
  collectives_->JoinCluster(identity_);
  shared_->identity = identity_;
  steps_ = std::make_unique<StepTable>(identity_, transfers_);
}

void Worker::EndStep(int64_t step_id, const Status& why) {
  steps_->End(step_id, why);
  DropStep(step_id, why);
}

void Worker::CleanUpStep(int64_t step_id) {
  const Status why = Aborted("Cleanup ", step_id);
  steps_->CleanUp(step_id, why);
  DropStep(step_id, why);
}

void Worker::DropStep(int64_t step_id, const Status& why) {
  collectives_->buffers()->End(step_id, why);
  sent_->EndStep(step_id);
  ran_.EndStep(step_id);
}

void Worker::ReopenStep(int64_t step_id) {
  steps_->Reopen(step_id);
  collectives_->buffers()->Begin(step_id);
}

Status Worker::MakeDevices(const TaskIdentity& identity) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (named_devices_.count(identity.task) > 0) return OkStatus();
  if (named_devices_.size() >= kMostNames) {
    return ResourceExhausted("the clusters of this task's clients have given it ", kMostNames,
                             " names; that is the most");
  }
  SessionOptions named = options_.session;
  // Parts of steps wait for each other, so they share no threads with other sessions.
  if (identity.task == task() && named.use_per_session_threads) {
    named_devices_[identity.task] = named.devices;
    return OkStatus();
  }
  named.job = identity.job;
  named.task = identity.index;
  named.use_per_session_threads = true;
  WB_ASSIGN_OR_RETURN(std::shared_ptr<DeviceSet> made, CreateDevices(named));
  named_devices_[identity.task] = std::move(made);
  return OkStatus();
}

std::shared_ptr<DeviceSet> Worker::device_set(const TaskIdentity& identity) const {
  if (&identity == identity_.get()) return options_.session.devices;
  std::lock_guard<std::mutex> lock(mutex_);
  return named_devices_.at(identity.task);
}

StatusOr<std::shared_ptr<const TaskIdentity>> Worker::IdentityIn(
    const tensorflow::ServerDef& server) {
  if (!options_.connect) {
    return Unimplemented(task(), " cannot connect to the tasks of a cluster that a client brings");
  }
  TaskIdentity identity;
  identity.job = server.job_name();
  identity.index = server.task_index();
  identity.task = TaskName(identity.job, identity.index);
  WB_ASSIGN_OR_RETURN(identity.peers, options_.connect(server.cluster()));
  identity.cluster = AllTasksOf(server.cluster());
  WB_RETURN_IF_ERROR(identity.peers->Find(identity.task).status());
  WB_RETURN_IF_ERROR(MakeDevices(identity));
  return std::make_shared<const TaskIdentity>(std::move(identity));
}

std::vector<tensorflow::DeviceAttributes> Worker::Devices() const { return DevicesOf(*identity_); }

std::vector<tensorflow::DeviceAttributes> Worker::DevicesOf(const TaskIdentity& identity) const {
  const std::shared_ptr<DeviceSet> set = device_set(identity);
  const DeviceSet& devices = *set;
  std::vector<tensorflow::DeviceAttributes> all;
  for (int i = 0; i < devices.size(); ++i) {
    const Device& device = *devices.device(i);
    tensorflow::DeviceAttributes& attributes = all.emplace_back();
    attributes.set_name(device.name().ToString());
    attributes.set_device_type(DeviceTypeName(device.type()));
    attributes.set_memory_limit(device.memory_limit());
    attributes.mutable_locality();
    attributes.set_incarnation(incarnations_[static_cast<size_t>(i)]);
    if (device.type() != DeviceType::kCpu) {
      attributes.set_physical_device_desc(device.Description());
    }
    attributes.set_xla_global_id(-1);
  }
  return all;
}

void Worker::AnnounceLane(int port, std::string token) {
  std::lock_guard<std::mutex> lock(mutex_);
  lane_port_ = port;
  lane_token_ = std::move(token);
}

Status Worker::GetStatus(const tensorflow::GetStatusRequest&,
                         tensorflow::GetStatusResponse* response) {
  response->set_is_warpbeam(true);
  for (tensorflow::DeviceAttributes& device : Devices()) {
    *response->add_device_attributes() = std::move(device);
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (lane_port_ == 0) return OkStatus();
  response->mutable_lane()->set_port(lane_port_);
  response->mutable_lane()->set_token(lane_token_);
  return OkStatus();
}

StatusOr<std::shared_ptr<Worker::WorkerSession>> Worker::Find(const std::string& handle,
                                                              bool was_created) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = sessions_.find(handle);
  if (found != sessions_.end()) return found->second;
  if (!was_created) return shared_;
  return Aborted("Session handle is not found: ", ShownName(handle), ". Possibly ", task(),
                 " has restarted or closed the session");
}

Status Worker::CreateWorkerSession(const tensorflow::CreateWorkerSessionRequest& request,
                                   tensorflow::CreateWorkerSessionResponse*, Charge charge) {
  auto session = std::make_shared<WorkerSession>();
  session->charge = std::move(charge);
  session->master = request.master_task();
  session->master_incarnation = request.master_incarnation();
  session->resources = request.isolate_session_state() ? std::make_shared<ResourceStore>()
                                                       : options_.session.resources;
  session->identity = identity_;
  if (request.server_def().cluster().job_size() > 0) {
    WB_ASSIGN_OR_RETURN(session->identity, IdentityIn(request.server_def()));
  }
  std::vector<std::shared_ptr<WorkerSession>> gone;  // without the lock
  const auto& experimental = request.server_def().default_session_config().experimental();
  session->group_leader = experimental.collective_group_leader();
  session->asks_nccl = experimental.collective_nccl();
  std::lock_guard<std::mutex> lock(mutex_);
  if (!session->master.empty()) {
    for (auto it = sessions_.begin(); it != sessions_.end();) {
      const WorkerSession& other = *it->second;
      const bool is_lost = other.master == session->master &&
                           other.master_incarnation != session->master_incarnation;
      if (is_lost) gone.push_back(std::move(it->second));
      it = is_lost ? sessions_.erase(it) : std::next(it);
    }
  }
  std::shared_ptr<WorkerSession>& known = sessions_[request.session_handle()];
  if (known != nullptr) gone.push_back(std::move(known));
  known = std::move(session);
  return OkStatus();
}

Status Worker::DeleteWorkerSession(const tensorflow::DeleteWorkerSessionRequest& request,
                                   tensorflow::DeleteWorkerSessionResponse*) {
  if (!request.session_handle().empty()) collectives_->EndScope(request.session_handle());
  std::shared_ptr<WorkerSession> gone;
  std::lock_guard<std::mutex> lock(mutex_);
  if (const auto found = sessions_.find(request.session_handle()); found != sessions_.end()) {
    gone = std::move(found->second);
    sessions_.erase(found);
  }
  return OkStatus();
}

StatusOr<std::shared_ptr<Worker::RegisteredGraph>> Worker::Compile(
    const tensorflow::RegisterGraphRequest& request, WorkerSession* session) const {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Graph> graph, ReadPart(request.graph_def(), options_.limits));
  const TaskIdentity& identity = *session->identity;
  const std::shared_ptr<DeviceSet> devices = device_set(identity);
  if (session->task == nullptr) {
    SessionOptions options = options_.session;
    options.job = identity.job;
    options.task = identity.index;
    WB_ASSIGN_OR_RETURN(session->task,
                        LocalTask::Create(options, *graph, devices, session->resources, nullptr));
  }
  for (const auto& [name, function] : graph->functions().functions()) {
    if (session->library.Find(name) != nullptr) continue;
    WB_RETURN_IF_ERROR(session->library.Add(function));
  }
  session->task->UpdateLibrary(session->library);
  auto registered = std::make_shared<RegisteredGraph>(session->stateful);
  registered->identity = session->identity;
  registered->task = session->task;
  WB_ASSIGN_OR_RETURN(const StepBounds bounds,
                      PlacePart(std::move(graph), KernelsFor(*devices), PlacingOf(options_.session),
                                devices->names()));
  CompileEnv env = session->task->env();
  env.kernels = &registered->kernels;
  PlanMode mode;
  mode.stage = PassStage::kAfterCut;
  WB_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan, CompilePlan(env, bounds, mode));
  registered->runner = std::make_unique<PlanRunner>(std::move(plan));
  auto scope = std::make_shared<CollectiveScope>();
  scope->identity = session->identity;
  scope->session = request.session_handle();
  // TensorFlow's masters tell it with each graph.
  const auto& experimental = request.config_proto().experimental();
  const std::string& leader = experimental.collective_group_leader();
  scope->leader = leader.empty() ? session->group_leader : leader;
  scope->asks_nccl = session->asks_nccl || experimental.collective_nccl();
  scope->shared_groups.insert(request.shared_group_key().begin(), request.shared_group_key().end());
  scope->own_groups.insert(request.own_group_key().begin(), request.own_group_key().end());
  scope->graph_key = request.collective_graph_key();
  scope->by_number = !request.meets_by_count();
  WB_ASSIGN_OR_RETURN(scope->has_loops, HasLoopedCollective(bounds));
  registered->collectives = std::move(scope);
  return registered;
}

Status Worker::RegisterGraph(const tensorflow::RegisterGraphRequest& request,
                             tensorflow::RegisterGraphResponse* response, Charge charge) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<WorkerSession> session,
                      Find(request.session_handle(), request.create_worker_session_called()));
  std::string handle;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    handle = absl::StrFormat("%016x", next_graph_++);
  }
  std::lock_guard<std::mutex> lock(session->mutex);
  auto registered = Compile(request, session.get());
  if (!registered.ok()) return ToldBy(session->identity->task, registered.status());
  (*registered)->charge = std::move(charge);
  session->graphs[handle] = *std::move(registered);
  response->set_graph_handle(handle);
  return OkStatus();
}

Status Worker::DeregisterGraph(const tensorflow::DeregisterGraphRequest& request,
                               tensorflow::DeregisterGraphResponse*) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<WorkerSession> session,
                      Find(request.session_handle(), request.create_worker_session_called()));
  std::shared_ptr<RegisteredGraph> gone;
  std::lock_guard<std::mutex> lock(session->mutex);
  const auto found = session->graphs.find(request.graph_handle());
  if (found == session->graphs.end()) {
    return Aborted("Graph handle is not found: ", ShownName(request.graph_handle()));
  }
  gone = std::move(found->second);
  session->graphs.erase(found);
  return OkStatus();
}

// Keeps a part among those at work.
class Worker::PartScope {
 public:
  PartScope(Worker* worker, int64_t step_id, Part part) : worker_(*worker) {
    std::lock_guard<std::mutex> lock(worker_.parts_mutex_);
    at_ = worker_.parts_.emplace(step_id, std::move(part));
  }
  ~PartScope() {
    std::lock_guard<std::mutex> lock(worker_.parts_mutex_);
    worker_.parts_.erase(at_);
  }
  PartScope(const PartScope&) = delete;
  PartScope& operator=(const PartScope&) = delete;

 private:
  Worker& worker_;
  std::multimap<int64_t, Part>::iterator at_;
};

std::vector<int64_t> Worker::PartsAtWork() const {
  std::lock_guard<std::mutex> lock(parts_mutex_);
  std::vector<int64_t> ids;
  for (const auto& [step_id, part] : parts_) ids.push_back(step_id);
  return ids;
}

std::vector<std::string> Worker::DescribePart(int64_t step_id) const {
  std::lock_guard<std::mutex> lock(parts_mutex_);
  std::vector<std::string> all;
  const auto parts = parts_.equal_range(step_id);
  for (auto part = parts.first; part != parts.second; ++part) {
    for (const std::string& tensor : part->second.rendezvous->Awaited()) {
      all.push_back(absl::StrCat("receiving ", tensor));
    }
    const PlanRunner& runner = *part->second.graph->runner;
    for (std::string& item : runner.Running(part->second.context)) all.push_back(std::move(item));
  }
  return all;
}

Status Worker::RunGraph(const tensorflow::RunGraphRequest& request, Cancellation* cancellation,
                        tensorflow::RunGraphResponse* response) {
  return ran_.Once(request, cancellation, response,
                   [&] { return RunGraphOnce(request, cancellation, response); });
}

Status Worker::RunGraphOnce(const tensorflow::RunGraphRequest& request, Cancellation* cancellation,
                            tensorflow::RunGraphResponse* response) {
  Status status;
  auto session = Find(request.session_handle(), request.create_worker_session_called());
  std::shared_ptr<RegisteredGraph> graph;
  if (session.ok()) {
    std::lock_guard<std::mutex> lock((*session)->mutex);
    const auto found = (*session)->graphs.find(request.graph_handle());
    if (found != (*session)->graphs.end()) graph = found->second;
  }
  if (!session.ok()) {
    status = session.status();
  } else if (graph == nullptr) {
    status = Aborted("Graph handle is not found: ", ShownName(request.graph_handle()),
                     ". Possibly ", task(), " has just been restarted");
  } else {
    const TaskIdentity& identity = *(*session)->identity;
    status = ToldBy(identity.task, RunIn(*graph, request, cancellation, response));
  }
  if (status.ok() || !request.store_errors_in_response_body()) return status;
  response->Clear();
  response->set_status_code(static_cast<tensorflow::error::Code>(status.code()));
  response->set_status_error_message(std::string(status.message()));
  return OkStatus();
}

Status Worker::RunTold(RegisteredGraph& graph, const tensorflow::ExecutorOpts& told,
                       const std::shared_ptr<StepContext>& context,
                       tensorflow::RunGraphResponse* response) {
  StepReport report;
  StepStats stats;
  if (told.record_timeline() || told.record_costs()) {
    report.trace = TraceLevel::kSoftware;
    report.stats = &stats;
  }
  WB_RETURN_IF_ERROR(graph.runner->Run(context, {}, 0, nullptr, &report));
  if (told.record_timeline()) StepStatsToProto(stats, response->mutable_step_stats());
  const Plan& plan = graph.runner->plan();
  if (told.record_costs()) {
    CostGraphToProto(CostGraphOf(*plan.facts.graph, stats), response->mutable_cost_graph());
  }
  if (!told.record_partition_graphs()) return OkStatus();
  for (const DeviceGraph& part : DeviceGraphsOf(plan)) {
    WB_RETURN_IF_ERROR(DeviceGraphToProto(part, response->add_partition_graph()));
  }
  return OkStatus();
}

Status Worker::RunIn(RegisteredGraph& graph, const tensorflow::RunGraphRequest& request,
                     Cancellation* cancellation, tensorflow::RunGraphResponse* response) {
  const bool meets_by_number = graph.collectives->by_number && graph.collectives->graph_key != 0;
  if (meets_by_number) ReopenStep(request.step_id());
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<TaskRendezvous> rendezvous,
                      steps_->Get(request.step_id()));
  rendezvous->BelongTo(graph.identity);
  const std::string& task = graph.identity->task;
  const auto collectives =
      std::make_shared<StepCollectives>(collectives_.get(), graph.collectives, request.step_id());
  rendezvous->set_collectives(collectives);
  const std::shared_ptr<StepContext> context =
      graph.task->NewContext(request.step_id(), rendezvous);
  const Cancellation::Scope scope(cancellation, context.get());
  const EndsWithStep ends(task, context.get(), rendezvous);
  const PartScope at_work(this, request.step_id(), {&graph, context.get(), rendezvous});
  if (ends.is_too_late()) return context->cancel_reason();
  for (const tensorflow::NamedTensorProto& sent : request.send()) {
    WB_ASSIGN_OR_RETURN(Tensor value, TensorFromProto(sent.tensor()));
    WB_RETURN_IF_ERROR(rendezvous->Send(sent.name(), {std::move(value)}));
  }
  const Status ran = RunTold(graph, request.exec_opts(), context, response);
  if (!ran.ok()) {
    collectives->Fail(ran);
    if (IsCancelled(ran)) {
      // A master that has gone will not clean up after it.
      EndStep(request.step_id(), ToldBy(task, ran));
    } else {
      rendezvous->Abort(ToldBy(task, ran));
    }
    return ran;
  }
  for (const std::string& key : request.recv_key()) {
    WB_ASSIGN_OR_RETURN(const Rendezvous::Value value, rendezvous->ReceiveWithin(key, 1));
    if (value.is_dead) return InvalidArgument("The tensor returned for ", key, " was not valid.");
    tensorflow::NamedTensorProto* const named = response->add_recv();
    named->set_name(key);
    WB_RETURN_IF_ERROR(TensorToProto(value.tensor, TensorForm::kContent, named->mutable_tensor()));
  }
  return OkStatus();
}

Status Worker::CleanupGraph(const tensorflow::CleanupGraphRequest& request,
                            tensorflow::CleanupGraphResponse*) {
  CleanUpStep(request.step_id());
  return OkStatus();
}

Status Worker::MarkRecvFinished(const tensorflow::MarkRecvFinishedRequest& request,
                                tensorflow::MarkRecvFinishedResponse*) {
  sent_->MarkReceived(request.request_id());
  return OkStatus();
}

Status Worker::Logging(const tensorflow::LoggingRequest& request,
                       tensorflow::LoggingResponse* response) {
  if (request.enable_rpc_logging()) transfers_->SetOn(true);
  // Old masters turn it off by not turning it on.
  const bool asks_for_nothing = !request.enable_rpc_logging() && request.fetch_step_id().empty();
  if (request.disable_rpc_logging() || asks_for_nothing) transfers_->SetOn(false);
  for (const int64_t step_id : request.fetch_step_id()) {
    tensorflow::StepStats stats;
    transfers_->Take(step_id, &stats);
    if (stats.dev_stats().empty()) continue;
    tensorflow::LabeledStepStats* const step = response->add_step();
    step->set_step_id(step_id);
    *step->mutable_step_stats() = std::move(stats);
  }
  if (request.clear()) transfers_->Clear();
  return OkStatus();
}

Status Worker::Tracing(const tensorflow::TracingRequest&, tensorflow::TracingResponse*) {
  return Unimplemented("Tracing: trace steps by their RunOptions");
}

Status Worker::CleanupAll(const tensorflow::CleanupAllRequest& request,
                          tensorflow::CleanupAllResponse*) {
  ResourceStore& resources = *options_.session.resources;
  if (request.container().empty()) resources.Clear();
  for (const std::string& container : request.container()) resources.ClearContainer(container);
  return OkStatus();
}

Worker::Receiving Worker::RecvTensor(const tensorflow::RecvTensorRequest& request,
                                     Rendezvous::Receiver receiver) {
  auto rendezvous = steps_->Get(request.step_id());
  if (!rendezvous.ok()) {  // what it had sent is kept no longer, either
    receiver(rendezvous.status());
    return {};
  }
  const std::string& key = request.rendezvous_key();
  const int64_t id = request.request_id();
  if (id == 0) {
    const int64_t number = (*rendezvous)->ReceiveNumbered(key, std::move(receiver));
    if (number == 0) return {};
    return {*std::move(rendezvous), key, number, nullptr, 0};
  }
  int64_t number = 0;
  if (sent_->Begin(id, request.step_id(), &receiver, &number)) {
    sent_->SetWaiting(id, *rendezvous, key,
                      (*rendezvous)->ReceiveNumbered(key, std::move(receiver)));
  }
  if (number == 0) return {};
  return {nullptr, "", number, sent_, id};
}

Worker::Receiving Worker::RecvBuf(const tensorflow::RecvBufRequest& request,
                                  Rendezvous::Receiver receiver) {
  if (!CollectiveGroup::IsKey(request.buf_rendezvous_key())) {
    if (const Status is_here = collectives_->CheckSource(request); !is_here.ok()) {
      receiver(is_here);
      return {};
    }
    Receiving receiving;
    receiving.key = request.buf_rendezvous_key();
    receiving.step = request.step_id();
    receiving.buffers = collectives_->buffers();
    receiving.number =
        receiving.buffers->Take(receiving.step, receiving.key, request.dst_device(),
                                [receiver = std::move(receiver)](StatusOr<Tensor> piece) {
                                  if (!piece.ok()) return receiver(piece.status());
                                  receiver(Rendezvous::Value{*std::move(piece)});
                                });
    return receiving;
  }
  auto meeting = collectives_->Meeting(request.step_id());
  if (!meeting.ok()) {
    receiver(meeting.status());
    return {};
  }
  const std::string& key = request.buf_rendezvous_key();
  const int64_t number = (*meeting)->ReceiveNumbered(key, std::move(receiver));
  if (number == 0) return {};
  return {*std::move(meeting), key, number, nullptr, 0};
}

}  // namespace warpbeam
