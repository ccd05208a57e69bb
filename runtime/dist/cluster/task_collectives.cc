#include "runtime/dist/cluster/task_collectives.h"

#include <algorithm>
#include <limits>

#include "proto/worker.pb.h"
#include "runtime/dist/cluster/execution_order.h"
#include "runtime/dist/cluster/task_name.h"

namespace warpbeam {
namespace {

constexpr char kWorker[] = "/job:worker/replica:0/task:0";

// TensorFlow's words, which programs and people look for.

// Groups that have ended are forgotten now and then.
constexpr size_t kManyGroups = 64;

void Give(const TaskCollectives::Member& member, const std::shared_ptr<CollectiveGroup>& group,
          CollectiveRound& round) {
  if (group->HasMember(member.device, member.index)) return round.Found(group);
  round.Found(Internal(kAbortedBy, "Device ", member.device, " is no member of the group ",
                       member.group, ", which has all of its ", group->size()));
}

}  // namespace

TaskCollectives::TaskCollectives(std::string task, DevicesOfTask devices)
    : task_(std::move(task)), devices_(std::move(devices)), leader_(task_) {
  JoinCluster(std::make_shared<const TaskIdentity>(
      TaskIdentity{"", 0, task_, std::make_shared<PeerDirectory>(), ""}));
}

TaskCollectives::~TaskCollectives() { EndAll(Cancelled(task_, " has stopped")); }

void TaskCollectives::JoinCluster(std::shared_ptr<const TaskIdentity> identity) {
  identity_ = std::move(identity);
  meetings_ = std::make_unique<StepTable>(identity_);
}

std::string TaskCollectives::LeaderOf(const Member& member) {
  if (!member.leader.empty()) return member.leader;
  const PeerDirectory& peers = *member.identity->peers;
  if (peers.Find(kWorker).ok()) return kWorker;
  return peers.Tasks().empty() ? member.identity->task : peers.Tasks().front();
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
  auto& waiting = entry.waiting;
  waiting.erase(std::remove_if(waiting.begin(), waiting.end(),
                               [](const auto& entry) { return entry.second->is_closed(); }),
                waiting.end());
  // Nobody waits any more for what was looked for.
  const bool is_left = waiting.empty() && entry.group == nullptr && entry.connecting == nullptr;
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
    if (status.ok() && group == nullptr) {
      entry.waiting.emplace_back(member, round);
      attempt = entry.attempt;
      given_up = entry.given_up;
      asks = entry.asked.emplace(member.device, member.index).second;
    }
  }
  for (const auto& call : gone.calls) call->Cancel();
  if (!status.ok()) return round->Found(status);
  if (group != nullptr) return Give(member, group, *round);
  if (!asks) return;
  const Status asked = Ask(Key(member.scope, member.group), attempt, member, given_up);
  if (!asked.ok()) Fail(Key(member.scope, member.group), attempt, asked);
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
  const auto answered = [weak = weak_from_this(), key, attempt, identity = member.identity](
                            Status status, const tensorflow::CompleteGroupResponse& formed) {
    const std::shared_ptr<TaskCollectives> self = weak.lock();
    if (self != nullptr) self->Answered(key, attempt, *identity, std::move(status), formed);
  };
  const std::string leader = LeaderOf(member);
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

void TaskCollectives::Answered(const Key& key, int64_t attempt, const TaskIdentity& identity,
                               Status status, const tensorflow::CompleteGroupResponse& formed) {
  if (!status.ok()) return Fail(key, attempt, status);
  StatusOr<std::shared_ptr<CollectiveGroup>> group =
      CollectiveGroup::Create(identity.task, formed, {identity.peers, meetings_.get(), &threads_});
  if (!group.ok()) return Fail(key, attempt, group.status());
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second.attempt != attempt) return;
    Entry& entry = found->second;
    // All members of this task get the same answer.
    if (entry.connecting != nullptr || entry.group != nullptr) return;
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
    if (entry.connecting != nullptr || entry.group != nullptr) return;
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
}

void TaskCollectives::CompleteInstance(const tensorflow::CompleteInstanceRequest& request,
                                       const WorkerPeer::InstanceDone& done) {
  if (!request.has_warpbeam()) {
    return done(Unimplemented(task_,
                              " is a task of Warpbeam's, which executes no collective with "
                              "tasks of TensorFlow's (group ",
                              request.group_key(), ", instance ", request.instance_key(), ")"),
                {});
  }
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
