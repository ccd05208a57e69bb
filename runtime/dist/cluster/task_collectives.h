// TaskCollectives: the groups of collectives that a task of a cluster is in: it asks their leader,
// keeps what has formed, and answers the other tasks.
//
//   auto collectives = std::make_shared<TaskCollectives>("/job:worker/replica:0/task:1", devices);
//   collectives->JoinCluster(identity);
//   collectives->Find(member, round);             // calls round->Found
//
// The leader is the one that a session asks for (ConfigProto.experimental.collective_group_leader),
// else /job:worker/replica:0/task:0, else the first task of the cluster.
//
// A group whose members are all of one master's steps is that session's alone, and ends with it;
// one whose members are of several masters' steps is known by its key in the whole cluster. The
// cluster is the session's: the server's own, or one that the client has brought, in which the task
// has another name and other peers (task_identity.h).
//
// A group with members on tasks of TensorFlow's, or led by one, executes its collectives as those
// do (mixed_group.h); which it is, the leader's answer says.
//
// The GPUs of its members a task offers to one group at a time (Claim): to the first that looks for
// them, as long as that group forms or goes by them. So of what a task enqueues on GPUs and others
// have a part in, all is of one group, and comes in the order of the group's numbers on all tasks,
// whatever its own members enqueue between: no two tasks wait for each other. Other groups go
// through host memory. Where the tasks' connections are encrypted, which NCCL's are not, a session
// has to ask for NCCL.
//
// Ownership: owns groups and leader, and joins their threads in the end. Thread safety: any thread.
// Errors: of the leader and of the group; ABORTED for a group that has ended.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_TASK_COLLECTIVES_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_TASK_COLLECTIVES_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/comm/gpu_communicator.h"
#include "runtime/dist/cluster/collective_group.h"
#include "runtime/dist/cluster/collective_round.h"
#include "runtime/dist/cluster/group_leader.h"
#include "runtime/dist/cluster/mixed_group.h"
#include "runtime/dist/cluster/task_identity.h"
#include "runtime/dist/collective/step_buffers.h"
#include "runtime/dist/collective/step_numbers.h"

namespace tensorflow {
class DeviceAttributes;
}  // namespace tensorflow

namespace warpbeam {

class TaskCollectives : public std::enable_shared_from_this<TaskCollectives> {
 public:
  using DevicesOfTask =
      std::function<std::vector<tensorflow::DeviceAttributes>(const TaskIdentity& identity)>;
  struct Member {
    std::shared_ptr<const TaskIdentity> identity;  // null: the one of JoinCluster
    std::string scope;  // the session; steps of several masters: TaskIdentity::cluster
    int32_t group = 0;
    int32_t group_size = 0;
    int kind = 0;
    std::string leader;  // "": the default
    std::string device;
    int index = 0;            // among the members of the device
    bool asks_nccl = false;   // the session does (ConfigProto.experimental.collective_nccl)
    Device* place = nullptr;  // the device; while it is asked for
  };

  // `may_use_nccl`: with other tasks.
  TaskCollectives(std::string task, DevicesOfTask devices, bool may_use_nccl = true);
  ~TaskCollectives();

  const std::string& task() const { return task_; }
  // The name of the leader; `leader`: that of the session, or "".
  static std::string LeaderOf(const TaskIdentity& identity, const std::string& leader);
  // Before any of what follows.
  void JoinCluster(std::shared_ptr<const TaskIdentity> identity);
  // The round gets the member's group once it has formed and its tasks are connected.
  void Find(const Member& member, const std::shared_ptr<CollectiveRound>& round);
  // Executions of what is known by its key in the whole cluster.
  RoundTable& shared_rounds(const std::string& cluster);
  // The groups of a session, here and at the leader; of one group, for this reason.
  void EndScope(const std::string& scope);
  void EndGroup(const std::string& scope, int32_t group, const Status& why);
  // This task does not execute any collective with others any more.
  void EndAll(const Status& why);

  // The number of a step whose collectives meet by it (step_numbers.h), from the session's leader.
  // Blocks; CANCELLED with the step.
  StatusOr<int64_t> BeginNumbered(const TaskIdentity& identity, const std::string& leader,
                                  int64_t graph_key, const StepContext& step);
  StepNumbers& numbers() { return numbers_; }
  // What members of collectives with tasks of TensorFlow's give each other.
  const std::shared_ptr<StepBuffers>& buffers() const { return buffers_; }

  // What other tasks ask. The numbers are those of GroupLeader, and of Rendezvous.
  GroupLeader& leader() { return leader_; }
  void CompleteInstance(const tensorflow::CompleteInstanceRequest& request,
                        const WorkerPeer::InstanceDone& done);
  // Where what a group's tasks ask of each other is found.
  StatusOr<std::shared_ptr<TaskRendezvous>> Meeting(int64_t generation);
  // FAILED_PRECONDITION where a piece is asked of a device of before this task was started anew.
  Status CheckSource(const tensorflow::RecvBufRequest& request) const;

 private:
  using Key = std::pair<std::string, int32_t>;
  // A group that is looked for, or was found.
  struct Entry {
    int64_t attempt = 0;  // tells the answers of an earlier one
    int32_t size = 0;
    std::set<std::pair<std::string, int>> asked;  // devices and indices
    std::vector<std::pair<Member, std::shared_ptr<CollectiveRound>>> waiting;
    std::vector<std::shared_ptr<WorkerPeer::PendingCall>> calls;
    std::shared_ptr<CollectiveGroup> connecting, group;
    std::shared_ptr<MixedGroup> mixed;  // instead of those
    int64_t given_up = 0;               // a generation
    bool is_found() const { return connecting != nullptr || group != nullptr || mixed != nullptr; }
  };

  // The group that the task's GPUs are offered to: a look-up, or what it has found.
  struct Claim {
    Key key;
    int64_t attempt = 0;  // 0: none
    std::set<std::string> devices;
  };

  Status Ask(const Key& key, int64_t attempt, const Member& member, int64_t given_up);
  // The member's GPU; none, where it is not for this group.
  GpuIdentity Offer(const Key& key, int64_t attempt, const Member& member);
  // With the lock held.
  bool IsClaimHeld() const;
  void Answered(const Key& key, int64_t attempt, const Member& member, Status status,
                const tensorflow::CompleteGroupResponse& formed);
  void FormMixed(const Key& key, int64_t attempt, const Member& member,
                 const tensorflow::CompleteGroupResponse& formed);
  void Connected(const Key& key, const std::shared_ptr<CollectiveGroup>& group,
                 const Status& status);
  void Fail(const Key& key, int64_t attempt, const Status& status);
  void EndEntries(std::vector<Entry> entries, const Status& why);
  // With the lock held.
  Entry& EntryFor(const Member& member, Entry* gone);
  void StartAnew(Entry* entry);

  const std::string task_;
  const DevicesOfTask devices_;
  const bool may_use_nccl_;
  std::shared_ptr<const TaskIdentity> identity_;
  GroupLeader leader_;
  StepNumbers numbers_;
  const std::shared_ptr<StepBuffers> buffers_ = std::make_shared<StepBuffers>();
  std::unique_ptr<StepTable> meetings_;
  std::mutex mutex_;                                 // of what follows
  std::map<std::string, RoundTable> shared_rounds_;  // by cluster
  Status ended_;
  int64_t next_attempt_ = 1;
  std::map<Key, Entry> entries_;
  Claim claim_;
  std::map<int64_t, std::weak_ptr<CollectiveGroup>> by_generation_;
  CallThreads threads_;  // of groups; the first to end
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_TASK_COLLECTIVES_H_
