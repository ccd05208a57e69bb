#include "runtime/dist/cluster/group_leader.h"

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>

#include "graph/io/tensor_io.h"
#include "graph/types/shown_name.h"
#include "placement/device_name.h"
#include "proto/worker.pb.h"
#include "runtime/comm/communicator.h"
#include "runtime/dist/collective/instance_records.h"
#include "runtime/dist/collective/member_order.h"
#include "runtime/dist/requests/request_id.h"

namespace warpbeam {
namespace {

using tensorflow::CompleteGroupRequest;
using tensorflow::CompleteGroupResponse;

// Of what only clients that are out of their minds have more.
constexpr size_t kMaxGroups = 100000;

// Tasks by job and number, and the members of each by device.
using Place = std::tuple<std::string, int, size_t, std::string, int32_t>;

StatusOr<Place> PlaceOf(const CompleteGroupRequest& request) {
  const std::string& device = request.device_attributes().name();
  WB_ASSIGN_OR_RETURN(const DeviceName name, DeviceName::Parse(device));
  if (!name.IsFull()) {
    return InvalidArgument("a member of group ", request.group_key(), " has the device '",
                           ShownName(device), "', which is not full");
  }
  return Place(*name.job, *name.task, device.size(), device, request.warpbeam().index());
}

int64_t NewGeneration() { return NewRequestId() & ((int64_t{1} << 62) - 1); }

}  // namespace

struct GroupLeader::Group {
  struct Member {
    tensorflow::DeviceAttributes attributes;
    bool is_warpbeam = false;  // or of a task of TensorFlow's
    std::string gpu;           // "": none to be used
    int64_t nccl_version = 0;
  };
  int32_t size = 0;
  std::map<Place, Member> members;
  bool is_formed = false;
  CompleteGroupResponse formed;  // has no generation where TensorFlow's tasks are in it
  // Of such a group.
  MemberOrder order;
  std::shared_ptr<InstanceRecords> instances;

  bool is_mixed() const {
    return std::any_of(members.begin(), members.end(),
                       [](const auto& entry) { return !entry.second.is_warpbeam; });
  }
  // Each on a GPU of its own, and all with the same NCCL. What the leader says here all tasks know.
  bool HasGpus() const {
    std::set<std::string> gpus;
    const int64_t version = members.begin()->second.nccl_version;
    return std::all_of(members.begin(), members.end(), [&](const auto& entry) {
      const Member& member = entry.second;
      return !member.gpu.empty() && member.nccl_version == version &&
             gpus.insert(member.gpu).second;
    });
  }
  bool WasRestarted(const Place& place, const CompleteGroupRequest& request) const {
    const auto member = members.find(place);
    return member != members.end() &&
           member->second.attributes.incarnation() != request.device_attributes().incarnation();
  }
  // Whether the request is for another group than the one that has formed.
  bool IsAnew(const Place& place, const CompleteGroupRequest& request) const {
    if (is_mixed()) return WasRestarted(place, request) && !HasOtherOfTensorFlow(place);
    if (request.warpbeam().given_up_generation() == formed.generation()) return true;
    return WasRestarted(place, request) ||
           (members.count(place) > 0 && size != request.group_size());
  }
  // Such a task asks for a group once, and would not be in another.
  bool HasOtherOfTensorFlow(const Place& place) const {
    return std::any_of(members.begin(), members.end(), [&](const auto& entry) {
      return !entry.second.is_warpbeam && (std::get<0>(entry.first) != std::get<0>(place) ||
                                           std::get<1>(entry.first) != std::get<1>(place));
    });
  }
  Status Check(const Place& place, const CompleteGroupRequest& request) const {
    const std::string& device = request.device_attributes().name();
    if (is_formed && is_mixed() && WasRestarted(place, request)) {
      return FailedPrecondition("Device ", device, " was started anew, but tasks of TensorFlow's ",
                                "are in the group ", request.group_key(),
                                " as it was before, and have to be, too");
    }
    if (size != request.group_size()) {
      return Internal(kAbortedBy, "Device ", device, " is joining a group with size",
                      request.group_size(), ", but that group has size ", size,
                      " (group_key=", request.group_key(), ")");
    }
    if (!is_formed || members.count(place) > 0) return OkStatus();
    return Internal(kAbortedBy, "Device ", device, " is no member of the group ",
                    request.group_key(), ", which has all of its ", size);
  }
  Status Form(const CompleteGroupRequest& last) {
    std::set<std::pair<std::string, int>> tasks;
    for (const auto& [place, member] : members) {
      *formed.add_device_attributes() = member.attributes;
      tasks.emplace(std::get<0>(place), std::get<1>(place));
    }
    if (is_mixed()) {
      WB_ASSIGN_OR_RETURN(order, OrderMembers(formed));
      instances = std::make_shared<InstanceRecords>(last.group_key(), size);
    } else {
      formed.set_generation(NewGeneration());
      formed.set_has_gpus(HasGpus());
    }
    formed.set_group_key(last.group_key());
    formed.set_group_size(size);
    formed.set_device_type(last.device_type());
    formed.set_num_tasks(static_cast<int32_t>(tasks.size()));
    is_formed = true;
    return OkStatus();
  }
};

struct GroupLeader::Waiter {
  Key key;
  Place member;
  Done done;
};

// What a request has led to.
struct GroupLeader::Outcome {
  int64_t waiter = 0;  // 0: it is answered with what follows
  Status status;
  CompleteGroupResponse formed;
  Answers others;
  std::shared_ptr<InstanceRecords> gone;  // of the group before; it ends without the lock
};

GroupLeader::GroupLeader(std::string task) : task_(std::move(task)) {}
GroupLeader::~GroupLeader() { EndAll(Cancelled(task_, " has stopped")); }

void GroupLeader::TakeWaiters(const Key& key, const Status& status, Answers* answers) {
  for (auto at = waiters_.begin(); at != waiters_.end();) {
    if (at->second.key != key) {
      ++at;
      continue;
    }
    answers->emplace_back(std::move(at->second.done), status);
    at = waiters_.erase(at);
  }
}

GroupLeader::Outcome GroupLeader::JoinLocked(const CompleteGroupRequest& request,
                                             const Done& done) {
  Outcome outcome;
  const StatusOr<Place> place = PlaceOf(request);
  outcome.status = place.status();
  if (outcome.status.ok() && request.group_size() <= 0) {
    outcome.status = InvalidArgument("group_size must be positive, got ", request.group_size());
  }
  if (outcome.status.ok() && groups_.size() >= kMaxGroups) {
    outcome.status = ResourceExhausted(task_, " leads ", kMaxGroups, " groups and takes no more");
  }
  if (!outcome.status.ok()) return outcome;
  const Key key(request.warpbeam().scope(), request.group_key());
  Group& group = groups_[key];
  if (group.is_formed && group.IsAnew(*place, request)) {
    outcome.gone = std::move(group.instances);
    group = Group();
  }
  if (group.size == 0) group.size = request.group_size();
  outcome.status = group.Check(*place, request);
  if (group.is_formed) {
    outcome.formed = group.formed;
    return outcome;
  }
  if (outcome.status.ok()) {
    group.members[*place] = {request.device_attributes(), request.has_warpbeam(),
                             request.warpbeam().gpu(), request.warpbeam().nccl_version()};
    if (static_cast<int64_t>(group.members.size()) < group.size) {
      outcome.waiter = next_waiter_++;
      waiters_[outcome.waiter] = {key, *place, done};
      return outcome;
    }
    outcome.status = group.Form(request);
    outcome.formed = group.formed;
  }
  TakeWaiters(key, outcome.status, &outcome.others);
  // Those that agree with each other have waited for one that will not come.
  if (!outcome.status.ok()) groups_.erase(key);
  return outcome;
}

int64_t GroupLeader::CompleteGroup(const CompleteGroupRequest& request, Done done) {
  Outcome outcome;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    outcome = JoinLocked(request, done);
  }
  for (const auto& [answer, with] : outcome.others) answer(with, outcome.formed);
  if (outcome.waiter == 0) done(std::move(outcome.status), outcome.formed);
  return outcome.waiter;
}

