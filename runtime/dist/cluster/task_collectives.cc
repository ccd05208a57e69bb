#include "runtime/dist/cluster/task_collectives.h"

#include <algorithm>
#include <limits>

#include "graph/types/shown_name.h"
#include "proto/worker.pb.h"
#include "runtime/dist/cluster/task_name.h"

namespace warpbeam {
namespace {

constexpr char kWorker[] = "/job:worker/replica:0/task:0";

// How long the leader has for saying where a graph's steps begin.
constexpr int64_t kSequenceMs = 60000;

// Groups that have ended are forgotten now and then.
constexpr size_t kManyGroups = 64;

Status NoMember(const TaskCollectives::Member& member, int size) {
  return Internal(kAbortedBy, "Device ", member.device, " is no member of the group ", member.group,
                  ", which has all of its ", size);
}

void Give(const TaskCollectives::Member& member, const std::shared_ptr<CollectiveGroup>& group,
          CollectiveRound& round) {
  if (group->HasMember(member.device, member.index)) return round.Found(group);
  round.Found(NoMember(member, group->size()));
}

void GiveMixed(const TaskCollectives::Member& member, const std::shared_ptr<MixedGroup>& group,
               CollectiveRound& round) {
  if (group->HasMember(member.device) && member.index == 0) return round.FoundMixed(group);
  round.Found(NoMember(member, group->size()));
}

}  // namespace

TaskCollectives::TaskCollectives(std::string task, DevicesOfTask devices, bool may_use_nccl)
    : task_(std::move(task)),
      devices_(std::move(devices)),
      may_use_nccl_(may_use_nccl),
      leader_(task_) {
  JoinCluster(std::make_shared<const TaskIdentity>(
      TaskIdentity{"", 0, task_, std::make_shared<PeerDirectory>(), ""}));
}

TaskCollectives::~TaskCollectives() { EndAll(Cancelled(task_, " has stopped")); }

void TaskCollectives::JoinCluster(std::shared_ptr<const TaskIdentity> identity) {
  identity_ = std::move(identity);
  meetings_ = std::make_unique<StepTable>(identity_);
}

std::string TaskCollectives::LeaderOf(const TaskIdentity& identity, const std::string& leader) {
  if (!leader.empty()) return leader;
  const PeerDirectory& peers = *identity.peers;
  if (peers.Find(kWorker).ok()) return kWorker;
  return peers.Tasks().empty() ? identity.task : peers.Tasks().front();
}

RoundTable& TaskCollectives::shared_rounds(const std::string& cluster) {
  std::lock_guard<std::mutex> lock(mutex_);
  return shared_rounds_[cluster];
}

void TaskCollectives::StartAnew(Entry* entry) {
  const int64_t given_up = entry->given_up;
  *entry = Entry();
  entry->attempt = next_attempt_++;
  entry->given_up = given_up;
}

TaskCollectives::Entry& TaskCollectives::EntryFor(const Member& member, Entry* gone) {
  Entry& entry = entries_[Key(member.scope, member.group)];
  if (entry.group != nullptr && entry.group->has_ended()) {
    entry.given_up = entry.group->generation();
    StartAnew(&entry);
  }
  if (entry.mixed != nullptr && entry.mixed->has_ended()) StartAnew(&entry);
  auto& waiting = entry.waiting;
  waiting.erase(std::remove_if(waiting.begin(), waiting.end(),
                               [](const auto& entry) { return entry.second->is_closed(); }),
                waiting.end());
  // Nobody waits any more for what was looked for.
  const bool is_left = waiting.empty() && !entry.is_found();
  if (is_left && entry.size != member.group_size) {
    gone->calls.swap(entry.calls);
    StartAnew(&entry);
    entry.size = member.group_size;
  }
  return entry;
}

void TaskCollectives::Find(const Member& of_round, const std::shared_ptr<CollectiveRound>& round) {
  Member member = of_round;
  if (member.identity == nullptr) member.identity = identity_;
  std::shared_ptr<CollectiveGroup> group;
  std::shared_ptr<MixedGroup> mixed;
  Status status;
  int64_t attempt = 0, given_up = 0;
  bool asks = false;
  Entry gone;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    status = ended_;
    Entry& entry = EntryFor(member, &gone);
    if (status.ok() && entry.size != member.group_size) {
      status = Internal(kAbortedBy, "Device ", member.device, " is joining a group with size",
                        member.group_size, ", but that group has size ", entry.size,
                        " (group_key=", member.group, ")");
    }
    group = entry.group;
    mixed = entry.mixed;
    if (status.ok() && group == nullptr && mixed == nullptr) {
      entry.waiting.emplace_back(member, round);
      attempt = entry.attempt;
      given_up = entry.given_up;
      asks = entry.asked.emplace(member.device, member.index).second;
    }
  }
  for (const auto& call : gone.calls) call->Cancel();
  if (!status.ok()) return round->Found(status);
  if (group != nullptr) return Give(member, group, *round);
  if (mixed != nullptr) return GiveMixed(member, mixed, *round);
  if (!asks) return;
  const Status asked = Ask(Key(member.scope, member.group), attempt, member, given_up);
  if (!asked.ok()) Fail(Key(member.scope, member.group), attempt, asked);
}

