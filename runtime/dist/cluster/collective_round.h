// CollectiveRound: the members of this task that are in one execution of a collective whose group
// may have members on other tasks. When all of this task's have come, the group executes it.
//
//   const auto round = table->Open(key, step_id, call);     // see StepCollectives
//   round->Found(group);                                    // when the group has formed
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
#include "runtime/dist/cluster/collective_group.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {

class RoundTable;

class CollectiveRound : public std::enable_shared_from_this<CollectiveRound> {
 public:
  using Key = std::pair<int32_t, int32_t>;  // group, instance

  // `step` 0: of several masters' steps.
  CollectiveRound(RoundTable* table, Key key, int64_t step, CollectiveCall terms)
      : table_(*table), key_(key), step_(step), terms_(std::move(terms)) {}

  // A member waits: its number among the members of its device; none where the round is over.
  // What is wrong with the member ends the round. `call` is used up by the round that takes it.
  StatusOr<int> Add(KernelContext* ctx, CollectiveCall* call, const AsyncKernel::Done& done,
                    StepContext::Token token);
  void Found(StatusOr<std::shared_ptr<CollectiveGroup>> group);
  void GiveUp(const Status& why);
  bool is_closed() const;
  // What to give it up with when its time is over: who has come.
  Status TimedOut() const;
  bool WaitUntilClosed(double seconds);

 private:
  struct Member {
    KernelContext* ctx;
    CollectiveMember member;
    CollectiveCall::Take take;
    AsyncKernel::Done done;
    StepContext::Token token;
    Tensor result;  // once it has been executed
  };

  void Execute();
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
  const int64_t step_;
  const CollectiveCall terms_;  // the first member's
  mutable std::mutex mutex_;    // of what follows
  std::condition_variable closing_;
  std::vector<Member> members_;  // and, while it executes, of this alone
  std::shared_ptr<CollectiveGroup> group_;
  Execution execution_;
  bool is_executing_ = false, is_closed_ = false;
};

// The rounds that members may still join: of a step, or of all steps of several masters.
class RoundTable {
 public:
  // The round of the call that is open, or a new one.
  std::shared_ptr<CollectiveRound> Open(CollectiveRound::Key key, int64_t step,
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
