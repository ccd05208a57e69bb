// Compiles (feeds, fetches, targets) of a placed graph into a Plan.
//
// The steps, in order: passes (plan_passes.h) → order → partition (copies between memories) →
// lower (slots, kernels, constants, lifetimes) → group into tasks, or lay out the frames of loops.
// The same graph and request always give the same plan.
//
//   PlanRequest request;  request.graph = graph;  request.fetches = {…};  …
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan, CompilePlan(request));
//
// Thread safety: a pure function apart from kernels, which the cache makes. Errors: those of
// kernels' Create; INVALID_ARGUMENT for what cannot be run and for unknown passes; CANCELLED once
// nobody waits for the plan any more (graph/abandonment.h).
#ifndef WARPBEAM_RUNTIME_EXECUTOR_PLAN_COMPILER_H_
#define WARPBEAM_RUNTIME_EXECUTOR_PLAN_COMPILER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/executor/cost_profile.h"
#include "runtime/executor/device_set.h"
#include "runtime/executor/inline_calls.h"
#include "runtime/executor/kernel_cache.h"
#include "runtime/executor/plan.h"

namespace warpbeam {

struct PlanRequest {
  std::shared_ptr<const Graph> graph;
  std::vector<OutputRef> feeds;
  std::vector<OutputRef> fetches;
  std::vector<NodeId> targets;
  const DeviceSet* devices = nullptr;
  std::function<int(NodeId)> device_of;  // index into devices
  PlacedBodies bodies;                   // of functions, to be inlined; null: calls stay calls
  KernelCache* kernels = nullptr;
  KernelServices services;
  std::string passes = "default";  // graph/passes/pass_pipeline.h: Select
  // The device that each feed lies on and each fetch is left on, as an index into devices or
  // kHostMemory (placement/partition.h); empty: all in host memory.
  std::vector<int> feed_memories;
  std::vector<int> fetch_memories;
  // Feeds and fetches are handed over while the step runs, by its PartialStep (partial_step.h).
  bool partial = false;
  // As few tasks as possible, whatever the items cost: for plans that many threads run at once.
  bool one_thread = false;
  // Whatever may give other bits in another run is refused or put in order (docs/running_steps.md).
  bool deterministic = false;
  // Measured costs, instead of those that shapes let one expect; may be null.
  const CostProfile* costs = nullptr;
  // Gets the name of each step and a text of its outcome; may be null.
  std::function<void(const std::string& step, const std::string& text)> dump;
};

absl::StatusOr<std::unique_ptr<Plan>> CompilePlan(const PlanRequest& request);

// Groups the plan's items into tasks; the last step of CompilePlan, for plans made otherwise.
// `predecessors[i]` are the items that item i waits for; `cost_ns[i]` is its estimated cost.
void GroupIntoTasks(const std::vector<std::vector<int32_t>>& predecessors,
                    const std::vector<int64_t>& cost_ns, Plan* plan);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EXECUTOR_PLAN_COMPILER_H_