bool TaskCollectives::IsClaimHeld() const {
  const auto found = entries_.find(claim_.key);
  if (found == entries_.end() || found->second.attempt != claim_.attempt) return false;
  const Entry& entry = found->second;
  const CollectiveGroup* const group =
      entry.group != nullptr ? entry.group.get() : entry.connecting.get();
  if (group != nullptr) return group->uses_gpus() && !group->has_ended();
  return entry.mixed == nullptr &&
         std::any_of(entry.waiting.begin(), entry.waiting.end(),
                     [](const auto& waiting) { return !waiting.second->is_closed(); });
}

GpuIdentity TaskCollectives::Offer(const Key& key, int64_t attempt, const Member& member) {
  const bool is_wanted = !member.identity->peers->is_encrypted() || member.asks_nccl;
  if (!may_use_nccl_ || !is_wanted) return {};
  StatusOr<GpuIdentity> gpu = IdentifyGpu(member.place);
  if (!gpu.ok()) return {};
  std::lock_guard<std::mutex> lock(mutex_);
  if (claim_.key != key && IsClaimHeld()) return {};
  if (claim_.key != key || claim_.attempt != attempt) claim_ = {key, attempt, {}};
  claim_.devices.insert(member.device);
  return *std::move(gpu);
}

Status TaskCollectives::Ask(const Key& key, int64_t attempt, const Member& member,
                            int64_t given_up) {
  tensorflow::CompleteGroupRequest request;
  request.set_group_key(member.group);
  request.set_group_size(member.group_size);
  request.set_collective_type(member.kind);
  for (tensorflow::DeviceAttributes& device : devices_(*member.identity)) {
    if (device.name() != member.device) continue;
    request.set_device_type(device.device_type());
    *request.mutable_device_attributes() = std::move(device);
  }
  tensorflow::GroupMember& own = *request.mutable_warpbeam();
  own.set_scope(member.scope);
  own.set_index(member.index);
  own.set_given_up_generation(given_up);
  GpuIdentity gpu = Offer(key, attempt, member);
  own.set_gpu(std::move(gpu.gpu));
  own.set_nccl_version(gpu.library);
  const auto answered = [weak = weak_from_this(), key, attempt, member](
                            Status status, const tensorflow::CompleteGroupResponse& formed) {
    const std::shared_ptr<TaskCollectives> self = weak.lock();
    if (self != nullptr) self->Answered(key, attempt, member, std::move(status), formed);
  };
  const std::string leader = LeaderOf(*member.identity, member.leader);
  if (leader == member.identity->task) {
    leader_.CompleteGroup(request, answered);
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<WorkerPeer> peer, member.identity->peers->Find(leader));
  std::shared_ptr<WorkerPeer::PendingCall> call = peer->CompleteGroup(std::move(request), answered);
  if (call == nullptr) return OkStatus();
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(key);
  if (found != entries_.end() && found->second.attempt == attempt) {
    found->second.calls.push_back(std::move(call));
  }
  return OkStatus();
}

