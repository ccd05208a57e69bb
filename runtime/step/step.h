// Step: one execution of a plan, and all the state it needs, in one reusable block.
//
// Steps are made by a PlanRunner, which keeps finished ones: the steady state of a training loop
// allocates none. There is one kind for each kind of plan: TaskStep runs tasks that were grouped
// when the plan was compiled; FrameStep runs plans with loops of Enter, Exit and NextIteration.
// This base class holds what they share: how an item computes on its slots, errors, statistics.
//
//   std::unique_ptr<Step> step = NewStep(plan);
//   step->Begin(request, done);
//   step->RunFrom(step->Launch(/*keep_one=*/true));
//
// The first error wins: it cancels the step's context, the kernels that have not started are
// skipped, and the step ends when the last running one has returned and what was enqueued on
// streams has happened. What slots hold by then stays until Clear, so that an error for want of
// memory can say who holds it. A step that is abandoned at its deadline keeps its block, buffers
// and services until its end.
//
// Thread safety: internal to the executor. `Begin` is called once per run, by one thread.
#ifndef WARPBEAM_RUNTIME_STEP_STEP_H_
#define WARPBEAM_RUNTIME_STEP_STEP_H_

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/kernel/launch_observer.h"
#include "runtime/kernel/step_context.h"
#include "runtime/plan/plan.h"
#include "runtime/step/live_tensors.h"
#include "runtime/step/step_trace.h"
#include "runtime/step/task_order.h"

namespace warpbeam {

class Step {
 public:
  // `root_slots`: as many as the plan has outside of loops.
  Step(const Plan& plan, int32_t root_slots);
  virtual ~Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  // What one run is given.
  struct Request {
    StepContext* context = nullptr;
    Span<const Tensor> feeds;  // in the plan's order, checked
    TraceLevel trace = TraceLevel::kNone;
    bool track = false;                      // remember what runs, for messages at a deadline
    bool note_tasks = false;                 // in which order they begin, for TasksBegun
    std::shared_ptr<const TaskOrder> order;  // that they are to keep to; null: as they become ready
  };

  // Readies the block. `done` is called when the last item has ended, on the thread that ended it.
  virtual void Begin(const Request& request, std::function<void()> done) = 0;
  // All of a plan that needs one thread only, on this one; `done` is not called.
  virtual void RunSerial() = 0;
  // Schedules what can start on its lanes; with `keep_one`, something of the home lane is left to
  // the caller and what to give to RunFrom returned, else -1.
  virtual int32_t Launch(bool keep_one) = 0;
  // Runs what Launch has kept, and what follows from it, on this thread.
  virtual void RunFrom(int32_t kept) = 0;
  // After the end: the tasks in the order in which they began. Plans with loops have none.
  virtual std::vector<int32_t> TasksBegun() const { return {}; }
  // Clears what is left of the run, for the next one.
  virtual void Clear() = 0;
  // What is running or waits for something: items, and after the last one has been launched the
  // devices that have work left. A step that is not tracked knows less: the tasks that are at work.
  std::vector<std::string> Running() const;

  // After the end: the status, and the fetched tensors (moved out, host addresses).
  Status status() const;
  Status TakeFetches(std::vector<Tensor>* fetched);
  // What a traced step has recorded.
  void TakeStats(StepStats* stats) { trace_->MoveTo(plan_, stats); }

  int64_t bytes_copied() const { return bytes_copied_.load(std::memory_order_relaxed); }
  int64_t items_run() const { return items_run_.load(std::memory_order_relaxed); }
  const Plan& plan() const { return plan_; }

