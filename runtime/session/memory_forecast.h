// MemoryForecast: how much of each memory a step will need at most, before it runs, by a simulation
// of its nodes (placement/simulate): those of its plan or, of a step of several tasks, of the graph
// that the tasks share out, without the passes that each of them makes of its part.
//
//   WB_ASSIGN_OR_RETURN(
//       MemoryForecast forecast,
//       MemoryForecast::Of(*plan.facts.outline, kernels, machine, unknown_extent, &costs));
//   WB_RETURN_IF_ERROR(forecast.CheckFits());
//
// Outputs, copies, variables and constants count, in blocks as the allocator hands them out, and
// what is fed. What kernels write over their inputs counts once, and their workspaces count, as far
// as the costs tell of them, which may be null; otherwise the former counts twice, and the latter
// not at all: nothing declares either. What others have in the same memory is not known.
//
// Ownership: a value. Thread safety: a pure function. Errors of Of: those of StepGraph::Make; of
// CheckFits: RESOURCE_EXHAUSTED naming the memories and the largest tensors in them.
#ifndef WARPBEAM_RUNTIME_SESSION_MEMORY_FORECAST_H_
#define WARPBEAM_RUNTIME_SESSION_MEMORY_FORECAST_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "placement/cost/machine.h"
#include "placement/cost/op_costs.h"
#include "placement/kernel_catalog.h"
#include "runtime/plan/plan.h"

namespace warpbeam {

struct MemoryForecast {
  struct Peak {
    std::string device;  // the first one that has the memory
    int64_t bytes = 0;
    int64_t limit_bytes = 0;
    // "node:output", or a node for its state or its workspace. Only where the limit is passed.
    std::vector<std::pair<std::string, int64_t>> largest;
  };
  std::vector<Peak> peaks;

  static StatusOr<MemoryForecast> Of(const StepOutline& outline, const KernelCatalog& kernels,
                                     const Machine& machine, int64_t unknown_extent,
                                     const OpCosts* costs = nullptr);
  Status CheckFits() const;
  // -1 where the device shares the memory of another.
  int64_t BytesOf(const std::string& device) const;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_MEMORY_FORECAST_H_
