// Trains the network of the CIFAR-10 tutorial with one tower per GPU, each on batches of its own.
//
//   bazel run //examples:cifar10_multi_gpu_train -- --num_gpus=2 --simulated_gpus=2
//       --train_dir=/tmp/cifar10_train
//
// --train_dir is emptied at the start; then it gets the graph and summaries, for TensorBoard, and
// a checkpoint every 1000 steps.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "examples/average_gradients.h"
#include "examples/cifar10.h"
#include "examples/graph_file.h"
#include "examples/session_flags.h"
#include "frontend/build.h"
#include "frontend/warpbeam.h"
#include "graph/types/errors.h"

ABSL_FLAG(std::string, train_dir, "cifar10_multi_gpu_train_logs",
          "folder for event logs and checkpoints; what earlier runs left there is deleted");
ABSL_FLAG(int, max_steps, 100000, "number of batches to run");
ABSL_FLAG(int, num_gpus, 1, "how many GPUs to use");
ABSL_FLAG(double, initial_learning_rate, warpbeam::examples::cifar10::kInitialLearningRate,
          "learning rate, before it falls");

namespace wb = warpbeam::frontend;
namespace cifar10 = warpbeam::examples::cifar10;
using warpbeam::examples::AverageGradients;
using warpbeam::examples::GradsAndVars;

