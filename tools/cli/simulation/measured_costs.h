// What traced steps tell of the costs of ops, in the form in which simulations take it
// (placement/cost/op_costs.h).
//
//   OpCosts costs;
//   WB_RETURN_IF_ERROR(AddMeasured(graph, session, step, passes, stats, &costs));
//   costs.ToText();
//
// The nodes of the steps are found again by name in what the passes of a plan make of the graph, so
// that fused nodes have costs of their own. What is not found there, as nodes in the bodies of
// functions, is left out; so are copies.
//
// Thread safety: none. Errors: those of placing the graph and of the passes.
#ifndef WARPBEAM_TOOLS_CLI_SIMULATION_MEASURED_COSTS_H_
#define WARPBEAM_TOOLS_CLI_SIMULATION_MEASURED_COSTS_H_

#include <string>
#include <vector>

#include "placement/cost/op_costs.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace cli {

// The CPUs and GPUs of a session, with their models and what else is usual for them.
StatusOr<Machine> MachineOf(const SessionOptions& options);

// Whether a device of this model has one thread.
bool HasOneThread(const std::string& model);
// How long a kernel ran. On a device of one thread (`alone`) what was traced with CPU times counts
// these, as far as they are long enough to be exact: while others had the core, the kernel did not
// run.
double KernelSeconds(const NodeStats& node, bool alone);

struct StepNames {
  std::vector<std::string> feeds, fetches, targets;
};

// `options` are those of the session whose steps they are.
Status AddMeasured(const Graph& graph, const SessionOptions& options, const StepNames& step,
                   int64_t unknown_extent, const std::vector<StepStats>& steps, OpCosts* costs);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_SIMULATION_MEASURED_COSTS_H_
