// Trains a small network on MNIST with one tower per GPU: every tower computes the loss and the
// gradients on its own device, the gradients are averaged on the CPU and change the variables once.
//
//   bazel run //examples:create_tfrecord -- --data_dir=$PWD/examples/data --output=/tmp/digits
//   bazel run //examples:mnist_towers -- --train_file=/tmp/digits --num_gpus=2 --simulated_gpus=2
//
// Checkpoints go to --model_dir, the graph, the loss, and histograms of gradients and variables to
// --log_dir, for TensorBoard and `warpbeam report`.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "examples/average_gradients.h"
#include "examples/graph_file.h"
#include "examples/progress.h"
#include "examples/session_flags.h"
#include "frontend/warpbeam.h"
#include "graph/types/errors.h"

ABSL_FLAG(std::string, train_file, "output.tfrecord", "TFRecord file of digits to train on");
ABSL_FLAG(std::string, test_file, "", "TFRecord file of digits to test with; empty for no test");
ABSL_FLAG(double, base_learning_rate, 0.001, "learning rate of the first step");
ABSL_FLAG(double, decay_rate, 0.99, "what the learning rate falls to in one epoch of MNIST");
ABSL_FLAG(int, batch_size, 32, "digits per step");
ABSL_FLAG(double, moving_avg_decay, 0.99, "decay of the variables' moving averages");
ABSL_FLAG(int, train_steps, 30000, "steps to train");
ABSL_FLAG(double, regular_ratio, 0.0001, "weight of the L2 regularization");
ABSL_FLAG(int, num_gpus, 1, "number of towers: tower i is on /gpu:i");
ABSL_FLAG(std::string, model_dir, "./model", "folder for checkpoints; empty for none");
ABSL_FLAG(std::string, log_dir, "./log", "folder for the graph and summaries; empty for none");
ABSL_FLAG(int, report_every, 1000, "steps from one report, summary and checkpoint to the next");
ABSL_FLAG(bool, scale_pixels, false, "scales pixels from 0..255 to 0..1");

namespace wb = warpbeam::frontend;
using warpbeam::examples::AverageGradients;
using warpbeam::examples::GradsAndVars;

