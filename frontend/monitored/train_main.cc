// A training program for tests: it may be killed at any moment and started again.
//
//   train_main DIRECTORY LAST_STEP LOSSES [save every N steps] [microseconds of rest a step]
//     [megabytes of ballast]
//
// Ballast is a variable of which every element is the step: a checkpoint with anything else in it
// ends the program with an error.
//
// The input of a step is computed from the global step. Every loss goes to the file LOSSES, in a
// line "STEP LOSS" with all its bits, before the next step begins.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/monitored/control_hooks.h"
#include "frontend/monitored/monitored_session.h"
#include "frontend/training/global_step.h"
#include "frontend/training/slot_optimizers.h"
#include "frontend/variables/variable_scope.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

struct Flags {
  std::string directory;
  int64_t last_step = 0;
  std::string losses;
  int64_t save_every = 5;
  int rest_us = 0;
  int64_t ballast_mb = 0;
};

// The gap of x*w to 3*x, for an x that the step decides; Adam, so that slots count too.
struct Model {
  explicit Model(int64_t ballast_mb) : step(GetOrCreateGlobalStep(root)) {
    const Variable w = GetVariable(root, "w", {4}, ConstantInitializer(0.5));
    const Output s = Cast(root, step.read(), DType::kFloat);
    const Output x = BuildOutput(root, "Sin", {Multiply(root, s, {0.7f, 1.3f, 2.9f, 0.1f})});
    const Output gap = Subtract(root, Multiply(root, x, w), Multiply(root, x, 3.0f));
    loss = ReduceMean(root, Square(root, gap), 0);
    // The step is raised after the loss is known, which reads it.
    AdamOptimizer optimizer(0.05);
    const auto gradients = optimizer.ComputeGradients(root, loss);
    before = Identity(root, step.read());
    train = optimizer.ApplyGradients(root.ControlDependencies({loss.op(), before.op()}), gradients,
                                     step);
    if (ballast_mb == 0) return;
    ballast = GetVariable(root, "ballast", {ballast_mb << 18},
                          GetVariableOptions().initializer(ZerosInitializer()).trainable(false));
    least = BuildOutput(root, "Min", {ballast.read(), {0}});
    most = BuildOutput(root, "Max", {ballast.read(), {0}});
    const Operation raise = BuildOp(root, "Assign", {ballast, Add(root, ballast.read(), 1.0f)});
    train = Group(root, {train, raise});
  }
  // Whether a restored model is of one moment.
  Status CheckBallast(ClientSession& session) const {
    if (!ballast.valid()) return OkStatus();
    WB_ASSIGN_OR_RETURN(const auto values, session.Run({least, most, step.read()}));
    const auto want = static_cast<float>(values[2].scalar<int64_t>());
    if (values[0].scalar<float>() == want && values[1].scalar<float>() == want) {
      return OkStatus();
    }
    return DataLoss("the ballast of step ", want, " is ", values[0].scalar<float>(), " to ",
                    values[1].scalar<float>());
  }

  const Scope root = Scope::NewRoot();
  Variable step, ballast;
  Output loss, before, least, most;
  Operation train;
};

Status Train(const Flags& flags) {
  Model model(flags.ballast_mb);
  MonitoredTrainingOptions options;
  options.checkpoint_dir = flags.directory;
  options.save_checkpoint_steps = flags.save_every;
  options.log_step_count_steps = 0;
  options.save_summaries_steps = 0;
  options.stop_on_signals = true;
  options.hooks = {StopAtStepHook::AtLastStep(flags.last_step)};
  WB_ASSIGN_OR_RETURN(auto session, MonitoredTrainingSession(model.root, options));
  WB_RETURN_IF_ERROR(model.CheckBallast(*session->raw_session()));
  std::FILE* const losses = std::fopen(flags.losses.c_str(), "a");
  if (losses == nullptr) return InvalidArgument("cannot write ", flags.losses);
  while (!session->ShouldStop()) {
    const auto out = session->Run({model.before, model.loss, model.train});
    if (!out.ok()) break;
    std::fprintf(losses, "%lld %a\n", static_cast<long long>((*out)[0].scalar<int64_t>()),
                 static_cast<double>((*out)[1].scalar<float>()));
    std::fflush(losses);
    if (flags.rest_us > 0) usleep(static_cast<useconds_t>(flags.rest_us));
  }
  std::fclose(losses);
  return session->Close();
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

int main(int argc, char** argv) {
  using warpbeam::frontend::train::Flags;
  if (argc < 4) {
    std::fprintf(stderr,
                 "usage: %s DIRECTORY LAST_STEP LOSSES [SAVE_EVERY] [REST_US] [BALLAST_MB]\n",
                 argv[0]);
    return 2;
  }
  Flags flags{argv[1], std::atoll(argv[2]), argv[3]};
  if (argc > 4) flags.save_every = std::atoll(argv[4]);
  if (argc > 5) flags.rest_us = std::atoi(argv[5]);
  if (argc > 6) flags.ballast_mb = std::atoll(argv[6]);
  const warpbeam::Status status = warpbeam::frontend::train::Train(flags);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
