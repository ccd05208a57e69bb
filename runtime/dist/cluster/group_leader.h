// GroupLeader: the task that says who the members of a group of collectives are, as TensorFlow's
// group leaders do.
//
// A task sends one request for each of its members; all get the same answer when the last one has
// come, with the members in the order of their ranks: by job, by number of the task, then as the
// task orders its devices. A member that says that the group was of no more use to it, or that was
// started anew, opens another under the same key: a new generation, which forms when all have come
// again.
//
//   GroupLeader leader("/job:worker/replica:0/task:0");
//   int64_t number = leader.CompleteGroup(request, [](Status s, const auto& group) { … });
//   leader.Forget(number);                       // whoever asked has gone
//
// Where each member has a GPU of its own and all have the same NCCL, the answer says so (has_gpus):
// so all tasks know the same of it.
//
// A group of which a member is on a task of TensorFlow's has no generation: it executes its
// collectives as TensorFlow's tasks do, which ask for a group once and for ever, and then what each
// collective is (CompleteInstance). Another forms under its key only when the one of TensorFlow's
// tasks that is in it was started anew.
//
// Ownership: what is to be called is held until it was. Thread safety: any thread; answers are
// given without a lock, on the thread of the last member. Errors: INTERNAL in TensorFlow's words
// where members do not agree, to all that wait; INVALID_ARGUMENT; FAILED_PRECONDITION for a group
// that cannot form again, or is not known; those of MemberOrder and InstanceRecords.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_GROUP_LEADER_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_GROUP_LEADER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "graph/types/errors.h"

namespace tensorflow {
class CompleteGroupRequest;
class CompleteGroupResponse;
class CompleteInstanceRequest;
class CompleteInstanceResponse;
}  // namespace tensorflow

namespace warpbeam {

class GroupLeader {
 public:
  using Done =
      std::function<void(Status status, const tensorflow::CompleteGroupResponse& response)>;

  explicit GroupLeader(std::string task);
  ~GroupLeader();
  // The number is for Forget; 0: it has been answered.
  int64_t CompleteGroup(const tensorflow::CompleteGroupRequest& request, Done done);
  // Whoever asked is not answered any more, and no member; false where the answer is out.
  bool Forget(int64_t number);
  // The session's groups will not be asked for any more.
  void EndScope(const std::string& scope);
  void EndAll(const Status& why);

  // What a collective of a group with tasks of TensorFlow's is, and who broadcasts.
  using InstanceDone =
      std::function<void(Status status, const tensorflow::CompleteInstanceResponse& response)>;
  void CompleteInstance(const tensorflow::CompleteInstanceRequest& request, InstanceDone done);

 private:
  struct Group;
  struct Waiter;
  using Key = std::pair<std::string, int32_t>;  // scope, group
  using Answers = std::vector<std::pair<Done, Status>>;

  struct Outcome;

  // With the lock held.
  Outcome JoinLocked(const tensorflow::CompleteGroupRequest& request, const Done& done);
  void TakeWaiters(const Key& key, const Status& status, Answers* answers);

  const std::string task_;
  std::mutex mutex_;  // of what follows
  int64_t next_waiter_ = 1;
  std::map<Key, Group> groups_;
  std::map<int64_t, Waiter> waiters_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_GROUP_LEADER_H_
