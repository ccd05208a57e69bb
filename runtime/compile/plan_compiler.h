// Compiles (feeds, fetches, targets) of a placed graph into a Plan.
//
// The steps, in order: passes (plan_passes.h) → order → partition (copies between memories) →
// lower (slots, kernels, constants, lifetimes) → group into tasks, or lay out the frames of loops.
// The same graph, bounds and mode always give the same plan.
//
//   StepBounds bounds;  bounds.graph = graph;  bounds.fetches = {{node, 0}};
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan, CompilePlan(env, bounds));
//
// Thread safety: a pure function apart from kernels, which the cache makes. Errors: those of
// kernels' Create; INVALID_ARGUMENT for what cannot be run and for unknown passes; CANCELLED once
// nobody waits for the plan any more (graph/abandonment.h).
#ifndef WARPBEAM_RUNTIME_COMPILE_PLAN_COMPILER_H_
#define WARPBEAM_RUNTIME_COMPILE_PLAN_COMPILER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "placement/cut.h"
#include "placement/partition.h"
#include "runtime/compile/cost_profile.h"
#include "runtime/compile/inline_calls.h"
#include "runtime/compile/kernel_cache.h"
#include "runtime/device/local/device_set.h"
#include "runtime/plan/plan.h"

namespace warpbeam {

// What a plan computes, in a placed graph (Graph::site) that nobody changes any more.
struct StepBounds {
  std::shared_ptr<const Graph> graph;
  std::vector<OutputRef> feeds;
  std::vector<OutputRef> fetches;
  std::vector<NodeId> targets;
  // Where each feed lies and each fetch is left; empty: all in host memory.
  std::vector<Memory> feed_memories;
  std::vector<Memory> fetch_memories;
};

// Which passes a part still has to go through: all, or those before or after it is cut by tasks
// (placement/cut.h).
enum class PassStage : uint8_t { kWhole, kBeforeCut, kAfterCut };

// How a plan is to be run.
struct PlanMode {
  // Feeds and fetches are handed over while the step runs, by its PartialStep (partial_step.h).
  bool partial = false;
  // As few tasks as possible, whatever the items cost: for plans that many threads run at once.
  bool one_thread = false;
  // Whatever passes the environment selects, only those run without which there is no plan: shapes
  // that the graph promises do not hold.
  bool required_passes_only = false;
  PassStage stage = PassStage::kWhole;
  // Of collectives in a cluster (RunOptions).
  int64_t collective_graph_key = 0;
};

// What compiling needs of its session; made once. All of it outlives the plans.
struct CompileEnv {
  const DeviceSet* devices = nullptr;
  // The devices of all tasks, on which a part is placed that is yet to be cut; null: `devices`.
  const SiteList* sites = nullptr;
  PlacedBodies bodies;  // of functions, to be inlined; null: calls stay calls
  KernelCache* kernels = nullptr;
  KernelServices services;
  std::string passes = "default";  // graph/passes/pass_pipeline.h: Select
  // Whatever may give other bits in another run is refused or put in order (docs/running_steps.md).
  bool deterministic = false;
  // Plans keep what they were made of (PlanFacts::outline).
  bool keeps_outlines = false;
  // Measured costs, instead of those that shapes let one expect; may be null.
  const CostProfile* costs = nullptr;
  // Gets the name of each step and a text of its outcome; may be null.
  std::function<void(const std::string& step, const std::string& text)> dump;
};

StatusOr<std::unique_ptr<Plan>> CompilePlan(const CompileEnv& env, const StepBounds& bounds,
                                            const PlanMode& mode = PlanMode());

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_PLAN_COMPILER_H_
