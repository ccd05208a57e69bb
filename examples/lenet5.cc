#include "examples/lenet5.h"

#include <string>
#include <vector>

#include "frontend/warpbeam.h"

namespace warpbeam {
namespace examples {
namespace lenet5 {
namespace {

namespace wb = warpbeam::frontend;

wb::Variable Weights(const wb::Scope& scope, const wb::Shape& shape,
                     const wb::Regularizer& regularizer) {
  wb::Variable weight =
      wb::GetVariable(scope, "weight", shape, wb::TruncatedNormalInitializer(0, 0.1));
  if (regularizer.has_value()) {
    wb::AddToCollection(scope, wb::GraphKeys::kLosses, regularizer(scope, weight));
  }
  return weight;
}

wb::Output Convolution(const wb::Scope& scope, const wb::Output& x, int64_t channels,
                       int64_t filters) {
  wb::Variable weight = Weights(scope, {5, 5, channels, filters}, wb::Regularizer());
  wb::Variable bias = wb::GetVariable(scope, "bias", {filters}, wb::ConstantInitializer(0.0));
  wb::Output conv = wb::nn::Conv2D(scope, x, weight, {1, 1, 1, 1}, "SAME");
  return wb::nn::Relu(scope, wb::nn::BiasAdd(scope, conv, bias));
}

wb::Output Pool(const wb::Scope& scope, const wb::Output& x) {
  return wb::nn::MaxPool(scope, x, {1, 2, 2, 1}, {1, 2, 2, 1}, "SAME");
}

wb::Output FullyConnected(const wb::Scope& scope, const wb::Output& x, int64_t inputs,
                          int64_t units, const wb::Regularizer& regularizer) {
  wb::Variable weight = Weights(scope, {inputs, units}, regularizer);
  wb::Variable bias = wb::GetVariable(scope, "bias", {units}, wb::ConstantInitializer(0.1));
  return wb::MatMul(scope, x, weight) + bias;
}

}  // namespace

wb::Output Inference(const wb::Scope& scope, const wb::Output& images,
                     const wb::Regularizer& regularizer) {
  if (!scope.ok()) return wb::Output();
  wb::Output conv1 =
      Convolution(scope.VariableScope("layer1-conv1"), images, images.shape().dim(3), 32);
  wb::Output pool1 = Pool(scope.Named("layer2-pool1"), conv1);
  wb::Output conv2 = Convolution(scope.VariableScope("layer3-conv2"), pool1, 32, 64);
  wb::Output pool2 = Pool(scope.Named("layer4-pool2"), conv2);
  if (!scope.ok()) return wb::Output();

  const wb::PartialShape shape = pool2.shape();
  const int64_t nodes = shape.dim(1) * shape.dim(2) * shape.dim(3);
  wb::Output reshaped = wb::Reshape(scope, pool2, std::vector<int64_t>{-1, nodes});

  wb::Scope fc1_scope = scope.VariableScope("layer5-fc1");
  wb::Output fc1 =
      wb::nn::Relu(fc1_scope, FullyConnected(fc1_scope, reshaped, nodes, 512, regularizer));
  return FullyConnected(scope.VariableScope("layer6-fc2"), fc1, 512, 10, regularizer);
}

}  // namespace lenet5
}  // namespace examples
}  // namespace warpbeam