namespace {

// What a session runs.
struct Training {
  wb::Operation init;
  wb::Variable global_step;
  wb::Operation train_op;
  std::vector<wb::Output> losses;  // of the towers
  wb::Output summary_op;
  std::unique_ptr<wb::train::Saver> saver;
};

// The towers' gradients and losses; `summaries` become those of the last tower.
std::vector<GradsAndVars> BuildTowers(const wb::Scope& cpu, wb::train::Optimizer& opt,
                                      const wb::train::PrefetchQueue& batch_queue,
                                      std::vector<wb::Output>* losses,
                                      std::vector<wb::Output>* summaries) {
  std::vector<GradsAndVars> tower_grads;
  const wb::Scope shared = cpu.SameVariableScope(wb::VariableScopeOptions());
  for (int i = 0; i < absl::GetFlag(FLAGS_num_gpus) && cpu.ok(); ++i) {
    const wb::Scope scope = shared.Device(absl::StrCat("/gpu:", i))
                                .NameScope(absl::StrCat(cifar10::kTowerName, "_", i));
    // A batch of its own for each GPU.
    std::vector<wb::Output> batch = batch_queue.Dequeue(scope);
    // The whole network; all towers share its variables.
    losses->push_back(cifar10::TowerLoss(scope, batch[0], batch[1]));
    wb::ReuseVariables(scope);

    *summaries = wb::GetCollection(scope, wb::GraphKeys::kSummaries, scope.name_scope());
    tower_grads.push_back(opt.ComputeGradients(scope, losses->back()));
  }
  return tower_grads;
}

// `x`, once all losses are numbers; else the step fails.
wb::Output AfterCheck(const wb::Scope& scope, const std::vector<wb::Output>& losses,
                      const wb::Output& x) {
  std::vector<wb::Operation> checks;
  for (const wb::Output& loss : losses) {
    checks.push_back(wb::BuildOp(scope, "CheckNumerics", {loss},
                                 wb::OpAttrs().Set("message", "the loss is no number")));
  }
  return wb::Identity(scope.ControlDependencies(checks), x);
}

Training BuildTraining(const wb::Scope& root, const warpbeam::examples::Cifar10Files& files) {
  const wb::Scope cpu = root.Device("/cpu:0");
  Training training;
  // The number of steps so far; not trained.
  training.global_step = wb::GetVariable(
      cpu, "global_step", {},
      wb::GetVariableOptions().initializer(wb::ConstantInitializer(0)).trainable(false));

  // The learning rate falls in stairs.
  const double num_batches_per_epoch =
      double{cifar10::kNumExamplesPerEpochForTrain} / absl::GetFlag(FLAGS_batch_size);
  const int decay_steps = static_cast<int>(num_batches_per_epoch * cifar10::kNumEpochsPerDecay);
  wb::Output lr = wb::train::ExponentialDecay(cpu, absl::GetFlag(FLAGS_initial_learning_rate),
                                              training.global_step, decay_steps,
                                              cifar10::kLearningRateDecayFactor,
                                              /*staircase=*/true);
  wb::train::GradientDescentOptimizer opt(lr);

  // Batches that are ready when the towers want them.
  const warpbeam::examples::Cifar10Batch input = cifar10::DistortedInputs(cpu, files);
  const wb::train::PrefetchQueue batch_queue(
      cpu, {input.images, input.labels},
      wb::train::PrefetchQueueOptions().capacity(2 * absl::GetFlag(FLAGS_num_gpus)));

  std::vector<wb::Output> summaries;
  const std::vector<GradsAndVars> tower_grads =
      BuildTowers(cpu, opt, batch_queue, &training.losses, &summaries);
  if (!root.ok()) return training;
  // The towers wait for each other here.
  const GradsAndVars grads = AverageGradients(cpu, tower_grads);

  summaries.push_back(wb::summary::Scalar(cpu, "learning_rate", lr));
  for (const wb::train::GradientAndVariable& g : grads) {
    if (!g.gradient.has_value()) continue;
    summaries.push_back(
        wb::summary::Histogram(cpu, g.variable.name() + "/gradients", g.gradient.dense()));
  }
  // A loss that is no number updates nothing.
  wb::train::GradientDescentOptimizer checked(AfterCheck(cpu, training.losses, lr));
  wb::Operation apply_gradient_op = checked.ApplyGradients(cpu, grads, training.global_step);
  for (const wb::Variable& var : wb::TrainableVariables(cpu)) {
    summaries.push_back(wb::summary::Histogram(cpu, var.name(), var));
  }

  wb::train::ExponentialMovingAverage variable_average(cifar10::kMovingAverageDecay,
                                                       training.global_step);
  wb::Operation variable_average_op = variable_average.Apply(cpu, wb::TrainableVariables(cpu));

  training.train_op = wb::Group(cpu, {apply_gradient_op, variable_average_op});
  training.saver = std::make_unique<wb::train::Saver>(cpu, wb::GlobalVariables(cpu));
  training.summary_op = wb::summary::Merge(cpu, summaries);
  training.init = wb::GlobalVariablesInitializer(cpu);
  return training;
}

void PrintStep(int step, float loss_value, double duration) {
  const int num_examples_per_step = absl::GetFlag(FLAGS_batch_size) * absl::GetFlag(FLAGS_num_gpus);
  absl::PrintF("%s: step %d, loss = %.2f (%.1f examples/sec; %.3f sec/batch)\n",
               absl::FormatTime("%Y-%m-%d %H:%M:%E6S", absl::Now(), absl::LocalTimeZone()), step,
               loss_value, num_examples_per_step / duration,
               duration / absl::GetFlag(FLAGS_num_gpus));
  std::fflush(stdout);
}

// The error of a step; of one whose loss was no number, with the node that this began in.
wb::Status Explained(const wb::Scope& root, wb::ClientSession& sess, const Training& training,
                     int step, const wb::Status& error) {
  if (error.code() != warpbeam::StatusCode::kInvalidArgument) return error;
  for (const wb::Output& loss : training.losses) {
    const std::string found = wb::train::FirstNan(root, sess, loss);
    if (found.empty()) continue;
    return warpbeam::Internal(
        "Model diverged with loss = NaN in step ", step, ": ", found,
        "; the last checkpoint is in --train_dir=", absl::GetFlag(FLAGS_train_dir));
  }
  return error;
}

wb::Status RunSteps(const wb::Scope& root, wb::ClientSession& sess, Training& training,
                    wb::summary::FileWriter& summary_writer) {
  const int max_steps = absl::GetFlag(FLAGS_max_steps);
  for (int step = 0; step < max_steps; ++step) {
    const absl::Time start_time = absl::Now();
    wb::SessionRunOptions options;
    if (step + 1 == max_steps) options.timeline = absl::GetFlag(FLAGS_timeline);
    const auto out = sess.Run({}, {training.train_op, training.losses.back()}, options, nullptr);
    if (!out.ok()) return Explained(root, sess, training, step, out.status());
    const double duration = absl::ToDoubleSeconds(absl::Now() - start_time);

    if (step % 10 == 0) PrintStep(step, (*out)[1].scalar<float>(), duration);
    if (step % 100 == 0) {
      WB_ASSIGN_OR_RETURN(const std::vector<wb::Tensor> summary, sess.Run({training.summary_op}));
      WB_RETURN_IF_ERROR(summary_writer.AddSummary(summary[0], step));
    }
    if (step % 1000 == 0) {
      WB_ASSIGN_OR_RETURN(const std::vector<wb::Tensor> now, sess.Run({training.global_step}));
      const std::string checkpoint_path = absl::GetFlag(FLAGS_train_dir) + "/model.ckpt";
      WB_RETURN_IF_ERROR(
          training.saver->Save(sess, checkpoint_path, static_cast<int64_t>(now[0].scalar<float>()))
              .status());
    }
  }
  return summary_writer.Close();
}

// Whether a file is one that training leaves behind.
bool IsOfTraining(const std::string& name) {
  return name == "checkpoint" || absl::StartsWith(name, "events.out.tfevents.") ||
         absl::StartsWith(name, "model.ckpt");
}

// An empty --train_dir. A folder with anything else in it is left alone.
wb::Status EmptyTrainDir() {
  namespace fs = std::filesystem;
  const std::string train_dir = absl::GetFlag(FLAGS_train_dir);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(train_dir, error)) {
    if (entry.is_directory() || !IsOfTraining(entry.path().filename().string())) {
      return warpbeam::FailedPrecondition(
          "--train_dir=", train_dir, " would be emptied, but it has '",
          entry.path().filename().string(), "', which no training wrote; name another folder");
    }
  }
  error.clear();
  fs::remove_all(train_dir, error);
  if (!error) fs::create_directories(train_dir, error);
  if (!error) return warpbeam::OkStatus();
  return warpbeam::ErrnoToStatus(error.value(), absl::StrCat("--train_dir=", train_dir));
}