void TaskCollectives::FormMixed(const Key& key, int64_t attempt, const Member& member,
                                const tensorflow::CompleteGroupResponse& formed) {
  StatusOr<std::shared_ptr<MixedGroup>> mixed =
      MixedGroup::Create(member.identity, LeaderOf(*member.identity, member.leader), formed,
                         {&leader_, buffers_, &threads_});
  if (!mixed.ok()) return Fail(key, attempt, mixed.status());
  std::vector<std::pair<Member, std::shared_ptr<CollectiveRound>>> waiting;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second.attempt != attempt) return;
    if (found->second.is_found()) return;
    found->second.mixed = *mixed;
    found->second.calls.clear();
    waiting.swap(found->second.waiting);
  }
  for (const auto& [other, round] : waiting) GiveMixed(other, *mixed, *round);
}

void TaskCollectives::Answered(const Key& key, int64_t attempt, const Member& member, Status status,
                               const tensorflow::CompleteGroupResponse& formed) {
  if (!status.ok()) return Fail(key, attempt, status);
  if (formed.generation() == 0) return FormMixed(key, attempt, member, formed);
  const TaskIdentity& identity = *member.identity;
  StatusOr<std::shared_ptr<CollectiveGroup>> group =
      CollectiveGroup::Create(identity.task, formed, {identity.peers, meetings_.get(), &threads_});
  if (!group.ok()) return Fail(key, attempt, group.status());
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second.attempt != attempt) return;
    Entry& entry = found->second;
    // All members of this task get the same answer.
    if (entry.is_found()) return;
    const bool is_claimed = claim_.key == key && claim_.attempt == attempt &&
                            static_cast<int>(claim_.devices.size()) == (*group)->members_here();
    if (formed.has_gpus() && is_claimed) (*group)->UseGpus();
    entry.connecting = *group;
    if (by_generation_.size() >= kManyGroups) {
      for (auto at = by_generation_.begin(); at != by_generation_.end();) {
        at = at->second.expired() ? by_generation_.erase(at) : std::next(at);
      }
    }
    by_generation_[(*group)->generation()] = *group;
  }
  (*group)->Start([this, key, connecting = *group](const Status& connected) {
    Connected(key, connecting, connected);
  });
}

void TaskCollectives::Connected(const Key& key, const std::shared_ptr<CollectiveGroup>& group,
                                const Status& status) {
  std::vector<std::pair<Member, std::shared_ptr<CollectiveRound>>> waiting;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second.connecting != group) return;
    Entry& entry = found->second;
    waiting.swap(entry.waiting);
    entry.calls.clear();
    entry.connecting = nullptr;
    if (status.ok()) {
      entry.group = group;
    } else {
      entry.given_up = group->generation();
      StartAnew(&entry);
    }
  }
  for (const auto& [member, round] : waiting) {
    if (status.ok()) {
      Give(member, group, *round);
    } else {
      round->Found(status);
    }
  }
}

void TaskCollectives::Fail(const Key& key, int64_t attempt, const Status& status) {
  Entry gone;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second.attempt != attempt) return;
    Entry& entry = found->second;
    if (entry.is_found()) return;
    std::swap(gone, entry);
    entry.given_up = gone.given_up;
    StartAnew(&entry);
  }
  for (const auto& [member, round] : gone.waiting) round->Found(status);
  for (const auto& call : gone.calls) call->Cancel();
}

