// PredictedStepOf: a simulated step for the pictures of a placement report.
//
//   simulator.Run(devices);
//   report.predicted = PredictedStepOf(step, machine, simulator, devices, report);
//   std::string picture = report.ToSvg();
//
// What takes no time is left out, and so is a node that the report does not have. Ownership: a
// value. Thread safety: pure. Errors: none.
#ifndef WARPBEAM_PLACEMENT_SIMULATE_PREDICTED_STEP_H_
#define WARPBEAM_PLACEMENT_SIMULATE_PREDICTED_STEP_H_

#include "placement/report.h"
#include "placement/simulate/simulator.h"

namespace warpbeam {

// `simulator` has run `step`, nodes of the graph that `report` is of, on `devices` of `machine`.
PredictedStep PredictedStepOf(const StepGraph& step, const Machine& machine,
                              const Simulator& simulator, Span<const int> devices,
                              const PlacementReport& report);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_SIMULATE_PREDICTED_STEP_H_
