// Machines with something changed, to see what would become of a step.
//
//   WB_ASSIGN_OR_RETURN(const Machine other, WhatIf(machine, "gpu:2 gone"));
//
// A change is "DEVICE gone", "memory=8GiB" (each GPU's, or each CPU's where there are no GPUs) or
// "link=10GB/s" (all links). Thread safety: a pure function. Errors: INVALID_ARGUMENT for what is
// no change, for a device that is not there, and for machines that then make no sense.
#ifndef WARPBEAM_TOOLS_CLI_SIMULATION_WHAT_IF_H_
#define WARPBEAM_TOOLS_CLI_SIMULATION_WHAT_IF_H_

#include <string>

#include "placement/cost/machine.h"

namespace warpbeam {
namespace cli {

StatusOr<Machine> WhatIf(const Machine& machine, const std::string& change);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_SIMULATION_WHAT_IF_H_
