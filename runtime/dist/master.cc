#include "runtime/dist/master.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "graph/types/shown_name.h"
#include "proto/master.pb.h"
#include "proto/worker.pb.h"
#include "runtime/dist/cluster/cluster_target.h"
#include "runtime/dist/cluster/remote_status.h"
#include "runtime/dist/config_proto.h"
#include "runtime/dist/step_messages.h"
#include "runtime/state/resource_store.h"
#include "runtime/trace/run_metadata_proto.h"

namespace warpbeam {
namespace {

// How long another task has to answer what takes no time.
constexpr int64_t kPeerMs = 10000;

Status MetadataToProto(const RunMetadata& metadata, tensorflow::RunMetadata* proto) {
  return RunMetadataToProto(metadata.step_stats, metadata.cost_graph, metadata.partition_graphs,
                            proto);
}

template <class Names>
std::vector<std::string> Strings(const Names& names) {
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace

struct Master::Membership {
  std::shared_ptr<const TaskIdentity> identity;
  std::shared_ptr<const tensorflow::ClusterDef> cluster;  // null: this server's
  DeviceFilters filters;                                  // of other tasks' devices; empty: all
};

struct Master::OpenSession {
  // After the first runs with the same feeds and fetches, one in so many has a cost graph.
  bool WantsCostGraph(const tensorflow::RunStepRequest& request) {
    if (cost_graph_every <= 0) return false;
    std::string key;
    for (const auto& feed : request.feed()) absl::StrAppend(&key, feed.name(), "\n");
    absl::StrAppend(&key, "\n", absl::StrJoin(request.fetch(), "\n"), "\n\n",
                    absl::StrJoin(request.target(), "\n"));
    std::lock_guard<std::mutex> lock(mutex);
    const int64_t run = runs[key]++ - cost_graph_after;
    return run >= 0 && (run + 1) % cost_graph_every == 0;
  }

  // What its client is to know of a step: one that ends because the server goes was cancelled by
  // nobody that the client knows of, and may be run again elsewhere.
  Status StatusOfStep(const Status& status) const {
    if (!IsCancelled(status) || !is_taken_down) return status;
    return Unavailable(
        "the server has closed the session: it stops, or all its sessions were reset");
  }

  Membership membership;
  std::unique_ptr<SessionCore> session;
  std::shared_ptr<Graph> graph;
  std::atomic<bool> is_taken_down{false};  // by CloseAll
  int64_t cost_graph_every = 0;            // 0: never
  int64_t cost_graph_after = 0;
  std::mutex mutex;  // of what follows
  std::vector<Charge> charges;
  std::map<int64_t, Charge> callables;
  int64_t version = 0;
  std::map<std::string, int64_t> runs;  // by what they feed and fetch, where cost graphs are wanted
};

Master::Master(MasterOptions options) : options_(std::move(options)) {
  std::random_device seed;
  random_.seed((uint64_t{seed()} << 32) | seed());
}

StatusOr<std::unique_ptr<Master>> Master::Create(MasterOptions options) {
  std::unique_ptr<Master> master(new Master(std::move(options)));
  SessionOptions& session = master->options_.session;
  // What its own sessions run may wait for other tasks, and those for what this one runs for them.
  if (master->IsInCluster()) session.use_per_session_threads = true;
  WB_ASSIGN_OR_RETURN(
      master->worker_,
      Worker::Create({session, master->options_.limits, master->options_.connect,
                      master->options_.kept_sent_bytes, master->options_.may_use_nccl}));
  session.devices = master->worker_->devices();
  session.resources = master->worker_->resources();
  if (master->IsInCluster()) master->worker_->JoinCluster(master->options_.peers);
  if (master->options_.log != nullptr && master->options_.long_step_ms > 0) {
    LongSteps::Source source;
    source.at_work = [at = master.get()] { return at->StepsAtWork(); };
    source.describe = [at = master.get()](int64_t id) { return at->DescribeStep(id); };
    const std::chrono::milliseconds after(master->options_.long_step_ms);
    master->long_steps_ =
        std::make_unique<LongSteps>(std::move(source), after, master->options_.log);
  }
  return master;
}

Master::~Master() {
  long_steps_.reset();
  CloseAll(options_.close_timeout_ms).IgnoreError();
}

std::string Master::NewHandle() {
  std::string handle;
  do {
    handle = absl::StrFormat("%016x", random_());
  } while (sessions_.count(handle) > 0);
  return handle;
}

StatusOr<std::shared_ptr<Master::OpenSession>> Master::Find(const std::string& handle) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = sessions_.find(handle);
  if (found != sessions_.end()) return found->second;
  return Aborted("Session ", ShownName(handle),
                 " is not found: it was closed, or the server started anew");
}

Status Master::ForClient(const Status& status) const {
  if (status.ok()) return status;
  return ToldBy(worker_->task(), status);
}

bool Master::IsInCluster() const {
  return options_.peers != nullptr && options_.peers->Tasks().size() > 1;
}

StatusOr<Master::Membership> Master::MembershipOf(const tensorflow::CreateSessionRequest& request) {
  Membership membership;
  membership.identity = worker_->identity();
  for (const std::string& filter : request.config().device_filters()) {
    WB_RETURN_IF_ERROR(membership.filters.Add(filter));
  }
  if (request.config().cluster_def().job_size() == 0) return membership;
  const absl::string_view address = absl::StripPrefix(request.target(), "grpc://");
  tensorflow::ServerDef self;
  *self.mutable_cluster() = request.config().cluster_def();
  for (const tensorflow::JobDef& job : self.cluster().job()) {
    for (const auto& [task, of_task] : job.tasks()) {
      if (of_task != address) continue;
      self.set_job_name(job.name());
      self.set_task_index(task);
    }
  }
  if (self.job_name().empty()) {
    return InvalidArgument("the cluster of the session's config has no task at '", address,
                           "', the address by which the client knows this server");
  }
  WB_ASSIGN_OR_RETURN(membership.identity, worker_->IdentityIn(self));
  membership.cluster = std::make_shared<const tensorflow::ClusterDef>(self.cluster());
  return membership;
}

std::vector<std::shared_ptr<Master::OpenSession>> Master::Sessions() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::shared_ptr<OpenSession>> all;
  for (const auto& [handle, open] : sessions_) all.push_back(open);
  return all;
}

std::vector<int64_t> Master::StepsAtWork() const {
  std::vector<int64_t> ids = worker_->PartsAtWork();
  for (const auto& open : Sessions()) {
    for (const int64_t id : open->session->StepsAtWork()) ids.push_back(id);
  }
  return ids;
}

std::vector<std::string> Master::DescribeStep(int64_t step_id) const {
  for (const auto& open : Sessions()) {
    std::vector<std::string> words = open->session->DescribeStep(step_id);
    if (!words.empty()) return words;
  }
  return worker_->DescribePart(step_id);
}

StatusOr<std::unique_ptr<SessionCore>> Master::NewSession(const SessionOptions& options,
                                                          const Membership& membership,
                                                          const tensorflow::ConfigProto& config,
                                                          std::shared_ptr<Graph> graph) {
  if (!IsInCluster() && membership.cluster == nullptr) {
    return SessionCore::Create(options, std::move(graph),
                               [&](const Graph& of_session, LocalTask::Dump dump) {
                                 return NewLocalTarget(options, of_session, std::move(dump));
                               });
  }
  ClusterTarget::Options target;
  target.session = options;
  target.is_isolated = config.isolate_session_state();
  target.group_leader = config.experimental().collective_group_leader();
  target.asks_nccl = config.experimental().collective_nccl();
  target.worker = worker_.get();
  target.identity = membership.identity;
  target.cluster = membership.cluster;
  target.filters = membership.filters;
  target.call_timeout_ms = options_.session_timeout_ms;
  target.log = options_.log;
  target.ended = [this, begun = times_closed_.load()]() -> Status {
    if (times_closed_ == begun) return OkStatus();
    return Unavailable("the server closes its sessions");
  };
  return NewClusterSession(std::move(target), std::move(graph));
}

Status Master::CreateSession(const tensorflow::CreateSessionRequest& request,
                             tensorflow::CreateSessionResponse* response, Charge charge) {
  auto open = std::make_shared<OpenSession>();
  open->charges.push_back(std::move(charge));
  open->graph = std::make_shared<Graph>();
  ImportOptions import;
  import.limits = options_.limits;
  WB_RETURN_IF_ERROR(ForClient(ImportGraphDef(request.graph_def(), import, open->graph.get())));
  SessionOptions options = options_.session;
  WB_RETURN_IF_ERROR(ApplyConfig(request.config(), &options));
  if (!request.config().log_device_placement()) options.log_device_placement = nullptr;
  if (request.config().isolate_session_state()) {
    options.resources = std::make_shared<ResourceStore>();
  }
  open->cost_graph_every = request.config().graph_options().build_cost_model();
  open->cost_graph_after = request.config().graph_options().build_cost_model_after();
  const int64_t begun = times_closed_;
  auto membership = MembershipOf(request);
  if (!membership.ok()) return ForClient(membership.status());
  open->membership = *std::move(membership);
  auto session = NewSession(options, open->membership, request.config(), open->graph);
  if (!session.ok()) return ForClient(session.status());
  open->session = *std::move(session);
  std::lock_guard<std::mutex> lock(mutex_);
  if (times_closed_ != begun) {
    return ForClient(Unavailable("the server has closed its sessions meanwhile"));
  }
  const std::string handle = NewHandle();
  response->set_session_handle(handle);
  sessions_[handle] = std::move(open);
  return OkStatus();
}

Status Master::ExtendSession(const tensorflow::ExtendSessionRequest& request,
                             tensorflow::ExtendSessionResponse* response, Charge charge) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<OpenSession> open, Find(request.session_handle()));
  std::lock_guard<std::mutex> lock(open->mutex);
  if (request.current_graph_version() != open->version) {
    return Aborted("the graph is at version ", open->version, ", but the extension is of version ",
                   request.current_graph_version(), ": another client has extended it");
  }
  ImportOptions import;
  import.limits = options_.limits;
  const Status status = open->session->Extend(
      [&](Graph& graph) { return ImportGraphDef(request.graph_def(), import, &graph); });
  if (!status.ok()) return ForClient(status);
  open->charges.push_back(std::move(charge));
  response->set_new_graph_version(++open->version);
  return OkStatus();
}

