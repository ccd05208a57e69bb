// StepCompiler: a session's graph, placed, and how steps of it become plans.
//
// It holds all that compiling touches, so that a compilation that its session has stopped waiting
// for (compilation.h) may end later than the session.
//
//   WB_ASSIGN_OR_RETURN(auto compiler, StepCompiler::Create(options, graph, new_target));
//   WB_ASSIGN_OR_RETURN(StepBounds bounds, compiler->Resolve({"x:0"}, {"y:0"}, {}));
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<StepRunner> runner, compiler->Compile(bounds, PlanMode()));
//
// Ownership: owns the target, whose plans it must outlive. Thread safety: any thread; who
// looks at the graph holds graph_mutex() shared. Errors: those of placement and of compiling.
#ifndef WARPBEAM_RUNTIME_SESSION_STEP_COMPILER_H_
#define WARPBEAM_RUNTIME_SESSION_STEP_COMPILER_H_

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "placement/placer.h"
#include "runtime/function/callable_catalog.h"
#include "runtime/session/auto_placer.h"
#include "runtime/session/kernel_warm_up.h"
#include "runtime/session/session.h"
#include "runtime/session/step_checks.h"
#include "runtime/session/step_target.h"

namespace warpbeam {

// "node" or "node:3" as an output of the graph; `what` is "feed" or "fetch", for messages.
StatusOr<OutputRef> ParseOutput(const Graph& graph, const std::string& text, const char* what);

class StepCompiler {
 public:
  // Makes the target of a graph; `dump`, which may be null, gets what compiling tells of its steps.
  using NewTarget = std::function<StatusOr<std::unique_ptr<StepTarget>>(const Graph& graph,
                                                                        LocalTask::Dump dump)>;

  static StatusOr<std::shared_ptr<StepCompiler>> Create(const SessionOptions& options,
                                                        std::shared_ptr<Graph> graph,
                                                        const NewTarget& new_target);
  StepCompiler(const StepCompiler&) = delete;
  StepCompiler& operator=(const StepCompiler&) = delete;

  Status Extend(const std::function<Status(Graph&)>& change);
  // The names as outputs and nodes of the graph as it is now, placed.
  StatusOr<StepBounds> Resolve(const std::vector<std::string>& feeds,
                               const std::vector<std::string>& fetches,
                               const std::vector<std::string>& targets);
  StatusOr<std::unique_ptr<StepRunner>> Compile(const StepBounds& bounds, const PlanMode& mode);
  // Whether what the plan takes from queues can come, as the graph is now.
  Status CheckDequeues(const StepRunner& runner);
  StatusOr<PlacementReport> Placement();

  const std::shared_ptr<Graph>& graph() const { return graph_; }
  std::shared_mutex& graph_mutex() { return graph_mutex_; }
  StepTarget& target() const { return *target_; }

 private:
  StepCompiler(const SessionOptions& options, std::shared_ptr<Graph> graph);
  // For whoever holds the mutex alone.
  Status PlaceNew();
  // Shared, with every node of the graph placed: whoever finds a node under it finds it with its
  // device, though whoever made the session may have added it to the graph since.
  StatusOr<std::shared_lock<std::shared_mutex>> LockPlaced();
  // The graph as it is now, with sites; it never changes, so that its nodes may be read without the
  // mutex while the graph grows. (Not their names: Find looks into the graph.) For whoever holds
  // the lock of LockPlaced: every node has its site.
  std::shared_ptr<const Graph> Snapshot();
  void DumpStep(const std::string& step, const std::string& text);

  const SessionOptions options_;
  const std::shared_ptr<Graph> graph_;
  std::mutex snapshot_mutex_;              // taken after graph_mutex_
  std::shared_ptr<const Graph> snapshot_;  // what plans read, with sites; made when one is wanted
  std::unique_ptr<StepTarget> target_;
  std::unique_ptr<CallableCatalog> catalog_;
  std::unique_ptr<Placer> placer_;
  std::unique_ptr<AutoPlacer> search_;  // null: the rules alone place the graph
  KernelWarmUp warm_up_;
  StepChecks checks_;
  bool has_loops_ = false;         // the graph has loops of v1 control flow
  std::shared_mutex graph_mutex_;  // shared to compile, alone to extend
  std::atomic<int> dump_count_{0};
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_STEP_COMPILER_H_
