// StepCollectives: the collectives of a step whose members may be on several tasks, in this task.
//
//   StepCollectives collectives(&task_collectives, scope, step_id);
//   collectives.Join(ctx, call, done);     // as JoinCollective does
//
// Where one master runs all members, a collective is told by the number of the step, and how often
// the step has come by there. Where members are of steps of several masters (between-graph
// replication), which have numbers of their own, it is told by how often the group has executed it;
// a step that fails ends the group then, so that all count from the beginning again. Such steps
// have the same graph key, or none.
//
// With tasks of TensorFlow's in the cluster steps of several masters have common numbers, by which
// their members meet (`by_number`).
//
// Ownership: `task` outlives it; members outlive neither. Thread safety: any thread. Errors: as
// JoinCollective; INVALID_ARGUMENT for keys that are no numbers of 32 bits.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_STEP_COLLECTIVES_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_STEP_COLLECTIVES_H_

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "runtime/comm/communicator.h"
#include "runtime/compile/plan_compiler.h"
#include "runtime/dist/cluster/task_collectives.h"

namespace warpbeam {

// What the collectives of a session's graph have in common.
struct CollectiveScope {
  std::shared_ptr<const TaskIdentity> identity;  // who this task is to the session
  std::string session;
  std::string leader;               // "": the default
  std::set<int32_t> shared_groups;  // those with members in steps of other masters
  std::set<int32_t> own_groups;     // those whose members are all in the step, on Warpbeam's tasks
  int64_t graph_key = 0;            // of the step (RunOptions)
  bool by_number = false;           // members of several masters' steps meet by the steps' numbers
  bool has_loops = false;           // collectives may be in loops
  bool asks_nccl = false;           // the session does, also where tasks' connections are encrypted
  // Groups whose keys are computed are taken for shared where the step has a graph key, or where
  // TensorFlow's tasks may be in them.
  bool Shares(int32_t group) const {
    return shared_groups.count(group) > 0 ||
           ((graph_key != 0 || by_number) && own_groups.count(group) == 0);
  }
};

// Whether a member of a collective is in a loop of the graph's, of the step's nodes.
StatusOr<bool> HasLoopedCollective(const StepBounds& bounds);

class StepCollectives final : public Collectives {
 public:
  StepCollectives(TaskCollectives* task, std::shared_ptr<const CollectiveScope> scope,
                  int64_t step_id)
      : task_(*task), scope_(std::move(scope)), step_id_(step_id) {}

  void Join(KernelContext& ctx, CollectiveCall call, AsyncKernel::Done done) override;
  // The step has failed on this task.
  void Fail(const Status& why);

 private:
  TaskCollectives& task_;
  const std::shared_ptr<const CollectiveScope> scope_;
  const int64_t step_id_;
  RoundTable rounds_;
  std::mutex mutex_;
  std::set<int32_t> joined_;  // shared groups; guarded by the mutex
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_STEP_COLLECTIVES_H_