Status Master::RunStep(const tensorflow::RunStepRequest& request, Cancellation* cancellation,
                       RunStepReply* reply) {
  Status status = recent_.Begin(request.request_id(), "RunStep");
  if (status.ok()) {
    const auto open = Find(request.session_handle());
    status = open.ok()
                 ? ForClient((*open)->StatusOfStep(RunStepIn(**open, request, cancellation, reply)))
                 : open.status();
  }
  if (status.ok() || !request.store_errors_in_response_body()) return status;
  tensorflow::RunStepResponse failed;
  failed.set_status_code(static_cast<tensorflow::error::Code>(status.code()));
  failed.set_status_error_message(std::string(status.message()));
  reply->Clear();
  reply->Append(failed);
  return OkStatus();
}

Status Master::RunStepIn(OpenSession& open, const tensorflow::RunStepRequest& request,
                         Cancellation* cancellation, RunStepReply* reply) {
  NamedTensors feeds;
  feeds.reserve(request.feed_size());
  for (const tensorflow::NamedTensorProto& feed : request.feed()) {
    auto tensor = TensorFromProto(feed.tensor());
    if (!tensor.ok()) {
      return Annotate(tensor.status(), absl::StrCat("feed '", ShownName(feed.name()), "'"));
    }
    feeds.emplace_back(feed.name(), *std::move(tensor));
  }
  const std::vector<std::string> fetches = Strings(request.fetch());
  std::vector<Tensor> fetched;
  tensorflow::RunStepResponse rest;
  if (!request.partial_run_handle().empty()) {
    WB_RETURN_IF_ERROR(open.session->PartialRun(request.partial_run_handle(), feeds, fetches,
                                                &fetched, cancellation));
  } else {
    RunOptions options = RunOptionsFromProto(request.options());
    options.cost_graph = open.WantsCostGraph(request);
    options.cancellation = cancellation;
    RunMetadata metadata;
    WB_RETURN_IF_ERROR(
        open.session->Run(options, feeds, fetches, Strings(request.target()), &fetched, &metadata));
    WB_RETURN_IF_ERROR(MetadataToProto(metadata, rest.mutable_metadata()));
  }
  for (size_t i = 0; i < fetches.size(); ++i) {
    WB_RETURN_IF_ERROR(Annotate(reply->Add(fetches[i], fetched[i]),
                                absl::StrCat("fetch '", ShownName(fetches[i]), "'")));
  }
  reply->Append(rest);
  return OkStatus();
}