bool GroupLeader::Forget(int64_t number) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = waiters_.find(number);
  if (found == waiters_.end()) return false;
  const Waiter gone = std::move(found->second);
  waiters_.erase(found);
  const bool asks_twice = std::any_of(waiters_.begin(), waiters_.end(), [&](const auto& entry) {
    return entry.second.key == gone.key && entry.second.member == gone.member;
  });
  const auto group = groups_.find(gone.key);
  if (asks_twice || group == groups_.end() || group->second.is_formed) return true;
  group->second.members.erase(gone.member);
  if (group->second.members.empty()) groups_.erase(group);
  return true;
}

void GroupLeader::EndScope(const std::string& scope) {
  Answers answers;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto at = groups_.begin(); at != groups_.end();) {
      if (at->first.first != scope) {
        ++at;
        continue;
      }
      TakeWaiters(at->first, Cancelled("the session of the group was closed"), &answers);
      at = groups_.erase(at);
    }
  }
  const CompleteGroupResponse nothing;
  for (const auto& [answer, with] : answers) answer(with, nothing);
}

void GroupLeader::EndAll(const Status& why) {
  std::map<int64_t, Waiter> all;
  std::map<Key, Group> groups;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    all.swap(waiters_);
    groups.swap(groups_);
  }
  const CompleteGroupResponse nothing;
  for (const auto& [number, waiter] : all) waiter.done(why, nothing);
}

void GroupLeader::CompleteInstance(const tensorflow::CompleteInstanceRequest& request,
                                   InstanceDone done) {
  tensorflow::CompleteInstanceResponse response;
  response.set_instance_key(request.instance_key());
  InstanceRecords::Terms terms;
  std::shared_ptr<InstanceRecords> instances;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = groups_.find(Key("", request.group_key()));
    if (found != groups_.end()) instances = found->second.instances;
    if (instances != nullptr) terms.rank = found->second.order.RankOf(request.device());
  }
  if (instances == nullptr || terms.rank < 0) {
    return done(FailedPrecondition("the group leader ", task_, " knows of no group ",
                                   request.group_key(), " of which ", ShownName(request.device()),
                                   " is a member: has a task been started anew?"),
                response);
  }
  const StatusOr<PartialShape> partial = ShapeFromProto(request.shape());
  if (!partial.ok()) return done(partial.status(), response);
  StatusOr<Shape> shape = partial->AsShape();
  if (!shape.ok()) return done(shape.status(), response);
  terms.device = request.device();
  terms.kind = request.type();
  terms.dtype = static_cast<DType>(request.data_type());
  terms.shape = *std::move(shape);
  terms.is_source = request.is_source();
  instances->Complete({request.step_id(), request.instance_key()}, std::move(terms),
                      [done = std::move(done), response](const Status& status, int source) mutable {
                        response.set_source_rank(source);
                        done(status, response);
                      });
}

}  // namespace warpbeam
