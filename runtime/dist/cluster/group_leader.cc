#include "runtime/dist/cluster/group_leader.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "graph/types/shown_name.h"
#include "placement/device_name.h"
#include "proto/worker.pb.h"
#include "runtime/dist/cluster/execution_order.h"
#include "runtime/dist/requests/request_id.h"

namespace warpbeam {
namespace {

using tensorflow::CompleteGroupRequest;
using tensorflow::CompleteGroupResponse;

// Of what only clients that are out of their minds have more.
constexpr size_t kMaxGroups = 100000;
constexpr size_t kMaxSteps = 100000;

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

// TensorFlow's words, which programs and people look for.

}  // namespace

struct GroupLeader::Group {
  int32_t size = 0;
  std::map<Place, tensorflow::DeviceAttributes> members;
  CompleteGroupResponse formed;  // its generation is 0 until then

  bool is_formed() const { return formed.generation() != 0; }
  // Whether the request is for another group than the one that has formed.
  bool IsAnew(const Place& place, const CompleteGroupRequest& request) const {
    if (request.warpbeam().given_up_generation() == formed.generation()) return true;
    const auto member = members.find(place);
    return member != members.end() &&
           (size != request.group_size() ||
            member->second.incarnation() != request.device_attributes().incarnation());
  }
  Status Check(const Place& place, const CompleteGroupRequest& request) const {
    const std::string& device = request.device_attributes().name();
    if (size != request.group_size()) {
      return Internal(kAbortedBy, "Device ", device, " is joining a group with size",
                      request.group_size(), ", but that group has size ", size,
                      " (group_key=", request.group_key(), ")");
    }
    if (!is_formed() || members.count(place) > 0) return OkStatus();
    return Internal(kAbortedBy, "Device ", device, " is no member of the group ",
                    request.group_key(), ", which has all of its ", size);
  }
  void Form(const CompleteGroupRequest& last) {
    std::set<std::pair<std::string, int>> tasks;
    for (const auto& [place, attributes] : members) {
      *formed.add_device_attributes() = attributes;
      tasks.emplace(std::get<0>(place), std::get<1>(place));
    }
    formed.set_group_key(last.group_key());
    formed.set_group_size(size);
    formed.set_device_type(last.device_type());
    formed.set_num_tasks(static_cast<int32_t>(tasks.size()));
    formed.set_generation(NewGeneration());
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
  if (group.is_formed() && group.IsAnew(*place, request)) group = Group();
  if (group.size == 0) group.size = request.group_size();
  outcome.status = group.Check(*place, request);
  if (group.is_formed()) {
    outcome.formed = group.formed;
    return outcome;
  }
  if (!outcome.status.ok()) {
    // Those that agree with each other have waited for one that will not come.
    TakeWaiters(key, outcome.status, &outcome.others);
    groups_.erase(key);
    return outcome;
  }
  group.members[*place] = request.device_attributes();
  if (static_cast<int64_t>(group.members.size()) < group.size) {
    outcome.waiter = next_waiter_++;
    waiters_[outcome.waiter] = {key, *place, done};
    return outcome;
  }
  group.Form(request);
  outcome.formed = group.formed;
  TakeWaiters(key, outcome.status, &outcome.others);
  return outcome;
}

int64_t GroupLeader::CompleteGroup(const CompleteGroupRequest& request, Done done) {
  if (!request.has_warpbeam()) {
    done(Unimplemented("the group leader ", task_,
                       " is a task of Warpbeam's, which forms no group (", request.group_key(),
                       ") with tasks of TensorFlow's, such as that of ",
                       ShownName(request.device_attributes().name())),
         {});
    return 0;
  }
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
  if (asks_twice || group == groups_.end() || group->second.is_formed()) return true;
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
  {
    std::lock_guard<std::mutex> lock(mutex_);
    all.swap(waiters_);
    groups_.clear();
  }
  const CompleteGroupResponse nothing;
  for (const auto& [number, waiter] : all) waiter.done(why, nothing);
}

Status GroupLeader::GetStepSequence(const tensorflow::GetStepSequenceRequest& request,
                                    tensorflow::GetStepSequenceResponse* response) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const int64_t graph : request.graph_key()) {
    int64_t& next = steps_[graph];
    // TensorFlow leaves the highest bits free.
    if (next == 0) next = (NewRequestId() & ((int64_t{1} << 56) - 1)) | 1;
    tensorflow::StepSequence* const sequence = response->add_step_sequence();
    sequence->set_graph_key(graph);
    sequence->set_next_step_id(next);
  }
  while (steps_.size() > kMaxSteps) steps_.erase(steps_.begin());
  return OkStatus();
}

}  // namespace warpbeam
