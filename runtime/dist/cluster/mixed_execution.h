// MixedExecution: one execution of a collective of which some members are on tasks of TensorFlow's,
// as those of this task take part in it: each gives and receives pieces by its plan
// (member_plan.h).
//
//   const auto execution = std::make_shared<MixedExecution>(environment);
//   WB_ASSIGN_OR_RETURN(const int source, execution->Agree(requests, ask_leader));
//   WB_RETURN_IF_ERROR(execution->Transfer(std::move(members), work));     // on one thread
//   execution->Cancel(why);                                                // on any other
//
// An error ends the execution and, for whoever still waits for its pieces, what this task gives in
// the step. While nothing happens, the tasks that are waited for are asked every other second
// whether they are there, and TensorFlow's whether the group still stands for them: after an error
// they say nothing of the step, but refuse all that has to do with collectives.
//
// Ownership: shared with the calls that it has under way. Thread safety: one thread runs it; Cancel
// comes from any. Errors: those of other tasks, naming them (UNAVAILABLE for one that has gone);
// INTERNAL for pieces of another size; what it was cancelled with.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_MIXED_EXECUTION_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_MIXED_EXECUTION_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/comm/task_communicator.h"
#include "runtime/dist/cluster/task_identity.h"
#include "runtime/dist/cluster/worker_peer.h"
#include "runtime/dist/collective/member_plan.h"
#include "runtime/dist/collective/step_buffers.h"

namespace warpbeam {

class MixedExecution : public std::enable_shared_from_this<MixedExecution> {
 public:
  struct Environment {
    std::shared_ptr<const TaskIdentity> identity;
    std::shared_ptr<const MemberOrder> order;
    std::shared_ptr<StepBuffers> buffers;
    int64_t step = 0;
    // What tasks of TensorFlow's are asked to see whether they are still in the group; null: they
    // are not asked.
    std::shared_ptr<const tensorflow::CompleteGroupRequest> standing;
  };
  struct Member {
    int rank = 0;
    MemberPlan plan;
    Tensor tensor;  // what it brings, and its result, in place
  };
  // What is done with pieces on the way: `finish` in place.
  struct Work {
    TaskCommunicator::Merge merge = nullptr;
    std::function<Status(const Tensor& piece)> finish;
  };
  using AskLeader = std::function<std::shared_ptr<WorkerPeer::PendingCall>(
      const tensorflow::CompleteInstanceRequest& request, WorkerPeer::InstanceDone done)>;

  explicit MixedExecution(Environment environment) : environment_(std::move(environment)) {}

  // The rank of the member that broadcasts, if one does, when the leader has answered all.
  StatusOr<int> Agree(const std::vector<tensorflow::CompleteInstanceRequest>& requests,
                      const AskLeader& ask);
  Status Transfer(std::vector<Member> members, Work work);
  void Cancel(const Status& why);

 private:
  using Event = std::function<Status()>;
  // A chain of a member's plan, and how far it has come.
  struct Progress {
    Member* member = nullptr;
    const MemberPlan::Chain* chain = nullptr;
    size_t next = 0;
    size_t untaken = 0;
  };

  // What has happened, for the thread that runs the execution.
  void Post(Event event);
  // Until all that was begun has ended.
  Status RunEvents();
  // What is left of it, and of the step for other tasks.
  Status Fail(Status why);
  int64_t BeginCall();
  void Keep(int64_t number, std::shared_ptr<WorkerPeer::PendingCall> call);
  void EndCall(int64_t number);
  // On the thread that runs it.
  Status Advance(Progress* progress);
  Status Receive(Progress* progress);
  Status Received(Progress* progress, const void* bytes, size_t size);
  void Give(Progress* progress);
  Status LookAfterOthers();
  void AskWhetherItStands(const std::string& task, WorkerPeer& peer);
  Tensor PieceOf(const Progress& progress) const;

  const Environment environment_;
  Work work_;
  std::vector<Member> members_;
  std::vector<std::unique_ptr<Progress>> chains_;
  size_t left_ = 0;              // chains, or answers
  std::multiset<int> awaited_;   // ranks of members that have not given or taken something
  std::set<std::string> asked_;  // tasks that have not said yet whether the group stands
  std::string knows_;            // the device that has told of the error
  std::mutex mutex_;             // of what follows
  std::condition_variable changed_;
  std::deque<Event> events_;
  Status cancelled_;
  bool has_ended_ = false;
  int64_t next_call_ = 1;
  std::map<int64_t, std::shared_ptr<WorkerPeer::PendingCall>> calls_;  // null: not known yet
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_MIXED_EXECUTION_H_