Status Master::PartialRunSetup(const tensorflow::PartialRunSetupRequest& request,
                               tensorflow::PartialRunSetupResponse* response) {
  WB_RETURN_IF_ERROR(recent_.Begin(request.request_id(), "PartialRunSetup"));
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<OpenSession> open, Find(request.session_handle()));
  auto handle = open->session->PartialRunSetup(Strings(request.feed()), Strings(request.fetch()),
                                               Strings(request.target()));
  if (!handle.ok()) return ForClient(handle.status());
  response->set_partial_run_handle(*handle);
  return OkStatus();
}

Status Master::MakeCallable(const tensorflow::MakeCallableRequest& request,
                            Cancellation* cancellation, tensorflow::MakeCallableResponse* response,
                            Charge charge) {
  WB_RETURN_IF_ERROR(recent_.Begin(request.request_id(), "MakeCallable"));
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<OpenSession> open, Find(request.session_handle()));
  WB_ASSIGN_OR_RETURN(CallableOptions options, CallableOptionsFromProto(request.options()));
  options.run.cancellation = cancellation;
  auto handle = open->session->MakeCallable(options);
  if (!handle.ok()) return ForClient(handle.status());
  response->set_handle(*handle);
  std::lock_guard<std::mutex> lock(open->mutex);
  open->callables[*handle] = std::move(charge);
  return OkStatus();
}

