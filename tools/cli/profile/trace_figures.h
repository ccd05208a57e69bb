// What a traced step says of the work done in it.
//
//   TraceFigures f = FiguresOf(metadata.step_stats);
//   f.executed["MatMul"], f.bytes_read, f.device_overlap
//
// Thread safety: pure. Errors: none; what a trace does not tell is 0.
#ifndef WARPBEAM_TOOLS_CLI_PROFILE_TRACE_FIGURES_H_
#define WARPBEAM_TOOLS_CLI_PROFILE_TRACE_FIGURES_H_

#include <cstdint>
#include <map>
#include <string>

#include "runtime/trace/step_stats.h"

namespace warpbeam {
namespace cli {

struct TraceFigures {
  // Nodes of the graph whose kernels ran, by op type; what the runtime adds (feeds, fetches,
  // copies) is left out.
  std::map<std::string, int> executed;
  int nodes_executed = 0;
  // The sizes of their inputs, as far as kernels look at the values: shape and forwarding ops do
  // not.
  int64_t bytes_read = 0;
  // From the start of IteratorGetNext to its end.
  double input_wait_us = 0;
  // Of the CPU time of the less busy device's kernels, the percentage during which kernels of
  // another device had CPU time too, on another core.
  double device_overlap = 0;
};

TraceFigures FiguresOf(const StepStats& stats);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_PROFILE_TRACE_FIGURES_H_
