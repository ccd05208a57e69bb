// CollectiveGroup: a group of collectives whose members are on several tasks, as one of the tasks
// sees it, from the leader's answer to its end.
//
// The tasks exchange the addresses of their communicators by RecvBuf, connect, and from then on
// execute one collective after the other, in the order that the first task of the group keeps
// (execution_order.h), each on a thread that the group has for it.
//
//   auto group = CollectiveGroup::Create(task, response, environment);
//   (*group)->Start([](const Status& connected) { … });
//   (*group)->Execute(execution, terms, {work, nullptr}, done);
//
// Where each member has a GPU of its own (UseGpus), what can goes from GPU to GPU: it is enqueued
// in the same order, and waited for by its members alone. Whether an execution does, the first task
// says with its number, since not all collectives have their tensors there on all tasks.
//
// A group ends by the first error: a task that has gone, a connection that broke, a step of several
// masters that failed. All executions get that error, and so do the other tasks, which wait for it
// by a RecvBuf that is answered by nothing else. Another group may form under its key then.
//
// Ownership: shared by whoever executes in it and by its thread, which `Environment::threads`
// joins; the rest of the environment outlives both. Thread safety: any thread; what is given to be
// called is called once, without a lock, on any thread. Errors: INVALID_ARGUMENT for an answer that
// is none; UNAVAILABLE naming the task that has gone, DEADLINE_EXCEEDED naming tasks that do not
// come; UNIMPLEMENTED where the cluster has no communicators.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_COLLECTIVE_GROUP_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_COLLECTIVE_GROUP_H_

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/comm/task_communicator.h"
#include "runtime/dist/cluster/execution_order.h"
#include "runtime/dist/cluster/gpu_group.h"
#include "runtime/dist/cluster/step_table.h"
#include "runtime/dist/cluster/worker_peer.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {

class CollectiveGroup : public std::enable_shared_from_this<CollectiveGroup> {
 public:
  struct Environment {
    std::shared_ptr<PeerDirectory> peers;
    StepTable* meetings = nullptr;  // by generation: what RecvBuf asks for
    CallThreads* threads = nullptr;
  };
  // What a task does in an execution; `source` is the rank of the task that broadcasts.
  using Work = std::function<Status(TaskCommunicator* tasks, int source)>;
  using Done = std::function<void(const Status& status)>;
  struct Doing {
    Work on_host;
    // Null: not from GPU to GPU. Instead of `Done`, members are told by what it enqueues.
    std::shared_ptr<const GpuGroup::Work> on_gpus;
  };

  static StatusOr<std::shared_ptr<CollectiveGroup>> Create(
      const std::string& task, const tensorflow::CompleteGroupResponse& formed,
      Environment environment);
  ~CollectiveGroup();

  // Whether its tasks ask each other for something under this key.
  static bool IsKey(absl::string_view key);

  // The GPUs of this task's members are for this group, until it ends. Before Start.
  void UseGpus();
  bool uses_gpus() const { return gpus_ != nullptr; }
  // Connects with the other tasks. Once.
  void Start(Done connected);
  int64_t generation() const { return generation_; }
  int size() const { return size_; }
  int rank() const { return rank_; }
  bool is_of_one_task() const { return tasks_.size() == 1; }
  // How many of the members each task has, by rank, and which devices they are on here.
  const std::vector<int>& members() const { return members_; }
  int members_here() const { return members_[static_cast<size_t>(rank_)]; }
  bool HasMember(const std::string& device, int index) const;
  bool has_ended() const;

  // A number for each execution of an instance whose members are of several masters' steps.
  int64_t NextRound(int32_t instance);
  // Runs when all tasks are ready for it, and not after an error. Not in a group of one task.
  void Execute(const Execution& execution, ExecutionOrder::Terms terms, Doing doing, Done done);
  // The execution does not take place, unless all tasks are ready for it already.
  void Withdraw(const Execution& execution, const Status& why);
  // What another task of the group says to the first.
  void Arrive(const tensorflow::CompleteInstanceRequest& request,
              const WorkerPeer::InstanceDone& done);
  // The first reason stays.
  void End(const Status& why);

 private:
  struct Task {
    std::string name;
    std::shared_ptr<WorkerPeer> peer;  // null: this one
  };
  struct Ready {
    Doing doing;
    Done done;
    ExecutionOrder::Place place;
  };

  CollectiveGroup(std::string task, Environment environment)
      : task_(std::move(task)), environment_(std::move(environment)) {}
  Status Read(const tensorflow::CompleteGroupResponse& formed);
  // On the group's thread.
  void Main(const Done& connected);
  Status Connect();
  StatusOr<std::vector<std::string>> ExchangeAddresses();
  void WatchTasks();
  void ExecuteAll();
  void ExecuteOnHost(const Ready& ready);
  void ExecuteOnGpus(const Ready& ready);
  StatusOr<std::string> ExchangeGpuId(const GpuGroup::GivesUp& gives_up);
  // Ends the group for what went wrong on GPUs, when it is known who is to blame.
  void Explain(const Status& why, bool names_who, const GpuTasks::Told& answer);
  Status EndFor(const Status& why);
  int RankOfFirst(int task) const;
  bool NextReady(int64_t number, Ready* ready);
  Status AwaitReason(const Status& otherwise);
  // A RecvBuf of another task's; the call is cancelled with the group.
  void Ask(const Task& task, const std::string& key, WorkerPeer::BytesDone done);
  // A call to another task, from before it is made until it is answered.
  int64_t BeginCall();
  void Keep(int64_t number, std::shared_ptr<WorkerPeer::PendingCall> call);
  void EndCall(int64_t number);
  void Placed(StatusOr<ExecutionOrder::Place> place, Ready ready);
  tensorflow::CompleteInstanceRequest RequestFor(const Execution& execution) const;

  const std::string task_;
  const Environment environment_;
  int64_t generation_ = 0;
  int32_t key_ = 0;
  int size_ = 0;
  int rank_ = -1;
  std::vector<Task> tasks_;                        // by rank
  std::vector<int> members_;                       // by rank
  std::vector<std::pair<std::string, int>> here_;  // devices, and how many members each has
  std::vector<std::string> elsewhere_;             // devices of the other tasks' members
  std::shared_ptr<GpuGroup> gpus_;                 // or null; set before the group's thread starts
  std::unique_ptr<ExecutionOrder> order_;          // of the first task
  mutable std::mutex mutex_;                       // of what follows
  std::condition_variable changed_;
  Status ended_;
  bool has_started_ = false;
  std::shared_ptr<TaskCommunicator> communicator_;
  std::map<std::string, std::string> addresses_;  // by task; those that have come
  std::string gpu_id_;                            // once it has come
  std::map<int64_t, Ready> ready_;                // by number
  int64_t next_call_ = 1;
  std::map<int64_t, std::shared_ptr<WorkerPeer::PendingCall>> calls_;  // null: not known yet
  std::map<int32_t, int64_t> rounds_;                                  // by instance
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_COLLECTIVE_GROUP_H_
