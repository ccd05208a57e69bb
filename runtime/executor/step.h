// Step: one execution of a plan, and all the state it needs, in one reusable block.
//
// Steps are made by a PlanRunner, which keeps finished ones: the steady state of a training loop
// allocates none. Within a step, tasks become ready when their last predecessor is done; a thread
// that finishes a task goes on with the first successor of its own lane and schedules the others.
//
// The first error wins: it cancels the step's context, the kernels that have not started are
// skipped, and the step ends when the last running one has returned. A step that is abandoned at
// its deadline keeps its block, buffers and services until then.
//
// Thread safety: internal to the executor. `Begin` is called once per run, by one thread.
#ifndef WARPBEAM_RUNTIME_EXECUTOR_STEP_H_
#define WARPBEAM_RUNTIME_EXECUTOR_STEP_H_

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/executor/plan.h"
#include "runtime/kernel/step_context.h"
#include "runtime/trace/step_stats.h"

namespace warpbeam {

class Step {
 public:
  explicit Step(const Plan& plan);
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  // What one run is given.
  struct Request {
    StepContext* context = nullptr;
    absl::Span<const Tensor> feeds;  // in the plan's order, checked
    StepStats* stats = nullptr;      // filled when not null
    bool track = false;              // remember what runs, for messages at a deadline
  };

  // Readies the block. `done` is called when the last task has ended, on the thread that ended it.
  void Begin(const Request& request, std::function<void()> done);
  // The single task of a serial plan, on this thread; `done` is not called.
  void RunSerial();
  // Schedules the initial tasks on their lanes; with `keep_one`, the first of the home lane is left
  // to the caller and returned, else -1.
  int32_t Launch(bool keep_one);
  // Runs a task and what follows from it on this thread.
  void RunFrom(int32_t task);

  // After the end: the status, and the fetched tensors (moved out, host addresses).
  absl::Status status() const;
  absl::Status TakeFetches(std::vector<Tensor>* fetched);
  // Clears what is left of the run, for the next one.
  void Clear();

  int64_t bytes_copied() const { return bytes_copied_.load(std::memory_order_relaxed); }
  int64_t items_run() const { return items_run_.load(std::memory_order_relaxed); }
  // Names of the items that are running; for tracked steps.
  std::vector<std::string> RunningItems() const;
  const Plan& plan() const { return plan_; }

 private:
  struct AsyncRun;

  int32_t RunTask(int32_t task);
  int32_t FinishTask(int32_t task);
  void RunItems(int32_t task, Range items);
  bool RunItem(int32_t index, const PlanItem& item);
  void StartAsync(int32_t task);
  absl::Status Compute(const PlanItem& item);
  absl::Status ComputeTranslated(const PlanItem& item);
  absl::Status ReadReferences(const PlanItem& item);
  bool MarkIfDead(int32_t index, const PlanItem& item);
  void MarkOutputsDead(int32_t index, const PlanItem& item);
  absl::Status CheckOutputs(const PlanItem& item);
  void ReleaseInputs(const PlanItem& item);
  void ClearSlot(int32_t slot) {
    Slot& s = slots_[slot];
    s.value.Reset();
    s.ref = nullptr;
    s.dead = false;
  }
  void Fail(const PlanItem& item, const absl::Status& status);
  bool IsStopped() const {
    return failed_.load(std::memory_order_relaxed) || context_->IsCancelled();
  }
  // What a traced item was like before its kernel ran.
  struct Before {
    int64_t ns = 0;
    int64_t cpu_ns = 0;
    int64_t input_bytes = 0;
  };
  Before TakeBefore(const PlanItem& item) const;
  void Record(const PlanItem& item, const Before& before);
  static void RunWork(void* step, int64_t task);

  const Plan& plan_;
  std::vector<Slot> slots_;
  std::unique_ptr<std::atomic<int32_t>[]> pending_;  // per task
  std::unique_ptr<std::atomic<int32_t>[]> readers_;  // per entry of plan_.counted
  std::vector<int32_t> reader_index_;                // slot → entry, -1
  std::unique_ptr<std::atomic<int32_t>[]> current_;  // per task: item running, -1 none
  std::vector<uint8_t> item_dead_;

  StepContext* context_ = nullptr;
  StepStats* stats_ = nullptr;
  bool track_ = false;
  std::function<void()> done_;
  std::atomic<int32_t> tasks_left_{0};
  std::atomic<bool> failed_{false};
  std::atomic<int64_t> bytes_copied_{0};
  std::atomic<int64_t> items_run_{0};
  mutable std::mutex mutex_;
  absl::Status status_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EXECUTOR_STEP_H_
