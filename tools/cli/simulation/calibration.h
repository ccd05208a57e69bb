// Calibration: how fast the CPU devices of this machine are, as a machine description
// (placement/cost/machine_json.h).
//
//   CalibrationOptions options;
//   WB_ASSIGN_OR_RETURN(const std::vector<MachineDevice> devices, Calibrate(options, console));
//   WriteText(MachineJson(devices, {}), "machine.json", console);
//
// Ops run in a session, each on small and on large operands, some times without and then some with
// tracing; the medians of their kernels' times give what a call takes and how much more the work
// does. The device's launch is what a node of a long chain of nearly nothing takes; a hand-over is
// what it takes more where the chain's nodes are on two devices in turn, if there are two.
//
// Thread safety: none. Errors: those of the session; UNIMPLEMENTED where GPUs are asked for.
#ifndef WARPBEAM_TOOLS_CLI_SIMULATION_CALIBRATION_H_
#define WARPBEAM_TOOLS_CLI_SIMULATION_CALIBRATION_H_

#include <string>
#include <vector>

#include "placement/cost/machine.h"
#include "runtime/session/session.h"
#include "tools/cli/command.h"

namespace warpbeam {
namespace cli {

// An op with operands to measure it on: "8,32" is a float tensor, "i:8,32" an int32 vector of these
// values, "n:64,10" an int32 tensor of 64 numbers below 10, "v:8,32" a float variable.
struct CalibratedOp {
  const char* op;
  std::vector<std::string> operands;
  std::vector<std::pair<const char*, AttrValue>> attrs;
};

// The ops whose rates are measured, those of each op side by side, smaller operands first.
const std::vector<CalibratedOp>& CalibratedOps();

struct CalibrationOptions {
  SessionOptions session;  // devices and threads
  int steps = 9;           // traced, of each op
};

StatusOr<std::vector<MachineDevice>> Calibrate(const CalibrationOptions& options, Console& console);

// What was measured of an op on two operands, as a rate: the line through both points, as far as
// it is one that makes sense.
struct MeasuredWork {
  NodeCost cost;
  double seconds = 0;
};
OpRate RateThrough(const MeasuredWork& small, const MeasuredWork& large);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_SIMULATION_CALIBRATION_H_
