// warpbeam calibrate: measures this machine and describes it, for simulating steps on it.
#include "placement/cost/machine_json.h"
#include "tools/cli/command.h"
#include "tools/cli/device_counts.h"
#include "tools/cli/graph_to_place.h"
#include "tools/cli/simulation/calibration.h"

namespace warpbeam {
namespace cli {

StatusOr<Outcome> CalibrateMachine(const std::vector<std::string>& words, Console& console) {
  Arguments args("warpbeam calibrate [--out=machine.json] [--devices=cpu:2]",
                 "Measures what ops take on this machine's CPUs, some seconds long, and describes "
                 "it as --machine of\nsimulate and place takes it. Nothing else should run "
                 "meanwhile.");
  CalibrationOptions options;
  options.session.gpus = 0;
  std::string out;
  std::string devices = "cpu:1";
  args.String("out", &out, "a file to write instead of the screen");
  args.String("devices", &devices, "into how many CPU devices the cores are divided, as cpu:2");
  args.Int("intra", &options.session.intra_op_threads,
           "threads of all devices together; 0: as many as cores");
  args.Int("steps", &options.steps, "traced steps of each op, whose median counts");
  bool help = false;
  WB_RETURN_IF_ERROR(ParseWords(args, words, console, &help));
  if (help) return Outcome::kHelp;
  WB_RETURN_IF_ERROR(OnlyFlags(args));
  if (options.steps < 1) {
    return WrongCall(InvalidArgument("--steps must be at least 1, not ", options.steps));
  }
  const StatusOr<DeviceCounts> counts = ParseDeviceCounts(devices);
  if (!counts.ok()) return WrongCall(counts.status());
  WB_RETURN_IF_ERROR(counts->ApplyTo(&options.session));
  WB_ASSIGN_OR_RETURN(const std::vector<MachineDevice> measured, Calibrate(options, console));
  WB_RETURN_IF_ERROR(WriteText(MachineJson(measured, {}), out, console));
  return Outcome::kRan;
}

}  // namespace cli
}  // namespace warpbeam
