// PlannedStep: a step's nodes after the passes that a session's plan goes through, so that what is
// simulated is what would run: constants folded, equal nodes merged, elementwise nodes fused.
//
//   WB_ASSIGN_OR_RETURN(auto planned, PlannedStep::Make(graph, sites, part, machine, "default"));
//   planned->graph(), planned->bounds()                  // for StepGraph::Make
//
// Passes are those of a session in this process, with the CPUs of the machine and GPUs that are
// simulated; folding computes what is constant. For other machines (several tasks, very many
// devices) and for steps that are all of a graph there are none: Follows says so.
//
// Ownership: shares the graph; owns the kernels that passes looked at. Thread safety: const access
// from many threads. Errors: those of the passes; INVALID_ARGUMENT for passes that are not known.
#ifndef WARPBEAM_TOOLS_CLI_SIMULATION_PLANNED_STEP_H_
#define WARPBEAM_TOOLS_CLI_SIMULATION_PLANNED_STEP_H_

#include <memory>
#include <string>
#include <vector>

#include "runtime/compile/plan_passes.h"
#include "runtime/session/local_task.h"
#include "tools/cli/graph_to_place.h"

namespace warpbeam {
namespace cli {

class PlannedStep {
 public:
  // Whether a session of this process could have the machine's devices.
  static bool Follows(const Machine& machine, const StepPart& part);
  // `sites` are devices of the machine, by node.
  static StatusOr<std::unique_ptr<PlannedStep>> Make(std::shared_ptr<const Graph> graph,
                                                     const std::vector<Site>& sites,
                                                     const StepPart& part, const Machine& machine,
                                                     const std::string& passes);

  const Graph& graph() const { return *lowering_.part.graph; }
  const Graph& before() const { return *before_; }
  PlanBounds bounds() const {
    return {*lowering_.order, lowering_.part.feeds, lowering_.part.fetches, lowering_.part.targets};
  }

 private:
  PlannedStep() = default;

  std::shared_ptr<const Graph> before_;
  std::unique_ptr<LocalTask> task_;
  LoweringPart lowering_;
};

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_SIMULATION_PLANNED_STEP_H_
