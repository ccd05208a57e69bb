// A simulated step in the form of a traced one (runtime/trace/step_stats.h), for what draws and
// writes those: Chrome's trace format and the pictures of profiles.
//
//   const StepStats stats = SimulatedTrace(graph, step, machine, simulator, devices);
//   WriteText(ChromeTrace(stats), "step.json", console);
//
// What takes no time is left out. Ownership: as StepStats. Thread safety: pure. Errors: none.
#ifndef WARPBEAM_TOOLS_CLI_SIMULATION_SIMULATED_TRACE_H_
#define WARPBEAM_TOOLS_CLI_SIMULATION_SIMULATED_TRACE_H_

#include "placement/simulate/simulator.h"
#include "runtime/trace/step_stats.h"

namespace warpbeam {
namespace cli {

// `graph` is the one that `step` was made of; `simulator` has run `step` on `devices`.
StepStats SimulatedTrace(const Graph& graph, const StepGraph& step, const Machine& machine,
                         const Simulator& simulator, Span<const int> devices);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_SIMULATION_SIMULATED_TRACE_H_
