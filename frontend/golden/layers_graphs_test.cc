// Layers make the graphs that tf.layers makes; each test is one function of dump_python_graphs.py,
// line by line.
#include <string>

#include "frontend/golden/same_graph.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

bool EndsWith(const std::string& name, const std::string& end) {
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

Output Float(const Scope& root, const char* name, const PartialShape& shape) {
  return Placeholder(root.Named(name), DType::kFloat, shape);
}

TEST(LayersGraphsTest, DenseLayers) {
  const Scope root = Scope::NewRoot();
  const Output x = Float(root, "x", {-1, 4});
  layers::Dense(root, x, 3, layers::DenseOptions().activation(nn::Relu));
  layers::Dense(root, x, 3, layers::DenseOptions().use_bias(false));
  layers::Dense(root.VariableScope("v").Named("out"), x, 2);
  const Scope again = root.VariableScope("v", VariableScopeOptions().reuse(true));
  layers::Dense(again.Named("out"), x, 2);
  layers::Dense(root.VariableScope("dense_2"), x, 2);
  layers::Dense(root, x, 2);
  const Scope shared = root.SameVariableScope(VariableScopeOptions().auto_reuse());
  layers::Dense(shared.NameScope("tower"), x, 2);
  const Output z = Float(root, "z", {-1, 5, 4});
  layers::Dense(root.Named("rows"), z, 2);
  layers::Dense(root.Named("known"), Zeros(root, {2, 5, 4}), 2);
  layers::Flatten(root, z);
  layers::Flatten(root, Float(root, "y", {-1, -1, 3}));
  layers::Dropout(root, z, 0.3, true);
  layers::Dropout(root, z, 0.3);
  layers::Dropout(root, z, 0.3, Placeholder(root.Named("t"), DType::kBool, Shape()));
  EXPECT_EQ(DifferencesFromPython(root, "dense_layers"), "");
}

TEST(LayersGraphsTest, ConvolutionLayers) {
  const Scope root = Scope::NewRoot();
  const Output x = Float(root, "x", {-1, 8, 8, 3});
  const Output s = Float(root, "s", {-1, 8, 3});
  const Output q = Float(root, "q", {-1, 8, 8, 8, 3});
  const Output c = Float(root, "c", {-1, 3, 8, 8});
  using Options = layers::ConvOptions;
  layers::Conv2D(root, x, 4, 3, Options().activation(nn::Relu));
  layers::Conv2D(root, x, 4, {3, 2}, Options().strides(2).padding("same").use_bias(false));
  layers::Conv1D(root, s, 4, 3);
  layers::Conv3D(root, q, 4, 3);
  layers::Conv2D(root, c, 4, 3, Options().data_format("channels_first"));
  layers::Conv2DTranspose(root, x, 4, 3, Options().strides(2).padding("same"));
  layers::Conv3DTranspose(root, q, 4, 3);
  layers::SeparableConv2D(root, x, 4, 3, layers::SeparableConvOptions().depth_multiplier(2));
  layers::SeparableConv1D(root, s, 4, 3);
  // Nodes of Python's that nothing reads.
  const auto unread = [](const std::string& name) {
    return name.find("conv2d_transpose/strided_slice_1") == 0 ||
           EndsWith(name, "separable_conv2d/Shape") ||
           EndsWith(name, "separable_conv2d/dilation_rate");
  };
  EXPECT_EQ(DifferencesFromPython(root, "convolution_layers", unread), "");
}

TEST(LayersGraphsTest, PoolingLayers) {
  const Scope root = Scope::NewRoot();
  const Output x = Float(root, "x", {-1, 8, 8, 3});
  const Output s = Float(root, "s", {-1, 8, 3});
  const Output q = Float(root, "q", {-1, 8, 8, 8, 3});
  layers::MaxPooling1D(root, s, 2, 2);
  layers::MaxPooling2D(root, x, 2, 2);
  layers::MaxPooling2D(root, x, 2, 2);
  layers::MaxPooling3D(root, q, 2, 2);
  layers::AveragePooling1D(root, s, 2, 2);
  layers::AveragePooling2D(root, x, 2, 1, layers::PoolOptions().padding("same"));
  layers::AveragePooling3D(root, q, 2, 2);
  EXPECT_EQ(DifferencesFromPython(root, "pooling_layers"), "");
}

TEST(LayersGraphsTest, Losses) {
  const Scope root = Scope::NewRoot();
  const Output labels = Float(root, "l", {-1, 3});
  const Output predictions = Float(root, "p", {-1, 3});
  const Output classes = Placeholder(root.Named("i"), DType::kInt32, {-1});
  losses::AbsoluteDifference(root, labels, predictions);
  losses::MeanSquaredError(root, labels, predictions);
  losses::SoftmaxCrossEntropy(root, labels, predictions);
  losses::SparseSoftmaxCrossEntropy(root, classes, predictions);
  losses::SigmoidCrossEntropy(root, labels, predictions, losses::LossOptions(), 0.1);
  losses::HingeLoss(root, labels, predictions);
  losses::HuberLoss(root, labels, predictions);
  losses::LogLoss(root, labels, predictions);
  losses::CosineDistance(root, labels, predictions, 1);
  using losses::Reduction;
  for (Reduction reduction : {Reduction::kSum, Reduction::kMean, Reduction::kSumOverBatchSize}) {
    losses::MeanSquaredError(root, labels, predictions,
                             losses::LossOptions().weights(2.0f).reduction(reduction));
  }
  const Output known = Float(root, "known", {4, 3});
  for (const int columns : {1, 3}) {
    const Output w = Float(root, "w", {4, columns});
    losses::MeanSquaredError(root, known, known, losses::LossOptions().weights(w));
  }
  losses::GetRegularizationLoss(root);
  losses::GetTotalLoss(root);
  EXPECT_EQ(DifferencesFromPython(root, "losses"), "");
}

TEST(LayersGraphsTest, Metrics) {
  const Scope root = Scope::NewRoot();
  const Output classes = Placeholder(root.Named("l"), DType::kInt64, {-1});
  const Output truth = Placeholder(root.Named("b"), DType::kBool, {-1});
  const Output x = Float(root, "p", {-1});
  metrics::Mean(root, x);
  metrics::Mean(root, x);
  metrics::Mean(root.Named("mine"), x, metrics::MetricOptions().weights(2.0f));
  metrics::Accuracy(root, classes, classes);
  metrics::Precision(root, truth, truth);
  metrics::Recall(root, truth, truth);
  metrics::Precision(root, classes, classes);
  metrics::FalsePositives(root, truth, truth);
  metrics::TrueNegatives(root, truth, truth);
  metrics::MeanSquaredError(root, x, x);
  metrics::RootMeanSquaredError(root, x, x);
  EXPECT_EQ(DifferencesFromPython(root, "metrics"), "");
}

TEST(LayersGraphsTest, Embeddings) {
  const Scope root = Scope::NewRoot();
  const Variable part0 = GetVariable(root, "w", {4, 2});
  const Variable part1 = GetVariable(root, "w1", {3, 2});
  const Output ids = Placeholder(root.Named("i"), DType::kInt64, {-1});
  nn::EmbeddingLookup(root, {part0}, ids);
  nn::EmbeddingLookup(root, {part0, part1}, ids);
  nn::EmbeddingLookup(root, {part0, part1}, ids, nn::PartitionStrategy::kDiv);
  EXPECT_EQ(DifferencesFromPython(root, "embeddings"), "");
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
