// Shows that towers which a loop builds one after the other run at the same time.
//
//   bazel run //examples:towers_in_parallel -- --num_gpus=2 --simulated_gpus=2
//       --timeline=/tmp/towers.json
//
// The loop below only builds a graph: nothing is computed in it. When a session runs the graph,
// every tower takes a batch of its own out of the queue and works on its own device; where the
// gradients are averaged they wait for each other. The program prints when each tower worked in one
// step, and writes the step as a trace for chrome://tracing or Perfetto.
#include <cerrno>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "examples/average_gradients.h"
#include "examples/cifar10.h"
#include "examples/session_flags.h"
#include "examples/tower_spans.h"
#include "frontend/warpbeam.h"
#include "graph/types/errors.h"
#include "runtime/session/session.h"
#include "runtime/trace/chrome_trace.h"

ABSL_FLAG(int, num_gpus, 2, "number of towers: tower i is on /gpu:i");
ABSL_FLAG(int, warm_up_steps, 3, "steps before the one that is traced");

namespace wb = warpbeam::frontend;
namespace cifar10 = warpbeam::examples::cifar10;
using warpbeam::examples::AverageGradients;
using warpbeam::examples::GradsAndVars;

namespace {

struct Training {
  wb::Operation init;
  wb::Operation train_op;
};

std::string TowerName(int i) { return absl::StrCat(cifar10::kTowerName, "_", i); }

Training BuildTraining(const wb::Scope& root, const warpbeam::examples::Cifar10Files& files) {
  const wb::Scope cpu = root.Device("/cpu:0");
  wb::Variable global_step = wb::GetVariable(
      cpu, "global_step", {},
      wb::GetVariableOptions().initializer(wb::ConstantInitializer(0)).trainable(false));
  wb::train::GradientDescentOptimizer opt(cifar10::kInitialLearningRate);

  // Get images and labels for CIFAR-10.
  const warpbeam::examples::Cifar10Batch input = cifar10::DistortedInputs(cpu, files);
  const wb::train::PrefetchQueue batch_queue(
      cpu, {input.images, input.labels},
      wb::train::PrefetchQueueOptions().capacity(2 * absl::GetFlag(FLAGS_num_gpus)));

  // Builds the towers one after the other; none of them runs yet.
  std::vector<GradsAndVars> tower_grads;
  const wb::Scope shared = cpu.SameVariableScope(wb::VariableScopeOptions());
  for (int i = 0; i < absl::GetFlag(FLAGS_num_gpus) && root.ok(); ++i) {
    const wb::Scope scope = shared.Device(absl::StrCat("/gpu:", i)).NameScope(TowerName(i));
    // An operation that takes a batch out of the queue, for this GPU alone.
    std::vector<wb::Output> batch = batch_queue.Dequeue(scope);
    // The loss of this tower; the variables are those of all towers.
    wb::Output loss = cifar10::TowerLoss(scope, batch[0], batch[1]);
    wb::ReuseVariables(scope);
    tower_grads.push_back(opt.ComputeGradients(scope, loss));
  }
  if (!root.ok()) return Training();

  // The only place where towers wait for each other.
  const GradsAndVars grads = AverageGradients(cpu, tower_grads);
  Training training;
  training.train_op = opt.ApplyGradients(cpu, grads, global_step);
  training.init = wb::GlobalVariablesInitializer(cpu);
  return training;
}

wb::Status WriteTimeline(const warpbeam::StepStats& stats, const std::string& path) {
  if (path.empty()) return warpbeam::OkStatus();
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return warpbeam::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
  const std::string trace = warpbeam::ChromeTrace(stats);
  const bool whole = std::fwrite(trace.data(), 1, trace.size(), file) == trace.size();
  if (std::fclose(file) != 0 || !whole) return warpbeam::ResourceExhausted("cannot write ", path);
  absl::PrintF("the step is in %s, for chrome://tracing\n", path);
  return warpbeam::OkStatus();
}

// One step, traced.
wb::Status ShowStep(wb::ClientSession& sess, const Training& training) {
  warpbeam::RunOptions options;
  options.trace = warpbeam::TraceLevel::kSoftware;
  warpbeam::RunMetadata metadata;
  std::vector<wb::Tensor> none;
  WB_RETURN_IF_ERROR(
      sess.session()->Run(options, {}, {}, {training.train_op.name()}, &none, &metadata));
  std::vector<std::string> prefixes;
  for (int i = 0; i < absl::GetFlag(FLAGS_num_gpus); ++i) prefixes.push_back(TowerName(i) + "/");
  const auto spans =
      warpbeam::examples::SpansOf(metadata.step_stats, prefixes, "GradientDescent/update_");
  absl::PrintF("%s", warpbeam::examples::Describe(spans));
  return WriteTimeline(metadata.step_stats, absl::GetFlag(FLAGS_timeline));
}

wb::Status RunSteps(wb::ClientSession& sess, const Training& training) {
  for (int i = 0; i < absl::GetFlag(FLAGS_warm_up_steps); ++i) {
    WB_RETURN_IF_ERROR(sess.Run({training.train_op}).status());
  }
  return ShowStep(sess, training);
}

wb::Status Main() {
  if (absl::GetFlag(FLAGS_num_gpus) < 1 || absl::GetFlag(FLAGS_batch_size) < 1) {
    return warpbeam::InvalidArgument("--num_gpus and --batch_size must be at least 1");
  }
  WB_ASSIGN_OR_RETURN(const warpbeam::examples::Cifar10Files files,
                      warpbeam::examples::FindOrMakeCifar10(absl::GetFlag(FLAGS_data_dir)));
  const wb::Scope root = wb::Scope::NewRoot();
  const Training training = BuildTraining(root, files);
  WB_RETURN_IF_ERROR(root.status());
  wb::ClientSession sess(root, warpbeam::examples::SessionConfigFromFlags());
  WB_RETURN_IF_ERROR(sess.Run({training.init}).status());
  wb::train::Coordinator coordinator;
  WB_RETURN_IF_ERROR(wb::train::StartQueueRunners(root, sess, coordinator));
  coordinator.RequestStop(RunSteps(sess, training));
  WB_RETURN_IF_ERROR(coordinator.Join());
  return sess.Close();
}

}  // namespace

int main(int argc, char** argv) {
  warpbeam::examples::ParseFlags(
      "Shows that towers which a loop builds one after the other run at the same time: "
      "traces a step and prints when each worked.\n\n"
      "  bazel run //examples:towers_in_parallel -- --num_gpus=2 --simulated_gpus=2 "
      "--batch_size=32",
      argc, argv);
  return warpbeam::examples::ExitCode(Main());
}
