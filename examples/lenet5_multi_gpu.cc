// Trains LeNet-5 on CIFAR-10 images with one tower per GPU, with Adam, and shows loss and accuracy.
//
//   bazel run //examples:lenet5_multi_gpu -- --nof_gpus=2 --simulated_gpus=2 --train_steps=1000
//
// With --speed_up_plot=FILE it measures instead how much faster 2, 3, … --nof_gpus towers are than
// one, prints a table, and writes a plot (SVG).
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "examples/average_gradients.h"
#include "examples/cifar10_input.h"
#include "examples/graph_file.h"
#include "examples/lenet5.h"
#include "examples/session_flags.h"
#include "examples/speed_up.h"
#include "frontend/warpbeam.h"
#include "graph/types/errors.h"

ABSL_FLAG(int, train_steps, 100000, "number of training steps");
ABSL_FLAG(int, batch_size, 64, "number of examples per step");
ABSL_FLAG(double, lr_base, 0.001, "base learning rate");
ABSL_FLAG(double, lr_decay, 0.99, "learning rate decay");
ABSL_FLAG(double, reg_rate, 0.0001, "regularization rate on model weights");
ABSL_FLAG(double, ma_decay, 0.99, "moving average decay");
ABSL_FLAG(int, nof_gpus, 3, "how many GPUs to use");
ABSL_FLAG(std::string, data_dir, "/tmp/cifar10_data",
          "folder of CIFAR-10's binary files; images that stand in for them are made where there "
          "are none");
ABSL_FLAG(int, report_every, 100, "steps from one report to the next");
ABSL_FLAG(
    std::string, speed_up_plot, "",
    "file for a plot (SVG) of the speed-up over the number of GPUs; nothing else is done then");
ABSL_FLAG(int, speed_up_steps, 20, "steps to measure for each number of GPUs");

namespace wb = warpbeam::frontend;
using warpbeam::examples::AverageGradients;
using warpbeam::examples::Cifar10Files;
using warpbeam::examples::GradsAndVars;

