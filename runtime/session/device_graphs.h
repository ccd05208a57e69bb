// The graphs that a plan runs, one for each of its devices.
//
//   metadata->partition_graphs = DeviceGraphsOf(runner.plan());
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_RUNTIME_SESSION_DEVICE_GRAPHS_H_
#define WARPBEAM_RUNTIME_SESSION_DEVICE_GRAPHS_H_

#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/trace/run_graphs.h"

namespace warpbeam {

std::vector<DeviceGraph> DeviceGraphsOf(const Plan& plan);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_DEVICE_GRAPHS_H_
