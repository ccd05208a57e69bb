// What the commands that time steps run: a step of a model, or what a spec file says.
//
//   TimedStepFlags flags;
//   flags.AddTo(args);
//   WB_ASSIGN_OR_RETURN(TimedStep timed, TimedStep::Read(flags, "mlp.json"));   // or "model.pb", …
//   options.cpu_devices = std::max(options.cpu_devices, timed.cpu_devices());
//   WB_RETURN_IF_ERROR(timed.Open(options, import, console));
//   WB_RETURN_IF_ERROR(timed.Initialise(console));
//   WB_RETURN_IF_ERROR(timed.Run(RunOptions(), nullptr));
//
// A spec (tools/benchmarks/README.md) is a file that ends in .json; for anything else the flags of
// tools/cli/step/model_step.h say what a step is.
//
// Ownership: owns the session. Thread safety: none. Errors: those of reading specs, of
// tools/cli/step/model_step.h and of sessions.
#ifndef WARPBEAM_TOOLS_CLI_STEP_TIMED_STEP_H_
#define WARPBEAM_TOOLS_CLI_STEP_TIMED_STEP_H_

#include <memory>
#include <string>
#include <vector>

#include "tools/cli/step/graph_spec.h"
#include "tools/cli/step/input_runners.h"
#include "tools/cli/step/model_step.h"

namespace warpbeam {
namespace cli {

class TimedStep {
 public:
  static StatusOr<TimedStep> Read(const StepFlags& flags, const std::string& path);

  // How many the spec asks for.
  int cpu_devices() const { return spec_.devices; }
  // Writes a checkpoint; empty where there is none to be timed.
  const std::string& save() const { return spec_.save; }
  // The file or folder that is read.
  const std::string& path() const;

  Status Open(const SessionOptions& session, const ImportOptions& import, Console& console);
  // Runs what comes first, and starts what runs beside the steps.
  Status Initialise(Console& console);
  Status Run(const RunOptions& options, RunMetadata* metadata);
  Status RunTarget(const std::string& target);
  // What a step is, as far as names say it; of a signature once the model is open.
  const GraphSpec& spec() const { return spec_; }
  // Of the last step.
  const std::vector<Tensor>& fetched() const { return fetched_; }
  // Once it is open.
  const Runnable& runnable() const { return runnable_; }
  // An error of a step with what runs beside it, should that be why.
  Status Explain(const Status& status) { return runners_->Explain(status); }

 private:
  StepFlags flags_;
  GraphSpec spec_;
  bool is_spec_ = false;
  Runnable runnable_;
  // They end before the session does.
  std::unique_ptr<InputRunners> runners_ = std::make_unique<InputRunners>();
  std::vector<Tensor> fetched_;
};

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_STEP_TIMED_STEP_H_
