// TaskStep: the step of a plan without loops, whose items were grouped into tasks.
//
// Tasks become ready when their last predecessor is done; a thread that finishes a task goes on
// with the first successor of its own lane and schedules the others, except for those that only
// now, when their inputs are there, turn out to be cheap: these it runs first itself. On a stream
// it does so only when nothing waits there: what is ready first runs first. Otherwise a chain, such
// as the gradients of activations, would run to its end before the gradients of the weights beside
// it, and what waits for those (other devices, memory that could be free) would wait, too. A plan
// with a single task runs without an atomic operation.
//
// On a lane that enqueues, a task is finished when its work is enqueued: what follows on that lane
// is ordered by the stream. A follower on another stream is started at once too, and its stream
// waits; one on host threads is started when the stream has come by. What such a task enqueues is
// the same in most steps: it is recorded and played again where that pays
// (runtime/step/replayed_tasks.h), unless the step is traced.
//
// A step that is to keep to an order (task_order.h) does none of that: each task goes through the
// gate to its lane.
//
// Thread safety: as Step.
#ifndef WARPBEAM_RUNTIME_STEP_TASK_STEP_H_
#define WARPBEAM_RUNTIME_STEP_TASK_STEP_H_

#include <memory>
#include <string>
#include <vector>

#include "runtime/step/replayed_tasks.h"
#include "runtime/step/step.h"

namespace warpbeam {

class TaskStep final : public Step {
 public:
  explicit TaskStep(const Plan& plan);
  ~TaskStep() override;

  void Begin(const Request& request, std::function<void()> done) override;
  void RunSerial() override;
  int32_t Launch(bool keep_one) override;
  void RunFrom(int32_t task) override;
  std::vector<int32_t> TasksBegun() const override;
  void Clear() override;

 private:
  struct AsyncRun;

  std::vector<std::string> RunningItems() const override;
  void ListItems(LiveTensors* live) const override;
  // What a thread has found to do besides.
  struct Found {
    static constexpr int kMaxCheap = 8;
    int32_t cheap[kMaxCheap];
    int32_t num_cheap = 0;
    int32_t next = -1;
  };
  void RunTasks(int32_t task, Found* found);
  void RunTask(int32_t task, Found* found);
  void FinishTask(int32_t task, Found* found);
  void TellOthers(int32_t task);
  void CountDown(int32_t successor);
  // Takes a task that is ready, when it is too little for a thread of its own by what it reads, or
  // the plan is for one thread.
  bool TakeCheap(int32_t task, Found* found) const;
  // A task is ready: it goes to its lane, unless an order has it wait.
  void Schedule(int32_t task);
  void Submit(int32_t task);
  void NoteBegin(int32_t task);
  bool IsQueued(int32_t lane) const;
  void RunItems(int32_t task, Range items);
  // Of a task whose launches may be recorded.
  void RunReplayed(int32_t task);
  void RecordItems(int32_t task, Replay& replay);
  void ReleaseBorrowed(const PlanTask& task, const Replay& replay);
  bool RunItem(int32_t index, const PlanItem& item);
  void StartAsync(int32_t task, Found* found);
  void EndAsync(AsyncRun* run, Status s);
  bool MarkIfDead(int32_t index, const PlanItem& item);
  void MarkOutputsDead(int32_t index, const PlanItem& item);
  void ReleaseInputs(const PlanItem& item);
  void ReleaseCounted(const PlanItem& item);
  static void RunWork(void* step, int64_t task);

  std::unique_ptr<std::atomic<int32_t>[]> pending_;  // per task
  std::unique_ptr<std::atomic<int32_t>[]> readers_;  // per entry of program_.counted
  std::vector<int32_t> reader_index_;                // slot → entry, -1
  std::unique_ptr<std::atomic<int32_t>[]> queued_;   // per lane that is a stream: tasks waiting
  std::unique_ptr<std::atomic<int32_t>[]> current_;  // per task: item running, -1 none
  std::vector<uint8_t> item_dead_;
  std::vector<std::unique_ptr<AsyncRun>> async_runs_;  // per task, made when one first runs
  ReplayedTasks replays_;
  std::atomic<int32_t> tasks_left_{0};
  // Where the tasks are noted in the order in which they begin: that many so far, and which.
  bool notes_tasks_ = false;
  std::atomic<size_t> num_begun_{0};
  std::vector<int32_t> begun_;
  TaskGate gate_;
  Found kept_;  // between Launch and RunFrom, of their caller
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_TASK_STEP_H_
