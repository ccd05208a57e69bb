// TaskOrder: the tasks of a plan in the order in which they are to begin on each lane, and the gate
// that makes a step keep to it.
//
//   WB_ASSIGN_OR_RETURN(const TaskOrder order, TaskOrder::Of(schedule, plan));
//   TaskGate gate;
//   gate.Reset(std::make_shared<const TaskOrder>(order));
//   if (int32_t task = gate.Ready(5); task >= 0) Schedule(task);     // what it waits for is done
//   if (int32_t next = gate.Begun(task); next >= 0) Schedule(next);  // a thread has taken it
//
// A task is let go when it is ready and the one before it on its lane has begun. An order that is
// one of the plan's own tasks and contradicts none of their dependencies, which Of checks, can be
// followed to its end: the first task of all that has not been let go waits for tasks before it
// only.
//
// Ownership: the gate shares the order. Thread safety: the gate from any thread, Reset beside
// nothing else. Errors of Of: FAILED_PRECONDITION naming the task that the plan has not, that the
// schedule has not, or that cannot come where the schedule has it.
#ifndef WARPBEAM_RUNTIME_STEP_TASK_ORDER_H_
#define WARPBEAM_RUNTIME_STEP_TASK_ORDER_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/trace/schedule.h"

namespace warpbeam {

// The tasks as a schedule has them, in the order in which they began.
Schedule ScheduleOf(const Plan& plan, const std::vector<int32_t>& begun);

struct TaskOrder {
  std::vector<std::vector<int32_t>> tasks;  // by lane
  std::vector<int32_t> lane_of;             // by task

  static StatusOr<TaskOrder> Of(const Schedule& schedule, const Plan& plan);
};

class TaskGate {
 public:
  // Null: there is no order to keep to.
  void Reset(std::shared_ptr<const TaskOrder> order);
  bool is_used() const { return order_ != nullptr; }
  // Each gives the task that may go now, or -1.
  int32_t Ready(int32_t task);
  int32_t Begun(int32_t task);

 private:
  int32_t LetGo(int32_t lane);

  struct LaneState {
    size_t next = 0;      // in TaskOrder::tasks
    bool is_open = true;  // the one before it has begun
  };
  std::shared_ptr<const TaskOrder> order_;
  std::mutex mutex_;
  std::vector<LaneState> lanes_;
  std::vector<bool> ready_;  // by task
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_TASK_ORDER_H_