wb::Status Train() {
  WB_ASSIGN_OR_RETURN(const warpbeam::examples::Cifar10Files files,
                      warpbeam::examples::FindOrMakeCifar10(absl::GetFlag(FLAGS_data_dir)));
  absl::PrintF("%d examples in %s%s\n", files.examples, absl::GetFlag(FLAGS_data_dir),
               files.made ? " (made, not CIFAR-10's own)" : "");
  const wb::Scope root = wb::Scope::NewRoot();
  Training training = BuildTraining(root, files);
  WB_RETURN_IF_ERROR(root.status());
  WB_ASSIGN_OR_RETURN(const bool wrote, warpbeam::examples::WroteGraphFile(root));
  if (wrote) return warpbeam::OkStatus();

  WB_RETURN_IF_ERROR(EmptyTrainDir());
  wb::ClientSession sess(root, warpbeam::examples::SessionConfigFromFlags());
  WB_RETURN_IF_ERROR(sess.Run({training.init}).status());
  wb::train::Coordinator coordinator;
  WB_RETURN_IF_ERROR(wb::train::StartQueueRunners(root, sess, coordinator));
  WB_ASSIGN_OR_RETURN(const auto summary_writer,
                      wb::summary::FileWriter::Open(absl::GetFlag(FLAGS_train_dir)));
  WB_RETURN_IF_ERROR(summary_writer->AddGraph(root));
  // An error of the input is the first one that the coordinator hears of.
  coordinator.RequestStop(RunSteps(root, sess, training, *summary_writer));
  WB_RETURN_IF_ERROR(coordinator.Join());
  return sess.Close();
}

wb::Status Main() {
  if (absl::GetFlag(FLAGS_num_gpus) < 1 || absl::GetFlag(FLAGS_batch_size) < 1 ||
      absl::GetFlag(FLAGS_max_steps) < 1) {
    return warpbeam::InvalidArgument("--num_gpus, --batch_size and --max_steps must be at least 1");
  }
  return Train();
}

}  // namespace

int main(int argc, char** argv) {
  warpbeam::examples::ParseFlags(
      "Trains the CIFAR-10 network with one tower for each GPU. Without data in --data_dir "
      "it makes some.\n\n"
      "  bazel run //examples:cifar10_multi_gpu_train -- --num_gpus=2 --simulated_gpus=2 "
      "--batch_size=64 --max_steps=1000",
      argc, argv);
  return warpbeam::examples::ExitCode(Main());
}