Status Master::RunCallable(const tensorflow::RunCallableRequest& request,
                           Cancellation* cancellation, tensorflow::RunCallableResponse* response) {
  WB_RETURN_IF_ERROR(recent_.Begin(request.request_id(), "RunCallable"));
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<OpenSession> open, Find(request.session_handle()));
  std::vector<Tensor> feeds, fetched;
  for (const tensorflow::TensorProto& feed : request.feed()) {
    auto tensor = TensorFromProto(feed);
    if (!tensor.ok()) {
      return Annotate(tensor.status(), absl::StrCat("feed number ", feeds.size()));
    }
    feeds.push_back(*std::move(tensor));
  }
  RunMetadata metadata;
  WB_RETURN_IF_ERROR(ForClient(open->StatusOfStep(
      open->session->RunCallable(request.handle(), feeds, &fetched, &metadata, cancellation))));
  WB_RETURN_IF_ERROR(MetadataToProto(metadata, response->mutable_metadata()));
  for (const Tensor& t : fetched) {
    WB_RETURN_IF_ERROR(TensorToProto(t, TensorForm::kContent, response->add_fetch()));
  }
  return OkStatus();
}

Status Master::ReleaseCallable(const tensorflow::ReleaseCallableRequest& request,
                               tensorflow::ReleaseCallableResponse*) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<OpenSession> open, Find(request.session_handle()));
  const Status released = open->session->ReleaseCallable(request.handle());
  std::lock_guard<std::mutex> lock(open->mutex);
  if (released.ok()) open->callables.erase(request.handle());
  return ForClient(released);
}

Status Master::CloseSession(const tensorflow::CloseSessionRequest& request,
                            tensorflow::CloseSessionResponse*) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<OpenSession> open, Find(request.session_handle()));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    sessions_.erase(request.session_handle());
  }
  return ForClient(open->session->Close(options_.close_timeout_ms));
}

Status Master::CloseAll(int64_t timeout_ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  std::map<std::string, std::shared_ptr<OpenSession>> all;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ++times_closed_;
    all.swap(sessions_);
  }
  // All are told at once, and have the same time.
  for (const auto& [handle, open] : all) open->is_taken_down = true;
  for (const auto& [handle, open] : all) open->session->Close(0).IgnoreError();
  Status first;
  for (const auto& [handle, open] : all) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    first.Update(ForClient(open->session->Close(std::max<int64_t>(0, left.count()))));
  }
  return first;
}

Status Master::Reset(const tensorflow::ResetRequest& request, tensorflow::ResetResponse*) {
  const Status closed = CloseAll(options_.close_timeout_ms);
  ResourceStore& resources = *options_.session.resources;
  if (request.container().empty()) resources.Clear();
  for (const std::string& container : request.container()) resources.ClearContainer(container);
  if (!IsInCluster()) return closed;
  Status status = closed;
  tensorflow::CleanupAllRequest everywhere;
  *everywhere.mutable_container() = request.container();
  for (const std::string& task : options_.peers->Tasks()) {
    if (task == worker_->task()) continue;
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<WorkerPeer> peer, options_.peers->Find(task));
    tensorflow::CleanupAllResponse answer;
    status.Update(ForClient(peer->CleanupAll(everywhere, kPeerMs, &answer)));
  }
  return status;
}

Status Master::ListDevices(const tensorflow::ListDevicesRequest& request,
                           tensorflow::ListDevicesResponse* response) {
  Membership membership;
  membership.identity = worker_->identity();
  if (!request.session_handle().empty()) {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<OpenSession> open, Find(request.session_handle()));
    membership = open->membership;
  }
  const TaskIdentity& own = *membership.identity;
  for (tensorflow::DeviceAttributes& device : worker_->DevicesOf(own)) {
    *response->add_local_device() = std::move(device);
  }
  for (const std::string& task : own.peers->Tasks()) {
    WB_ASSIGN_OR_RETURN(const DeviceName of_task, DeviceName::Parse(task));
    if (task == own.task || !membership.filters.Has(of_task)) continue;
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<WorkerPeer> peer, own.peers->Find(task));
    tensorflow::GetStatusResponse status;
    WB_RETURN_IF_ERROR(ForClient(peer->GetStatus({}, kPeerMs, &status)));
    for (tensorflow::DeviceAttributes& device : *status.mutable_device_attributes()) {
      WB_ASSIGN_OR_RETURN(DeviceName name, DeviceName::Parse(device.name()));
      name.OverrideWith(of_task);
      if (!membership.filters.Has(name)) continue;
      device.set_name(name.ToString());
      *response->add_remote_device() = std::move(device);
    }
  }
  return OkStatus();
}

}  // namespace warpbeam
