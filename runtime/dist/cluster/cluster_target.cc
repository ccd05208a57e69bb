#include "runtime/dist/cluster/cluster_target.h"

#include <algorithm>
#include <random>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "graph/passes/pass_pipeline.h"
#include "graph/types/shown_name.h"
#include "proto/worker.pb.h"
#include "runtime/dist/cluster/cluster_step.h"
#include "runtime/dist/cluster/part_graph.h"
#include "runtime/dist/cluster/roll_call.h"
#include "runtime/dist/cluster/task_name.h"
#include "runtime/dist/collective/step_numbers.h"
#include "runtime/effects/collective_meetings.h"
#include "runtime/session/session_core.h"

namespace warpbeam {
namespace {

std::string NewSessionHandle() {
  std::random_device random;
  return absl::StrFormat("%08x%08x", random(), random());
}

// A device that a task says it has. In a cluster that a client has brought the task still goes by
// the name of its own.
StatusOr<DeviceName> DeviceOf(absl::string_view task, const std::string& device, bool is_renamed) {
  WB_ASSIGN_OR_RETURN(DeviceName name, DeviceName::Parse(device));
  if (is_renamed && name.IsFull()) {
    WB_ASSIGN_OR_RETURN(const DeviceName renamed, DeviceName::Parse(task));
    name.OverrideWith(renamed);
  }
  if (!name.IsFull() || TaskOfDevice(name.ToString()) != task) {
    return InvalidArgument(task, " says that it has the device '", device,
                           "', which is another task's: is the cluster the same for all tasks?");
  }
  return name;
}

}  // namespace

StatusOr<std::unique_ptr<ClusterTarget>> ClusterTarget::Create(Options options, const Graph& graph,
                                                               LocalTask::Dump dump) {
  if (options.identity == nullptr) options.identity = options.worker->identity();
  options.session.job = options.identity->job;
  options.session.task = options.identity->index;
  options.session.devices = options.worker->device_set(*options.identity);
  std::unique_ptr<ClusterTarget> target(new ClusterTarget(std::move(options)));
  target->session_handle_ = NewSessionHandle();
  WB_ASSIGN_OR_RETURN(SiteList sites, target->FindSites());
  WB_RETURN_IF_ERROR(target->OpenSessions());
  const SessionOptions& session = target->options_.session;
  WB_ASSIGN_OR_RETURN(target->home_, LocalTask::Create(session, graph, session.devices,
                                                       session.resources, std::move(dump)));
  target->cutter_ = std::make_unique<TaskCutter>(
      std::move(sites), *target->home_,
      FunctionSetup(session, graph, session.devices, session.resources), graph);
  return target;
}

ClusterTarget::~ClusterTarget() {
  options_.worker->collectives().EndScope(session_handle_);
  for (const Member& member : members_) {
    if (!member.has_session) continue;
    tensorflow::DeleteWorkerSessionRequest request;
    request.set_session_handle(session_handle_);
    tensorflow::DeleteWorkerSessionResponse response;
    // A task that is gone has no session to close.
    constexpr int64_t kCloseMs = 2000;
    member.peer->DeleteWorkerSession(request, kCloseMs, &response).IgnoreError();
  }
}

Status ClusterTarget::AddDevices(const tensorflow::GetStatusResponse& status, Member* member,
                                 std::vector<DeviceName>* names,
                                 std::vector<int64_t>* incarnations) {
  for (const tensorflow::DeviceAttributes& device : status.device_attributes()) {
    WB_ASSIGN_OR_RETURN(DeviceName name,
                        DeviceOf(member->name, device.name(), options_.cluster != nullptr));
    // Devices of kinds that nothing can be placed on.
    if (!name.known_type().has_value() || !options_.filters.Has(name)) continue;
    // TensorFlow's tasks say 256 MiB of their CPUs, and do not hold to it.
    if (member->is_warpbeam || name.known_type() == DeviceType::kGpu) {
      limits_[name.ToString()] = device.memory_limit();
    }
    member->devices.push_back(name);
    names->push_back(std::move(name));
    incarnations->push_back(static_cast<int64_t>(device.incarnation()));
  }
  if (!member->devices.empty()) return OkStatus();
  return InvalidArgument(member->name, " has no device",
                         options_.filters.empty() ? "" : " that a device filter lets pass");
}

StatusOr<SiteList> ClusterTarget::FindSites() {
  std::vector<DeviceName> names;
  std::vector<int64_t> incarnations;
  for (const tensorflow::DeviceAttributes& device : options_.worker->DevicesOf(identity())) {
    WB_ASSIGN_OR_RETURN(DeviceName name, DeviceName::Parse(device.name()));
    names.push_back(std::move(name));
    incarnations.push_back(static_cast<int64_t>(device.incarnation()));
  }
  std::vector<RollCall::Task> tasks;
  for (const std::string& task : identity().peers->Tasks()) {
    WB_ASSIGN_OR_RETURN(const DeviceName of_task, DeviceName::Parse(task));
    if (task == identity().task || !options_.filters.Has(of_task)) continue;
    Member& member = members_.emplace_back();
    member.name = task;
    WB_ASSIGN_OR_RETURN(member.peer, identity().peers->Find(task));
    tasks.push_back({task, member.peer});
  }
  RollCall call(std::move(tasks), options_.call_timeout_ms, options_.log, options_.ended);
  const std::vector<std::string> missing = call.Run();
  if (!missing.empty()) {
    return Unavailable("a session of the cluster needs all of its tasks, but ",
                       absl::StrJoin(missing, ", "), missing.size() == 1 ? " does" : " do",
                       " not answer");
  }
  for (size_t i = 0; i < members_.size(); ++i) {
    members_[i].is_warpbeam = call.answers()[i].is_warpbeam();
    has_tensorflow_ |= !members_[i].is_warpbeam;
    WB_RETURN_IF_ERROR(AddDevices(call.answers()[i], &members_[i], &names, &incarnations));
  }
  return SiteList(std::move(names), std::move(incarnations));
}

Status ClusterTarget::OpenSessions() {
  for (Member& member : members_) {
    tensorflow::CreateWorkerSessionRequest request;
    request.set_session_handle(session_handle_);
    request.set_isolate_session_state(options_.is_isolated);
    request.set_master_task(identity().task);
    request.set_master_incarnation(
        static_cast<int64_t>(options_.worker->Devices().front().incarnation()));
    tensorflow::ServerDef* const server = request.mutable_server_def();
    server->set_job_name(*member.devices[0].job);
    server->set_task_index(*member.devices[0].task);
    server->set_protocol("grpc");
    if (options_.cluster != nullptr) *server->mutable_cluster() = *options_.cluster;
    auto& experimental = *server->mutable_default_session_config()->mutable_experimental();
    experimental.set_collective_group_leader(options_.group_leader);
    experimental.set_collective_nccl(options_.asks_nccl);
    tensorflow::CreateWorkerSessionResponse response;
    WB_RETURN_IF_ERROR(
        member.peer->CreateWorkerSession(request, options_.call_timeout_ms, &response));
    member.has_session = true;
  }
  return OkStatus();
}

void ClusterTarget::UpdateLibrary(const FunctionLibrary& library) {
  cutter_->UpdateLibrary(library);
  home_->UpdateLibrary(library);
}

void ClusterTarget::ClearResources() {
  // Those of other tasks go with their sessions, where they are isolated.
  if (options_.is_isolated) home_->resources()->Clear();
}

bool ClusterTarget::IsOfTensorFlow(const Graph& graph, NodeId node) const {
  const Site site = graph.site(node);
  const int task = site == kNoSite ? 0 : sites().task_of(site);
  return task != 0 && !members_[static_cast<size_t>(task) - 1].is_warpbeam;
}

void ClusterTarget::Sort(const CollectiveMeetings& meetings, const Graph& graph,
                         CollectiveScope* collectives) const {
  // Which then executes what it leads as TensorFlow does.
  const std::string leader = TaskCollectives::LeaderOf(identity(), options_.group_leader);
  const bool is_led_by_tensorflow = std::any_of(
      members_.begin(), members_.end(),
      [&](const Member& member) { return member.name == leader && !member.is_warpbeam; });
  for (const CollectiveMeetings::Meeting& meeting : meetings.all()) {
    const bool is_own = static_cast<int64_t>(meeting.members.size()) >= meeting.size &&
                        !is_led_by_tensorflow &&
                        std::none_of(meeting.members.begin(), meeting.members.end(),
                                     [&](NodeId id) { return IsOfTensorFlow(graph, id); });
    absl::string_view name = meeting.name;  // "group_key 1, instance_key 2"
    int32_t group = 0;
    if (!absl::ConsumePrefix(&name, "group_key ")) continue;
    if (!absl::SimpleAtoi(name.substr(0, name.find(',')), &group)) continue;
    (is_own ? collectives->own_groups : collectives->shared_groups).insert(group);
  }
}

Status ClusterTarget::FindGroups(const StepBounds& bounds, CollectiveScope* collectives,
                                 bool* is_numbered) const {
  GraphPart part;
  part.graph = bounds.graph;
  part.feeds = bounds.feeds;
  part.fetches = bounds.fetches;
  part.targets = bounds.targets;
  part.Prune();
  if (!part.HasOp([](const OpSchema& op) { return op.role == OpRole::kCollective; })) {
    return OkStatus();
  }
  std::vector<bool> runs(part.graph->num_nodes(), false);
  std::set<int32_t> instances;  // of the ops of the first versions, which have them as attributes
  size_t num_members = 0;
  for (const NodeId id : part.nodes) {
    runs[id] = true;
    const Node& node = part.graph->node(id);
    if (node.role() != OpRole::kCollective) continue;
    ++num_members;
    if (node.op().FindAttr("instance_key") != nullptr) {
      instances.insert(static_cast<int32_t>(node.attrs().GetOr<int64_t>("instance_key", 0)));
    }
    if (options_.cluster == nullptr || !IsOfTensorFlow(*part.graph, id)) continue;
    return Unimplemented("'", ShownName(node.name()),
                         "' is on a task of TensorFlow's, which meets ",
                         "no other in a collective of a cluster that a client has brought");
  }
  const CollectiveMeetings meetings(*part.graph, part.feeds, runs);
  Sort(meetings, *part.graph, collectives);
  if (!collectives->by_number) return OkStatus();
  WB_ASSIGN_OR_RETURN(collectives->has_loops, HasLoopedCollective(bounds));
  if (collectives->graph_key == 0) collectives->graph_key = DefaultGraphKey(instances);
  // All members that there are, as far as is known, are in the step.
  size_t num_met = 0;
  for (const CollectiveMeetings::Meeting& meeting : meetings.all()) {
    num_met += meeting.members.size();
    *is_numbered |= static_cast<int64_t>(meeting.members.size()) < meeting.size;
  }
  *is_numbered |= num_met < num_members || num_members == 0;
  return OkStatus();
}

StatusOr<std::string> ClusterTarget::Register(const TaskPart& part,
                                              const CollectiveScope& collectives,
                                              const Member& member) {
  tensorflow::RegisterGraphRequest request;
  request.set_session_handle(session_handle_);
  request.set_create_worker_session_called(true);
  for (const int32_t group : collectives.shared_groups) request.add_shared_group_key(group);
  for (const int32_t group : collectives.own_groups) request.add_own_group_key(group);
  request.set_collective_graph_key(collectives.graph_key);
  request.set_meets_by_count(!collectives.by_number);
  WB_RETURN_IF_ERROR(WritePart(part, member.devices, absl::StrCat("_S", next_part_++),
                               request.mutable_graph_def()));
  tensorflow::RegisterGraphResponse response;
  WB_RETURN_IF_ERROR(member.peer->RegisterGraph(request, options_.call_timeout_ms, &response));
  return response.graph_handle();
}

StatusOr<std::unique_ptr<StepRunner>> ClusterTarget::Compile(const StepBounds& bounds,
                                                             const PlanMode& mode) {
  WB_ASSIGN_OR_RETURN(TaskCutter::CutStep step, cutter_->Cut(bounds, mode, /*at_home=*/true));
  PlanMode after = mode;
  after.stage = PassStage::kAfterCut;
  ClusterStep::Parts parts;
  parts.worker = options_.worker;
  parts.identity = options_.identity;
  parts.session_handle = session_handle_;
  auto collectives = std::make_shared<CollectiveScope>();
  collectives->identity = options_.identity;
  collectives->session = session_handle_;
  collectives->leader = options_.group_leader;
  collectives->asks_nccl = options_.asks_nccl;
  collectives->graph_key = mode.collective_graph_key;
  collectives->by_number = has_tensorflow_;
  WB_RETURN_IF_ERROR(FindGroups(bounds, collectives.get(), &parts.is_numbered));
  if (parts.is_numbered && mode.partial) {
    return Unimplemented("a partial run with collectives that steps of other masters meet, in a ",
                         "cluster with tasks of TensorFlow's");
  }
  parts.collectives = collectives;
  for (TaskPart& part : step.parts) {
    if (part.task == 0) {
      WB_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan,
                          CompilePlan(home_->env(), BoundsOf(std::move(part)), after));
      AddCounts(plan->facts, &step.facts);
      parts.home_task = home_.get();
      parts.home = std::make_unique<PlanRunner>(std::move(plan));
      continue;
    }
    const Member& member = members_[static_cast<size_t>(part.task) - 1];
    WB_ASSIGN_OR_RETURN(std::string handle, Register(part, *collectives, member));
    parts.remote.push_back({member.name, member.peer, std::move(handle)});
  }
  parts.num_fetches = bounds.fetches.size();
  parts.is_partial = mode.partial;
  return std::make_unique<ClusterStep>(std::move(parts), std::move(step.facts));
}

StatusOr<std::unique_ptr<SessionCore>> NewClusterSession(ClusterTarget::Options options,
                                                         std::shared_ptr<Graph> graph) {
  const SessionOptions session = options.session;
  return SessionCore::Create(
      session, std::move(graph),
      [options = std::move(options)](
          const Graph& of_session, LocalTask::Dump dump) -> StatusOr<std::unique_ptr<StepTarget>> {
        return ClusterTarget::Create(options, of_session, std::move(dump));
      });
}

}  // namespace warpbeam
