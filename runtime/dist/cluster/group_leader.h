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
// Ownership: what is to be called is held until it was. Thread safety: any thread; answers are
// given without a lock, on the thread of the last member. Errors: INTERNAL in TensorFlow's words
// where members do not agree, to all that wait; INVALID_ARGUMENT; UNIMPLEMENTED for tasks of
// TensorFlow's.
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
class GetStepSequenceRequest;
class GetStepSequenceResponse;
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

  // The next number of a step of each graph: all tasks that ask get the same, and count on alone.
  Status GetStepSequence(const tensorflow::GetStepSequenceRequest& request,
                         tensorflow::GetStepSequenceResponse* response);

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
  std::map<int64_t, int64_t> steps_;  // by graph
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_GROUP_LEADER_H_