 protected:
  // The part of Begin that all steps share; feeds go into `slots_`.
  void BeginRun(const Request& request, std::function<void()> done);
  // After the last item: waits for what is enqueued, without holding the thread, and tells whoever
  // waits. Nothing of the step is touched afterwards.
  void EndRun();
  // `slots`: those that the item's indices refer to.
  Status Compute(const PlanItem& item, Slot* slots) {
    return item.enqueues ? Enqueue(item, slots) : Call(item, slots);
  }
  // Of an asynchronous kernel: whether it can be started; and starts it, by calling `start`.
  Status BeforeStart(const PlanItem& item, Slot* slots);
  void Start(const PlanItem& item, absl::FunctionRef<void()> start);
  // `slots` as for Compute.
  Status Call(const PlanItem& item, Slot* slots) {
    if (!item.derefs.empty()) WB_RETURN_IF_ERROR(ReadReferences(item, slots));
    if (item.translates) return ComputeTranslated(item, slots);
    KernelContext ctx(slots, item.info, item.device, context_);
    return item.kernel->Compute(ctx);
  }
  Status ReadReferences(const PlanItem& item, Slot* slots);
  // What a switch or a receiver leaves empty is marked as dead; nobody else may leave anything
  // empty.
  Status CheckOutputs(const PlanItem& item, Slot* slots);
  // Whether the other task had nothing to send: those that wait for the item are dead, too.
  static bool HasReceivedDead(const PlanItem& item, const Slot* slots) {
    return item.kind == ItemKind::kReceive && !slots[item.info.output_start].value.has_value();
  }
  using Before = StepTrace::Before;
  Before TakeBefore(const PlanItem& item, const Slot* slots) const {
    return trace_->Look(plan_, item, slots);
  }
  // Without `slots`, the outputs are what the inputs were.
  void Record(const PlanItem& item, const Slot* slots, const Before& before,
              int64_t iteration = 0) {
    trace_->Record(plan_, item, slots, before, iteration);
  }
  // Work for a lane that calls `run` with this step. A deadline may leave a tracked step behind.
  WorkerPool::Work WorkOf(void (*run)(void* step, int64_t argument), int64_t argument) {
    return {run, this, argument, context_, tracks()};
  }
  void Fail(const PlanItem& item, const Status& status);
  // What was enqueued on a lane, or could not be, has failed.
  void FailOn(int32_t lane, const Status& status);
  // Whether the items that run are kept, for Running.
  bool tracks() const { return track_.load(std::memory_order_relaxed); }
  bool IsStopped() const {
    return failed_.load(std::memory_order_relaxed) || context_->IsCancelled();
  }
  // Of a copy that has been made.
  void CountBytes(const Slot& copied) {
    bytes_copied_.fetch_add(static_cast<int64_t>(copied.value.bytes()), std::memory_order_relaxed);
  }
  // Whatever a stopped step has left, outside of loops.
  void ClearAllSlots();
  // What the item has left in its outputs.
  void ListOutputs(const PlanItem& item, const Slot* slots, LiveTensors* live) const;
  static void ClearSlot(Slot& slot) {
    slot.value.Reset();
    slot.ref = nullptr;
    slot.dead = false;
  }

  const Plan& plan_;
  const Program& program_;
  std::vector<Slot> slots_;  // those outside of loops
  StepContext* context_ = nullptr;
  bool traced_ = false;
  // What Running reads while a step begins.
  std::atomic<bool> track_{false};
  std::atomic<bool> failed_{false};
  std::atomic<int64_t> bytes_copied_{0};
  std::atomic<int64_t> items_run_{0};

 private:
  std::string DescribeItem(const PlanItem& item) const {
    return plan_.DescribeItem(static_cast<int32_t>(&item - program_.items.data()));
  }
  Status Enqueue(const PlanItem& item, Slot* slots);
  Status CallObserved(const PlanItem& item, Slot* slots, LaunchObserver& observer);
  Status ComputeTranslated(const PlanItem& item, Slot* slots);
  void EndStream();
  void TellEnd();
  virtual std::vector<std::string> RunningItems() const = 0;
  // Lists what all items have left, once the step has ended.
  virtual void ListItems(LiveTensors* live) const = 0;

  std::unique_ptr<StepTrace> trace_;  // once it has been traced
  std::function<void()> done_;
  // At the end, for each of the program's enqueuing lanes: whether it has work that has not
  // happened; and how many there are.
  std::unique_ptr<std::atomic<bool>[]> stream_is_busy_;
  std::atomic<int32_t> streams_left_{0};
  mutable std::mutex mutex_;
  Status status_;
  Device* failed_on_ = nullptr;  // the device of the item whose error it is
};

// A step of the kind that the plan needs.
std::unique_ptr<Step> NewStep(const Plan& plan);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_STEP_H_
