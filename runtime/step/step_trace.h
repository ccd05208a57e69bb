// StepTrace: what a traced step notes while it runs, in the order in which items end.
//
// Notes are indices and numbers; what they stand for is added when the step is over, by `MoveTo`.
// One StepTrace is for the steps of one plan.
//
//   trace.Begin(plan, TraceLevel::kSoftware);
//   StepTrace::Before before = trace.Look(plan, item, slots);   // … the kernel runs …
//   trace.Record(plan, item, slots, before, iteration);
//   trace.End();  trace.MoveTo(plan, &metadata.step_stats);
//
// Thread safety: Look and Record from any thread, between Begin and End.
#ifndef WARPBEAM_RUNTIME_STEP_STEP_TRACE_H_
#define WARPBEAM_RUNTIME_STEP_STEP_TRACE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/memory/taken_memory.h"
#include "runtime/plan/plan.h"
#include "runtime/trace/step_stats.h"

namespace warpbeam {

class StepTrace {
 public:
  // What an item was like before its kernel ran.
  struct Before {
    int64_t ns = 0;
    int64_t cpu_ns = 0;
    int32_t thread = 0;
    int64_t input_bytes = 0;
    TakenMemory::Mark taken;
    std::array<const void*, 4> inputs = {};  // the addresses of the first ones
  };

  void Begin(const Plan& plan, TraceLevel level);
  void End();
  // Kernels may take their inputs' buffers, so inputs are looked up before one runs.
  Before Look(const Plan& plan, const PlanItem& item, const Slot* slots) const;
  // Without `slots`, the outputs are what the inputs were.
  void Record(const Plan& plan, const PlanItem& item, const Slot* slots, const Before& before,
              int64_t iteration);
  void MoveTo(const Plan& plan, StepStats* stats);

 private:
  struct Event {
    int32_t item = 0;
    int32_t thread = 0;
    int32_t core = 0;
    int32_t first_output = 0;
    int32_t num_outputs = 0;
    int64_t iteration = 0;
    int64_t end_ns = 0;
    int64_t output_bytes = 0;
    int64_t workspace_bytes = 0;
    int64_t cpu_ns = 0;
    Before before;
  };

  // What is told of an item in every step: written when the first one ends.
  struct Items {
    struct Item {
      std::string node, copy_from, copy_to;
      absl::string_view op, device;
      Range predecessors;  // in the list below
    };
    explicit Items(const Plan& plan);
    void AddNames(const Plan& plan);
    void AddPredecessors(const Plan& plan);

    std::vector<Item> items;
    std::vector<Item> constants;        // nodes whose values are known when the plan is made
    std::vector<int32_t> predecessors;  // items
    std::set<std::string> shared;       // ops and devices
  };

  void AddConstants(StepStats* stats) const;
  void FindPredecessors(StepStats* stats) const;

  bool cpu_time_ = false;
  int64_t start_ns_ = 0;
  int64_t end_ns_ = 0;
  std::mutex mutex_;
  std::vector<Event> events_;
  std::vector<OutputStats> outputs_;
  std::shared_ptr<const Items> items_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_STEP_TRACE_H_