namespace {

constexpr int64_t kInputNode = 28 * 28;
constexpr int64_t kNode1 = 500;
constexpr int64_t kOutputNode = 10;
constexpr int kStepsPerPoint = 10;  // of the loss in the event file

wb::Variable GetWeightVariables(const wb::Scope& scope, const wb::Shape& shape,
                                const wb::Regularizer& regularizer) {
  wb::Variable w = wb::GetVariable(scope, "w", shape, wb::TruncatedNormalInitializer(0, 0.1));
  if (regularizer.has_value()) {
    wb::AddToCollection(scope, wb::GraphKeys::kLosses, regularizer(scope, w));
  }
  return w;
}

wb::Output Inference(const wb::Scope& scope, const wb::Output& input_tensor,
                     const wb::Regularizer& regularizer) {
  wb::Scope layer1_scope = scope.VariableScope("layer1");
  wb::Variable weight = GetWeightVariables(layer1_scope, {kInputNode, kNode1}, regularizer);
  wb::Variable bias = wb::GetVariable(layer1_scope, "bias", {kNode1});
  wb::Output layer1 =
      wb::nn::Relu(layer1_scope, wb::MatMul(layer1_scope, input_tensor, weight) + bias);

  wb::Scope layer2_scope = scope.VariableScope("layer2");
  weight = GetWeightVariables(layer2_scope, {kNode1, kOutputNode}, regularizer);
  bias = wb::GetVariable(layer2_scope, "bias", {kOutputNode});
  wb::Output layer2 = wb::MatMul(layer2_scope, layer1, weight) + bias;
  return layer2;
}

wb::data::Element ParseImageFunction(const wb::Scope& scope, const wb::data::Element& element) {
  // The features that an Example has.
  const wb::FeatureSpec image_feature_description = {
      {"size", wb::FixedLenFeature({}, wb::DType::kInt64)},
      {"label", wb::FixedLenFeature({}, wb::DType::kInt64)},
      {"image_raw", wb::FixedLenFeature({}, wb::DType::kString)},
  };
  auto feat_dict = wb::ParseSingleExample(scope, element[0], image_feature_description);
  wb::Output decoded_img = wb::DecodeRaw(scope, feat_dict["image_raw"], wb::DType::kUInt8);
  wb::Output reshaped_img =
      wb::Cast(scope, wb::Reshape(scope, decoded_img, {kInputNode}), wb::DType::kFloat);
  if (absl::GetFlag(FLAGS_scale_pixels)) reshaped_img = reshaped_img / 255.0f;
  wb::Output label = wb::Cast(scope, feat_dict["label"], wb::DType::kInt32);
  return {reshaped_img, label};
}

wb::data::Element GetInput(const wb::Scope& scope) {
  const std::vector<std::string> input_files = {absl::GetFlag(FLAGS_train_file)};
  wb::data::Dataset dataset = wb::data::TFRecordDataset(scope, input_files).Map(ParseImageFunction);
  dataset =
      dataset.Shuffle(/*buffer_size=*/10000).Repeat(100).Batch(absl::GetFlag(FLAGS_batch_size));
  wb::data::Iterator iterator = dataset.MakeOneShotIterator();
  return iterator.GetNext();  // img, label
}

// The loss of one tower. The regularization losses of all towers are in one collection: the name
// scope picks those of this tower.
wb::Output GetLoss(const wb::Scope& scope, const wb::Output& x, const wb::Output& y_gt,
                   const wb::Regularizer& regularizer, bool reuse_variables) {
  wb::Output y_pred = Inference(
      scope.SameVariableScope(wb::VariableScopeOptions().reuse(reuse_variables)), x, regularizer);
  // Cross entropy.
  wb::Output cross_entropy = wb::ReduceMean(scope, wb::nn::SparseSoftmaxCrossEntropyWithLogits(
                                                       scope, /*labels=*/y_gt, /*logits=*/y_pred));
  // Regularization losses of this tower.
  wb::Output regularization_loss = wb::AddN(
      scope, wb::GetCollection(scope, wb::GraphKeys::kLosses, /*filter=*/scope.name_scope()));
  // All together.
  wb::Output loss = cross_entropy + regularization_loss;
  return loss;
}

// What a session runs.
struct Training {
  wb::Operation init;
  wb::Variable global_step;
  wb::Output loss;
  wb::Operation train_op;
  wb::Output summary_op;
  std::optional<wb::train::Saver> saver;
  wb::Output accuracy;  // of a batch of digits to test with; not valid without a test file
};

// The share of the test digits that the network, as it is when this runs, gets right.
wb::Output TestAccuracy(const wb::Scope& scope) {
  const wb::Scope test = scope.NameScope("test");
  wb::data::Dataset dataset =
      wb::data::TFRecordDataset(test, {absl::GetFlag(FLAGS_test_file)}).Map(ParseImageFunction);
  wb::data::Element next = dataset.Batch(10000).MakeOneShotIterator().GetNext();
  wb::Output y = Inference(test.SameVariableScope(wb::VariableScopeOptions().reuse(true)), next[0],
                           wb::Regularizer());
  wb::Output predicted = wb::Cast(test, wb::ArgMax(test, y, 1), wb::DType::kInt32);
  wb::Output correct = wb::Equal(test, predicted, next[1]);
  return wb::ReduceMean(test.Named("accuracy"), wb::Cast(test, correct, wb::DType::kFloat));
}

Training BuildTraining(const wb::Scope& root) {
  // Simple operations go to the CPU, only the network itself to the GPUs.
  wb::Scope cpu = root.Device("/cpu:0");
  wb::data::Element input = GetInput(cpu);
  wb::Output x = input[0], y_gt = input[1];

  wb::Regularizer regularizer = wb::L2Regularizer(absl::GetFlag(FLAGS_regular_ratio));

  wb::Variable global_step(cpu, 0, wb::VariableOptions().trainable(false));
  wb::Output learning_rate = wb::train::ExponentialDecay(
      cpu, absl::GetFlag(FLAGS_base_learning_rate), global_step,
      55000.0 / absl::GetFlag(FLAGS_batch_size), absl::GetFlag(FLAGS_decay_rate));

  wb::train::GradientDescentOptimizer opt(learning_rate);

  std::vector<GradsAndVars> tower_grads;
  bool reuse_variables = false;
  wb::Output cur_loss;

  // One tower on each GPU.
  for (int i = 0; i < absl::GetFlag(FLAGS_num_gpus); ++i) {
    wb::Scope scope = cpu.Device(absl::StrCat("/gpu:", i)).NameScope(absl::StrCat("GPU_", i));
    cur_loss = GetLoss(scope, x, y_gt, regularizer, reuse_variables);
    // All towers but the first share its variables.
    reuse_variables = true;
    GradsAndVars grads = opt.ComputeGradients(scope, cur_loss);
    tower_grads.push_back(grads);
  }

  // The mean of the gradients.
  GradsAndVars grads = AverageGradients(cpu, tower_grads);

  for (const wb::train::GradientAndVariable& g : grads) {
    if (!g.gradient.has_value()) continue;
    wb::summary::Histogram(cpu, "gradients_on_average" + g.variable.name(), g.gradient.dense());
  }

  // Changes the variables.
  wb::Operation apply_gradient_op = opt.ApplyGradients(cpu, grads, global_step);
  for (const wb::Variable& var : wb::TrainableVariables(cpu)) {
    wb::summary::Histogram(cpu, var.name(), var);
  }

  wb::train::ExponentialMovingAverage ema(absl::GetFlag(FLAGS_moving_avg_decay), global_step);
  std::vector<wb::Variable> variables_to_average = wb::TrainableVariables(cpu);
  for (const wb::Variable& v : wb::MovingAverageVariables(cpu)) variables_to_average.push_back(v);
  wb::Operation avg_op = ema.Apply(cpu, variables_to_average);

  wb::Operation train_op =
      wb::NoOp(cpu.ControlDependencies({apply_gradient_op, avg_op}).Named("train"));

  Training training;
  training.saver.emplace(cpu);
  training.summary_op = wb::summary::MergeAll(cpu);
  training.init = wb::GlobalVariablesInitializer(cpu);
  training.global_step = global_step;
  training.loss = cur_loss;
  training.train_op = train_op;
  if (!absl::GetFlag(FLAGS_test_file).empty()) training.accuracy = TestAccuracy(cpu);
  return training;
}

double SecondsSince(absl::Time start) { return absl::ToDoubleSeconds(absl::Now() - start); }

void PrintStep(int step, float loss, double duration) {
  // Every tower uses the whole batch.
  const int num_gpus = absl::GetFlag(FLAGS_num_gpus);
  const int num_examples_per_step = absl::GetFlag(FLAGS_batch_size) * num_gpus;
  const double examples_per_sec = num_examples_per_step / duration;
  const double sec_per_batch = duration / num_gpus;
  absl::PrintF("%s: step%d, loss=%.2f(%.1f examples/sec; %.3f sec/batch)\n",
               absl::FormatTime("%Y-%m-%d %H:%M:%E6S", absl::Now(), absl::LocalTimeZone()), step,
               loss, examples_per_sec, sec_per_batch);
  std::fflush(stdout);
}

void PrintCopies(const wb::SessionRunMetadata& did) {
  absl::PrintF(
      "copies between devices in one step: %d host to device, %d device to host, %d device to "
      "device, %d bytes in all\n",
      did.host_to_device_copies, did.device_to_host_copies, did.device_to_device_copies,
      did.bytes_copied);
}

using Writer = std::unique_ptr<wb::summary::FileWriter>;

// The event file, with the graph; null without --log_dir.
wb::StatusOr<Writer> OpenLog(const wb::Scope& root) {
  const std::string log_dir = absl::GetFlag(FLAGS_log_dir);
  if (log_dir.empty()) return Writer();
  WB_ASSIGN_OR_RETURN(Writer writer, wb::summary::FileWriter::Open(log_dir));
  WB_RETURN_IF_ERROR(writer->AddGraph(root));
  return writer;
}

wb::Status AddSummary(wb::ClientSession& sess, const Training& training, Writer& writer, int step) {
  if (writer == nullptr) return warpbeam::OkStatus();
  WB_ASSIGN_OR_RETURN(const std::vector<wb::Tensor> out, sess.Run({training.summary_op}));
  return writer->AddSummary(out[0], step);
}

wb::Status MakeModelDir() {
  const std::string model_dir = absl::GetFlag(FLAGS_model_dir);
  if (model_dir.empty()) return warpbeam::OkStatus();
  std::error_code error;
  std::filesystem::create_directories(model_dir, error);
  if (!error) return warpbeam::OkStatus();
  return warpbeam::ErrnoToStatus(error.value(), absl::StrCat("--model_dir=", model_dir));
}

wb::Status Save(wb::ClientSession& sess, Training& training) {
  const std::string model_dir = absl::GetFlag(FLAGS_model_dir);
  if (model_dir.empty()) return warpbeam::OkStatus();
  return training.saver->Save(sess, model_dir + "/model.ckpt").status();
}

wb::Status RunSteps(wb::ClientSession& sess, Training& training, Writer& writer) {
  const int train_steps = absl::GetFlag(FLAGS_train_steps);
  const int report_every = absl::GetFlag(FLAGS_report_every);
  warpbeam::examples::Progress progress(train_steps);
  const absl::Time begin = absl::Now();
  for (int i = 0; i < train_steps; ++i) {
    const absl::Time start_time = absl::Now();
    const bool last = i + 1 == train_steps;
    wb::SessionRunOptions options;
    if (last) options.timeline = absl::GetFlag(FLAGS_timeline);
    wb::SessionRunMetadata metadata;
    auto run = sess.Run({}, {training.global_step, training.loss, training.train_op}, options,
                        last ? &metadata : nullptr);
    if (warpbeam::IsOutOfRange(run.status())) {
      progress.Clear();
      absl::PrintF("the input ended after %d steps\n", i);
      break;
    }
    WB_RETURN_IF_ERROR(run.status());
    const int step = (*run)[0].scalar<int32_t>();
    const float loss = (*run)[1].scalar<float>();
    const double duration = SecondsSince(start_time);
    progress.Show(i + 1, loss,
                  (i + 1.0) * absl::GetFlag(FLAGS_batch_size) * absl::GetFlag(FLAGS_num_gpus) /
                      SecondsSince(begin));

    if (writer != nullptr && (step % kStepsPerPoint == 0 || last)) {
      WB_RETURN_IF_ERROR(writer->AddScalar("loss", loss, step));
    }
    if (last && writer != nullptr) {
      WB_RETURN_IF_ERROR(writer->AddSessionLog(wb::summary::SessionStatus::kStop, step));
    }
    if (step != 0 && step % report_every == 0) {
      progress.Clear();
      PrintStep(step, loss, duration);
      WB_RETURN_IF_ERROR(AddSummary(sess, training, writer, step));
    }
    if (i % report_every == 0 || last) {
      progress.Clear();
      absl::PrintF("step: %d, loss: %f\n", step, loss);
      std::fflush(stdout);
      WB_RETURN_IF_ERROR(Save(sess, training));
    }
    if (last) PrintCopies(metadata);
  }
  progress.Clear();
  absl::PrintF("trained for %.1f s\n", SecondsSince(begin));
  return warpbeam::OkStatus();
}

wb::Status Train() {
  wb::Scope root = wb::Scope::NewRoot();
  if (absl::GetFlag(FLAGS_num_gpus) < 1 || absl::GetFlag(FLAGS_batch_size) < 1 ||
      absl::GetFlag(FLAGS_report_every) < 1) {
    return warpbeam::InvalidArgument(
        "--num_gpus, --batch_size and --report_every must be at least 1");
  }
  Training training = BuildTraining(root);
  WB_RETURN_IF_ERROR(root.status());
  WB_ASSIGN_OR_RETURN(const bool wrote, warpbeam::examples::WroteGraphFile(root));
  if (wrote) return warpbeam::OkStatus();

  WB_RETURN_IF_ERROR(MakeModelDir());
  WB_ASSIGN_OR_RETURN(Writer writer, OpenLog(root));
  wb::ClientSession sess(root, warpbeam::examples::SessionConfigFromFlags());
  WB_RETURN_IF_ERROR(sess.Run({training.init}).status());
  WB_RETURN_IF_ERROR(RunSteps(sess, training, writer));
  if (writer != nullptr) WB_RETURN_IF_ERROR(writer->Close());
  if (training.accuracy.valid()) {
    WB_ASSIGN_OR_RETURN(const std::vector<wb::Tensor> out, sess.Run({training.accuracy}));
    absl::PrintF("accuracy: %.1f %%\n", 100.0 * out[0].scalar<float>());
  }
  return sess.Close();
}

}  // namespace

int main(int argc, char** argv) {
  warpbeam::examples::ParseFlags(
      "Trains a small network on MNIST with one tower for each GPU. create_tfrecord makes "
      "its input; \"warpbeam report\" and TensorBoard show what it writes to --log_dir.\n\n"
      "  bazel run //examples:mnist_towers -- --train_file=/tmp/train.tfrecord "
      "--num_gpus=2 --simulated_gpus=2 --scale_pixels --base_learning_rate=0.2 "
      "--train_steps=2000",
      argc, argv);
  return warpbeam::examples::ExitCode(Train());
}
