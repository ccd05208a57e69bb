// CollectiveRound: the members of this task that are in one execution of a collective whose group
// may have members on other tasks. When all of this task's have come, the group executes it.
//
//   const auto round = table->Open(key, tie, call);         // see StepCollectives
//   round->Found(group);                                    // when the group has formed
//
// In a group with members on tasks of TensorFlow's (FoundMixed) each member takes part by itself,
// and the round ends when all of this task's have. Where all members of the group are of this task
// they meet as those of one process do.
//
// Tensors that lie on GPUs stay there where the group's go from GPU to GPU; else they are brought
// to host memory first.
//
// Until it executes, a cancelled step or the end of its time ends a round at once, for all of its
// members; then all tasks have to agree that nobody executes it. Once they execute, its members
// wait for the result, whatever becomes of their step: the memory is in use.
//
// Ownership: shared by its table and by whoever it waits for; members' kernels wait. Thread safety:
// any thread; members are told without a lock, on the thread of whatever ended the round. Errors:
// as JoinCollective.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_COLLECTIVE_ROUND_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_COLLECTIVE_ROUND_H_

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/comm/communicator.h"
#include "runtime/comm/meeting.h"
#include "runtime/dist/cluster/collective_group.h"
#include "runtime/dist/cluster/mixed_group.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {

class RoundTable;

class CollectiveRound : public std::enable_shared_from_this<CollectiveRound> {
 public:
  using Key = std::pair<int32_t, int32_t>;  // group, instance

  // What executions of an instance are told by.
  struct Tie {
    int64_t step = 0;        // 0: by how often the group has executed it
    bool is_shared = false;  // members may be of several masters' steps
    bool is_looped = false;  // the member may be in a loop
  };
  CollectiveRound(RoundTable* table, Key key, Tie tie, CollectiveCall terms)
      : table_(*table), key_(key), tie_(tie), terms_(std::move(terms)) {}

  // A member waits: its number among the members of its device; none where the round is over.
  // What is wrong with the member ends the round. `call` is used up by the round that takes it.
  StatusOr<int> Add(KernelContext* ctx, CollectiveCall* call, const AsyncKernel::Done& done,
                    StepContext::Token token);
  void Found(StatusOr<std::shared_ptr<CollectiveGroup>> group);
  void FoundMixed(const std::shared_ptr<MixedGroup>& group);
  void GiveUp(const Status& why);
  bool is_closed() const;
  // What to give it up with when its time is over: who has come.
  Status TimedOut() const;
  bool WaitUntilClosed(double seconds);

 private:
  struct Member {
    MeetingMember own;
    StepContext::Token token;
    Tensor result;  // once it has been executed in host memory
  };
  using Then = std::function<void(const Status& status)>;

  // With the lock held: whether it may still begin; one that a member has been refused in ends
  // without.
  bool MayBeginLocked() const { return !is_closed_ && !is_executing_ && !is_refused_; }
  // The same, when all of this task's members have come.
  void BeginLocked();
  Status CheckMixed(int64_t round) const;
  void ExecuteMixed();
  void Execute();
  // Brings to host memory what lies on GPUs.
  void Stage(Then then);
  Status StageAndWait();
  bool MayStayOnGpus() const;
  std::shared_ptr<const GpuGroup::Work> WorkOnGpus();
  // The members, for a meeting that tells them.
  std::vector<MeetingMember> TakeMembers();
  void Told(size_t member, const Status& status);
  Status Work(const CollectiveGroup& group, TaskCommunicator* tasks, int source);
  StatusOr<Tensor> Reduce(TaskCommunicator* tasks);
  StatusOr<Tensor> Gather(const CollectiveGroup& group, TaskCommunicator* tasks);
  StatusOr<Tensor> Broadcast(const CollectiveGroup& group, TaskCommunicator* tasks, int source);
  StatusOr<Tensor> AllToAll(const CollectiveGroup& group, TaskCommunicator* tasks);
  void SetShares(const CollectiveGroup& group, const Tensor& all);
  std::vector<CollectiveMember> TakeInputs();
  // Tells the members; they have their results where `status` is OK.
  void Close(const Status& status);

  RoundTable& table_;
  const Key key_;
  const Tie tie_;
  const CollectiveCall terms_;  // the first member's
  mutable std::mutex mutex_;    // of what follows
  std::condition_variable closing_;
  std::vector<Member> members_;  // and, while it executes, of this alone
  std::shared_ptr<CollectiveGroup> group_;
  std::shared_ptr<MixedGroup> mixed_;
  Execution execution_;
  bool is_refused_ = false, is_executing_ = false, is_closed_ = false;
  size_t still_to_tell_ = 0;
};

// The rounds that members may still join: of a step, or of all steps of several masters.
class RoundTable {
 public:
  // The round of the call that is open, or a new one.
  std::shared_ptr<CollectiveRound> Open(CollectiveRound::Key key, CollectiveRound::Tie tie,
                                        const CollectiveCall& call);
  // Nobody joins it any more.
  void Remove(CollectiveRound::Key key, const CollectiveRound* round);
  int64_t NextRound(CollectiveRound::Key key);

 private:
  std::mutex mutex_;
  std::map<CollectiveRound::Key, std::shared_ptr<CollectiveRound>> open_;
  std::map<CollectiveRound::Key, int64_t> rounds_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_COLLECTIVE_ROUND_H_