void TaskCollectives::EndGroup(const std::string& scope, int32_t group, const Status& why) {
  std::shared_ptr<CollectiveGroup> ended;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = entries_.find(Key(scope, group));
    if (found != entries_.end()) {
      ended = found->second.group != nullptr ? found->second.group : found->second.connecting;
    }
  }
  if (ended != nullptr) ended->End(why);
}

void TaskCollectives::EndEntries(std::vector<Entry> entries, const Status& why) {
  for (const Entry& entry : entries) {
    for (const auto& [member, round] : entry.waiting) round->Found(why);
    for (const auto& call : entry.calls) call->Cancel();
    if (entry.connecting != nullptr) entry.connecting->End(why);
    if (entry.group != nullptr) entry.group->End(why);
    if (entry.mixed != nullptr) entry.mixed->End(why);
  }
}

void TaskCollectives::EndScope(const std::string& scope) {
  const Status why = Cancelled("the session of the group was closed");
  std::vector<Entry> ended;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto at = entries_.lower_bound(Key(scope, std::numeric_limits<int32_t>::min()));
    while (at != entries_.end() && at->first.first == scope) {
      ended.push_back(std::move(at->second));
      at = entries_.erase(at);
    }
  }
  EndEntries(std::move(ended), why);
  leader_.EndScope(scope);
}

void TaskCollectives::EndAll(const Status& why) {
  std::vector<Entry> ended;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (ended_.ok()) ended_ = why;
    for (auto& [key, entry] : entries_) ended.push_back(std::move(entry));
    entries_.clear();
  }
  EndEntries(std::move(ended), why);
  leader_.EndAll(why);
  meetings_->EndAll(why);
  buffers_->EndAll(why);
}

StatusOr<int64_t> TaskCollectives::BeginNumbered(const TaskIdentity& identity,
                                                 const std::string& leader, int64_t graph_key,
                                                 const StepContext& step) {
  const std::string name = LeaderOf(identity, leader);
  StepNumbers::AskLeader ask;
  if (name != identity.task) {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<WorkerPeer> peer, identity.peers->Find(name));
    ask = [peer, name, graph_key]() -> StatusOr<int64_t> {
      tensorflow::GetStepSequenceRequest request;
      tensorflow::GetStepSequenceResponse response;
      request.add_graph_key(graph_key);
      WB_RETURN_IF_ERROR(peer->GetStepSequence(request, kSequenceMs, &response));
      if (response.step_sequence_size() == 1) return response.step_sequence(0).next_step_id();
      return Internal("the group leader ", name, " knows no steps of collective_graph_key ",
                      graph_key);
    };
  }
  return numbers_.Begin(graph_key, ask, [&step] { return step.IsCancelled(); });
}

Status TaskCollectives::CheckSource(const tensorflow::RecvBufRequest& request) const {
  for (const tensorflow::DeviceAttributes& device : devices_(*identity_)) {
    if (device.name() != request.src_device()) continue;
    if (device.incarnation() == request.src_incarnation()) return OkStatus();
    return FailedPrecondition(
        "RecvBuf expects a different device incarnation: ", request.src_incarnation(), " vs. ",
        device.incarnation(), ". ", task_, " was probably restarted");
  }
  return InvalidArgument(task_, " has no device ", ShownName(request.src_device()));
}

void TaskCollectives::CompleteInstance(const tensorflow::CompleteInstanceRequest& request,
                                       const WorkerPeer::InstanceDone& done) {
  if (!request.has_warpbeam()) return leader_.CompleteInstance(request, done);
  std::shared_ptr<CollectiveGroup> group;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = by_generation_.find(request.warpbeam().generation());
    if (found != by_generation_.end()) group = found->second.lock();
  }
  if (group != nullptr) return group->Arrive(request, done);
  done(Aborted("the group ", request.group_key(), " of collectives has ended on ", task_), {});
}

StatusOr<std::shared_ptr<TaskRendezvous>> TaskCollectives::Meeting(int64_t generation) {
  return meetings_->Get(generation);
}

}  // namespace warpbeam