namespace {

// What a session runs.
struct Training {
  wb::Operation init_op;
  wb::Operation train_op;
  wb::Output loss_op;
  wb::Output acc_op;
  wb::Variable global_step;
};

// What the towers compute.
struct Towers {
  std::vector<GradsAndVars> tower_grads;
  std::vector<wb::Output> accs;
  std::vector<wb::Output> losses;
};

Towers BuildTowers(const wb::Scope& cpu, wb::train::Optimizer& optimizer, const wb::Output& images,
                   const wb::Output& labels, int nof_gpus) {
  Towers towers;
  bool reuse_variable = false;
  for (int i = 0; i < nof_gpus && cpu.ok(); ++i) {
    const wb::Scope gpu = cpu.Device(absl::StrCat("/gpu:", i));
    wb::Output logits = warpbeam::examples::lenet5::Inference(
        gpu.SameVariableScope(wb::VariableScopeOptions().reuse(reuse_variable)), images,
        wb::L2Regularizer(absl::GetFlag(FLAGS_reg_rate)));
    // The share of labels that the network gets right.
    wb::Output pred = wb::Equal(gpu, wb::ArgMax(gpu, logits, 1), wb::ArgMax(gpu, labels, 1));
    towers.accs.push_back(wb::ReduceMean(gpu, wb::Cast(gpu, pred, wb::DType::kFloat)));
    wb::Output cross_entropy = wb::nn::SparseSoftmaxCrossEntropyWithLogits(
        gpu, /*labels=*/wb::ArgMax(gpu, labels, 1), logits);
    wb::Output loss = wb::ReduceMean(gpu, cross_entropy) +
                      wb::AddN(gpu, wb::GetCollection(gpu, wb::GraphKeys::kLosses));
    towers.tower_grads.push_back(optimizer.ComputeGradients(gpu, loss));
    towers.losses.push_back(loss);
    reuse_variable = true;
  }
  return towers;
}

Training BuildTraining(const wb::Scope& root, const Cifar10Files& files, int nof_gpus) {
  // Data is read and made ready on the CPU.
  const wb::Scope cpu = root.Device("/cpu:0");
  const warpbeam::examples::Cifar10Batch input = warpbeam::examples::DistortedInputs(
      cpu, files, absl::GetFlag(FLAGS_batch_size), /*height=*/28, /*width=*/28);
  if (!root.ok()) return Training();
  wb::Output labels = wb::OneHot(cpu, input.labels, 10);

  Training training;
  training.global_step = wb::train::GetOrCreateGlobalStep(cpu);
  wb::Output learning_rate = wb::train::ExponentialDecay(
      cpu, absl::GetFlag(FLAGS_lr_base), training.global_step, 64, absl::GetFlag(FLAGS_lr_decay));
  wb::train::AdamOptimizer optimizer(learning_rate);

  const Towers towers = BuildTowers(cpu, optimizer, input.images, labels, nof_gpus);
  if (!root.ok()) return training;
  training.acc_op = wb::ReduceMean(cpu, wb::Stack(cpu, towers.accs));
  training.loss_op = wb::ReduceMean(cpu, wb::Stack(cpu, towers.losses));

  // The mean of the towers' gradients changes the variables.
  wb::Operation train_step = optimizer.ApplyGradients(
      cpu, AverageGradients(cpu, towers.tower_grads), training.global_step);

  // Moving averages.
  std::vector<wb::Variable> var_avg = wb::TrainableVariables(cpu);
  for (const wb::Variable& v : wb::MovingAverageVariables(cpu)) var_avg.push_back(v);
  wb::Operation var_avg_op =
      wb::train::ExponentialMovingAverage(absl::GetFlag(FLAGS_ma_decay), training.global_step)
          .Apply(cpu, var_avg);

  // Both in each step.
  training.train_op = wb::Group(cpu, {train_step, var_avg_op});
  training.init_op = wb::GlobalVariablesInitializer(cpu);
  // From here on nothing can be added.
  wb::Finalize(root);
  return training;
}

// GPUs give memory as it is needed, which a program asks TensorFlow for with
// config.gpu_options.allow_growth.
wb::SessionConfig Config() {
  wb::SessionConfig config = warpbeam::examples::SessionConfigFromFlags();
  config.allow_soft_placement = true;
  return config;
}

std::string Now() {
  return absl::FormatTime("%Y-%m-%d %H:%M:%E6S", absl::Now(), absl::LocalTimeZone());
}

// Trains until the coordinator stops.
wb::Status Loop(wb::ClientSession& sess, const Training& training, wb::train::Coordinator& coord) {
  while (!coord.ShouldStop()) {
    wb::SessionRunOptions options;
    // Every step writes one; the file keeps the last one's.
    options.timeline = absl::GetFlag(FLAGS_timeline);
    WB_ASSIGN_OR_RETURN(
        const std::vector<wb::Tensor> out,
        sess.Run({}, {training.train_op, training.loss_op, training.acc_op, training.global_step},
                 options, nullptr));
    const int64_t steps = out[3].scalar<int64_t>();
    if (steps % absl::GetFlag(FLAGS_report_every) == 0) {
      absl::PrintF("%s: After %d steps training, loss / accuracy on training batch is %g / %g.\n",
                   Now(), steps, out[1].scalar<float>(), out[2].scalar<float>());
      std::fflush(stdout);
    }
    // The step may be read before or after its update, so that a number may be left out.
    if (steps >= absl::GetFlag(FLAGS_train_steps)) coord.RequestStop();
  }
  return warpbeam::OkStatus();
}

wb::Status Train(const Cifar10Files& files) {
  const wb::Scope root = wb::Scope::NewRoot();
  const Training training = BuildTraining(root, files, absl::GetFlag(FLAGS_nof_gpus));
  WB_RETURN_IF_ERROR(root.status());
  WB_ASSIGN_OR_RETURN(const bool wrote, warpbeam::examples::WroteGraphFile(root));
  if (wrote) return warpbeam::OkStatus();
  wb::ClientSession sess(root, Config());
  absl::PrintF("%s: Session started.\n", Now());
  WB_RETURN_IF_ERROR(sess.Run({training.init_op}).status());
  wb::train::Coordinator coord;
  WB_RETURN_IF_ERROR(wb::train::StartQueueRunners(root, sess, coord));
  coord.RequestStop(Loop(sess, training, coord));
  WB_RETURN_IF_ERROR(coord.Join());
  absl::PrintF("%s: Finished training.\n", Now());
  return sess.Close();
}

// Examples in a second with so many towers.
wb::StatusOr<double> MeasureSpeed(const Cifar10Files& files, int nof_gpus) {
  constexpr int kWarmUp = 3;
  const wb::Scope root = wb::Scope::NewRoot();
  const Training training = BuildTraining(root, files, nof_gpus);
  WB_RETURN_IF_ERROR(root.status());
  wb::SessionConfig config = Config();
  // Simulated, where there are to be any: as many as are used.
  if (config.simulated_gpus > 0) config.simulated_gpus = nof_gpus;
  wb::ClientSession sess(root, config);
  WB_RETURN_IF_ERROR(sess.Run({training.init_op}).status());
  wb::train::Coordinator coord;
  WB_RETURN_IF_ERROR(wb::train::StartQueueRunners(root, sess, coord));
  const int steps = absl::GetFlag(FLAGS_speed_up_steps);
  absl::Time begin;
  wb::Status status;
  for (int i = 0; i < kWarmUp + steps && status.ok(); ++i) {
    if (i == kWarmUp) begin = absl::Now();
    status = sess.Run({training.train_op}).status();
  }
  const double seconds = absl::ToDoubleSeconds(absl::Now() - begin);
  coord.RequestStop(status);
  WB_RETURN_IF_ERROR(coord.Join());
  WB_RETURN_IF_ERROR(sess.Close());
  return nof_gpus * absl::GetFlag(FLAGS_batch_size) * steps / seconds;
}

wb::Status MeasureSpeedUp(const Cifar10Files& files) {
  std::vector<warpbeam::examples::SpeedOfDevices> speeds;
  for (int n = 1; n <= absl::GetFlag(FLAGS_nof_gpus); ++n) {
    WB_ASSIGN_OR_RETURN(const double speed, MeasureSpeed(files, n));
    speeds.push_back({n, speed});
  }
  absl::PrintF("%s", warpbeam::examples::SpeedUpTable(speeds));
  return warpbeam::examples::WriteSpeedUpPlot(speeds, absl::GetFlag(FLAGS_speed_up_plot));
}

wb::Status Main() {
  if (absl::GetFlag(FLAGS_nof_gpus) < 1 || absl::GetFlag(FLAGS_batch_size) < 1 ||
      absl::GetFlag(FLAGS_report_every) < 1 || absl::GetFlag(FLAGS_speed_up_steps) < 1) {
    return warpbeam::InvalidArgument(
        "--nof_gpus, --batch_size, --report_every and --speed_up_steps must be at least 1");
  }
  WB_ASSIGN_OR_RETURN(const Cifar10Files files,
                      warpbeam::examples::FindOrMakeCifar10(absl::GetFlag(FLAGS_data_dir)));
  return absl::GetFlag(FLAGS_speed_up_plot).empty() ? Train(files) : MeasureSpeedUp(files);
}

}  // namespace

int main(int argc, char** argv) {
  warpbeam::examples::ParseFlags(
      "Trains LeNet-5 on CIFAR-10 images with one tower for each GPU, or measures the "
      "speed-up of more towers.\n\n"
      "  bazel run //examples:lenet5_multi_gpu -- --nof_gpus=2 --simulated_gpus=2 "
      "--batch_size=64 --train_steps=1000",
      argc, argv);
  return warpbeam::examples::ExitCode(Main());
}
