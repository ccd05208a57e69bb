#include "examples/cifar10.h"

#include <re2/re2.h>

#include <optional>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "frontend/warpbeam.h"

ABSL_FLAG(int, batch_size, 128, "images in a batch");
ABSL_FLAG(std::string, data_dir, "/tmp/cifar10_data",
          "folder of CIFAR-10's binary files; images that stand in for them are made where there "
          "are none");

namespace warpbeam {
namespace examples {
namespace cifar10 {
namespace {

namespace wb = warpbeam::frontend;

// How many values of a layer are 0, and how they are distributed.
void ActivationSummary(const wb::Scope& scope, const wb::Output& x) {
  if (!scope.ok()) return;
  const std::string tensor_name = WithoutTower(x.op().name());
  wb::summary::Histogram(scope, tensor_name + "/activations", x);
  wb::summary::Scalar(scope, tensor_name + "/sparsity", wb::nn::ZeroFraction(scope, x));
}

wb::Variable VariableOnCpu(const wb::Scope& scope, const std::string& name, const wb::Shape& shape,
                           const wb::Initializer& initializer) {
  return wb::GetVariable(scope.Device("/cpu:0"), name, shape, initializer);
}

// With a loss of `wd` times the weights' L2 loss, where there is a `wd`.
wb::Variable VariableWithWeightDecay(const wb::Scope& scope, const std::string& name,
                                     const wb::Shape& shape, double stddev,
                                     std::optional<double> wd) {
  wb::Variable var = VariableOnCpu(scope, name, shape, wb::TruncatedNormalInitializer(0, stddev));
  if (wd.has_value()) {
    wb::Output weight_decay =
        wb::Multiply(scope.Named("weight_loss"), wb::nn::L2Loss(scope, var), *wd);
    wb::AddToCollection(scope, wb::GraphKeys::kLosses, weight_decay);
  }
  return var;
}

wb::Output Convolution(const wb::Scope& scope, const wb::Output& images, int64_t channels,
                       double bias) {
  wb::Variable kernel =
      VariableWithWeightDecay(scope, "weights", {5, 5, channels, 64}, 5e-2, std::nullopt);
  wb::Output conv = wb::nn::Conv2D(scope, images, kernel, {1, 1, 1, 1}, "SAME");
  wb::Variable biases = VariableOnCpu(scope, "biases", {64}, wb::ConstantInitializer(bias));
  wb::Output pre_activation = wb::nn::BiasAdd(scope, conv, biases);
  wb::Output activation = wb::nn::Relu(scope.Named(scope.variable_scope()), pre_activation);
  ActivationSummary(scope, activation);
  return activation;
}

wb::Output Pool(const wb::Scope& scope, const wb::Output& x) {
  return wb::nn::MaxPool(scope, x, {1, 3, 3, 1}, {1, 2, 2, 1}, "SAME");
}

wb::Output Normalize(const wb::Scope& scope, const wb::Output& x) {
  return wb::nn::LocalResponseNormalization(scope, x, 4, /*bias=*/1.0, /*alpha=*/0.001 / 9.0,
                                            /*beta=*/0.75);
}

wb::Output FullyConnected(const wb::Scope& scope, const wb::Output& x, int64_t units) {
  wb::Variable weights =
      VariableWithWeightDecay(scope, "weights", {x.shape().dim(1), units}, 0.04, 0.004);
  wb::Variable biases = VariableOnCpu(scope, "biases", {units}, wb::ConstantInitializer(0.1));
  wb::Output activation =
      wb::nn::Relu(scope.Named(scope.variable_scope()), wb::MatMul(scope, x, weights) + biases);
  ActivationSummary(scope, activation);
  return activation;
}

}  // namespace

Cifar10Batch DistortedInputs(const wb::Scope& scope, const Cifar10Files& files) {
  return examples::DistortedInputs(scope, files, absl::GetFlag(FLAGS_batch_size), kImageSize,
                                   kImageSize);
}

wb::Output Inference(const wb::Scope& scope, const wb::Output& images) {
  if (!scope.ok()) return wb::Output();
  wb::Output conv1 = Convolution(scope.VariableScope("conv1"), images, 3, 0.0);
  wb::Output pool1 = Pool(scope.Named("pool1"), conv1);
  wb::Output norm1 = Normalize(scope.Named("norm1"), pool1);

  wb::Output conv2 = Convolution(scope.VariableScope("conv2"), norm1, 64, 0.1);
  wb::Output norm2 = Normalize(scope.Named("norm2"), conv2);
  wb::Output pool2 = Pool(scope.Named("pool2"), norm2);
  if (!scope.ok()) return wb::Output();

  // Everything of an image in one row.
  wb::Scope local3_scope = scope.VariableScope("local3");
  wb::Output reshape =
      wb::Reshape(local3_scope, pool2, std::vector<int64_t>{images.shape().dim(0), -1});
  if (!scope.ok()) return wb::Output();
  wb::Output local3 = FullyConnected(local3_scope, reshape, 384);
  if (!scope.ok()) return wb::Output();
  wb::Output local4 = FullyConnected(scope.VariableScope("local4"), local3, 192);

  // No softmax here: the loss takes the logits, which is faster.
  wb::Scope softmax_scope = scope.VariableScope("softmax_linear");
  wb::Variable weights = VariableWithWeightDecay(softmax_scope, "weights", {192, kNumClasses},
                                                 1 / 192.0, std::nullopt);
  wb::Variable biases =
      VariableOnCpu(softmax_scope, "biases", {kNumClasses}, wb::ConstantInitializer(0.0));
  wb::Output softmax_linear = wb::Add(softmax_scope.Named(softmax_scope.variable_scope()),
                                      wb::MatMul(softmax_scope, local4, weights), biases);
  ActivationSummary(softmax_scope, softmax_linear);
  return softmax_linear;
}

wb::Output Loss(const wb::Scope& scope, const wb::Output& logits, const wb::Output& labels) {
  wb::Output cross_entropy = wb::nn::SparseSoftmaxCrossEntropyWithLogits(
      scope.Named("cross_entropy_per_example"), wb::Cast(scope, labels, wb::DType::kInt64), logits);
  wb::Output cross_entropy_mean = wb::ReduceMean(scope.Named("cross_entropy"), cross_entropy);
  wb::AddToCollection(scope, wb::GraphKeys::kLosses, cross_entropy_mean);
  return wb::AddN(scope.Named("total_loss"), wb::GetCollection(scope, wb::GraphKeys::kLosses));
}

wb::Output TowerLoss(const wb::Scope& scope, const wb::Output& images, const wb::Output& labels) {
  // The network and its losses.
  wb::Output logits = Inference(scope, images);
  if (!scope.ok()) return wb::Output();
  Loss(scope, logits, labels);

  // The losses of this tower only, and their sum.
  std::vector<wb::Output> losses =
      wb::GetCollection(scope, wb::GraphKeys::kLosses, /*filter=*/scope.name_scope());
  wb::Output total_loss = wb::AddN(scope.Named("total_loss"), losses);
  if (!scope.ok()) return wb::Output();
  losses.push_back(total_loss);
  for (const wb::Output& l : losses) {
    wb::summary::Scalar(scope, WithoutTower(l.op().name()), l);
  }
  return total_loss;
}

std::string WithoutTower(const std::string& name) {
  static const RE2 tower(absl::StrCat(kTowerName, "_[0-9]*/"));
  std::string rest = name;
  RE2::GlobalReplace(&rest, tower, "");
  return rest;
}

}  // namespace cifar10
}  // namespace examples
}  // namespace warpbeam
