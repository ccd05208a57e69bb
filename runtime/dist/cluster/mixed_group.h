// MixedGroup: a group of collectives with members on tasks of TensorFlow's, as a task of Warpbeam's
// is in it: it executes them by TensorFlow's algorithms, over RecvBuf.
//
//   WB_ASSIGN_OR_RETURN(auto group, MixedGroup::Create(identity, leader, response, environment));
//   group->Execute(std::move(call), [](const Status& status, std::vector<Tensor> results) { … });
//   group->Cancel(step, instance, why);
//
// An execution is told by the number of its step and the instance, which all tasks know; any number
// may be under way. What a collective is and who broadcasts, the leader is asked the first time.
// After an error the group is looked for anew (has_ended), since a task may have been started anew.
//
// Ownership: shared by whoever executes in it and by its threads, which `Environment::threads`
// joins; the rest of the environment outlives those. Thread safety: any thread; what is given to be
// called is called once, without a lock, on a thread of the group. Errors: as MixedExecution;
// UNIMPLEMENTED for kinds of collectives that TensorFlow's tasks and these do not execute together.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_MIXED_GROUP_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_MIXED_GROUP_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/comm/communicator.h"
#include "runtime/dist/cluster/group_leader.h"
#include "runtime/dist/cluster/mixed_execution.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {

class MixedGroup : public std::enable_shared_from_this<MixedGroup> {
 public:
  struct Environment {
    GroupLeader* leader = nullptr;  // where this task is the leader
    std::shared_ptr<StepBuffers> buffers;
    CallThreads* threads = nullptr;
  };
  // The members of this task in one execution; their contexts are those of their kernels.
  struct Call {
    int64_t step = 0;
    int32_t instance = 0;
    const CollectiveCall* terms = nullptr;  // until it is done
    std::vector<CollectiveMember> members;
    std::vector<KernelContext*> contexts;
  };
  using Done = std::function<void(const Status& status, std::vector<Tensor> results)>;

  // `leader`: the name of the group's.
  static StatusOr<std::shared_ptr<MixedGroup>> Create(
      std::shared_ptr<const TaskIdentity> identity, std::string leader,
      const tensorflow::CompleteGroupResponse& formed, Environment environment);

  int size() const { return order_->size(); }
  int members_here() const { return members_here_; }
  bool HasMember(const std::string& device) const { return order_->RankOf(device) >= 0; }
  bool has_ended() const;
  void Execute(Call call, Done done);
  void Cancel(int64_t step, int32_t instance, const Status& why);
  // All that is under way is cancelled.
  void End(const Status& why);

 private:
  // What the leader has said of an instance.
  struct Known {
    int kind = 0;
    DType dtype = DType::kInvalid;
    Shape shape;
    int source = -1;
  };
  using Key = std::pair<int64_t, int32_t>;  // step, instance

  MixedGroup(std::shared_ptr<const TaskIdentity> identity, std::string leader,
             Environment environment)
      : identity_(std::move(identity)),
        leader_(std::move(leader)),
        environment_(std::move(environment)) {}

  // On a thread of its own.
  Status Run(Call* call, MixedExecution* execution, std::vector<Tensor>* results);
  StatusOr<int> Agree(const Call& call, const Shape& shape, MixedExecution* execution);
  StatusOr<MixedExecution::Member> Begin(Call* call, size_t member, const Shape& shape,
                                         int source) const;

  const std::shared_ptr<const TaskIdentity> identity_;
  const std::string leader_;
  const Environment environment_;
  int32_t key_ = 0;
  std::string device_type_;
  std::shared_ptr<const tensorflow::CompleteGroupRequest> standing_;  // see MixedExecution
  std::shared_ptr<const MemberOrder> order_;
  int members_here_ = 0;
  mutable std::mutex mutex_;  // of what follows
  Status ended_;
  std::map<int32_t, Known> known_;  // by instance
  std::map<Key, std::shared_ptr<MixedExecution>> running_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_MIXED_GROUP_H_
