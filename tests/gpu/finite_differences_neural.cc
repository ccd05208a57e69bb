// Rows of convolutions, pooling, normalisation and losses.
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/finite_differences.h"

namespace warpbeam {
namespace finite_differences {
namespace {

constexpr char kSame[] = "SAME", kValid[] = "VALID";

std::vector<Row> ConvolutionRows() {
  return {
      {"Conv2D Conv2DBackpropInput Conv2DBackpropFilter",
       {{{1, 5, 4, 2}}, {{3, 2, 2, 3}}},
       Op("Conv2D", {}, {{"strides", List({1, 2, 1, 1})}, {"padding", kSame}})},
      {"Conv2DBackpropInput Conv2D Conv2DBackpropFilter",
       {{{3, 2, 2, 3}}, {{1, 3, 4, 3}}},
       [](Maker& m, const Refs& x) {
         return m.Op("Conv2DBackpropInput", {m.Constant(Ints({1, 5, 4, 2})), x[0], x[1]},
                     {{"strides", List({1, 2, 1, 1})}, {"padding", kSame}});
       }},
      {"Conv2DBackpropFilter Conv2D Conv2DBackpropInput",
       {{{1, 5, 4, 2}}, {{1, 3, 4, 3}}},
       [](Maker& m, const Refs& x) {
         return m.Op("Conv2DBackpropFilter", {x[0], m.Constant(Ints({3, 2, 2, 3})), x[1]},
                     {{"strides", List({1, 2, 1, 1})}, {"padding", kSame}});
       }},
      {"Conv3D Conv3DBackpropInputV2 Conv3DBackpropFilterV2",
       {{{1, 3, 3, 2, 2}}, {{2, 2, 1, 2, 2}}},
       Op("Conv3D", {}, {{"strides", List({1, 1, 2, 1, 1})}, {"padding", kSame}})},
      {"DepthwiseConv2dNative DepthwiseConv2dNativeBackpropInput "
       "DepthwiseConv2dNativeBackpropFilter",
       {{{1, 4, 4, 2}}, {{3, 2, 2, 2}}},
       Op("DepthwiseConv2dNative", {}, {{"strides", List({1, 2, 2, 1})}, {"padding", kSame}})},
      {"Dilation2D Dilation2DBackpropInput Dilation2DBackpropFilter",
       {{{1, 4, 3, 2}}, {{2, 2, 2}}},
       Op("Dilation2D", {},
          {{"strides", List({1, 1, 1, 1})}, {"rates", List({1, 1, 1, 1})}, {"padding", kValid}})},
      {"ExtractImagePatches",
       {{{1, 4, 3, 2}}},
       Op("ExtractImagePatches", {},
          {{"ksizes", List({1, 2, 2, 1})},
           {"strides", List({1, 1, 1, 1})},
           {"rates", List({1, 1, 1, 1})},
           {"padding", kSame}})},
      {"ExtractVolumePatches",
       {{{1, 2, 3, 3, 1}}},
       Op("ExtractVolumePatches", {},
          {{"ksizes", List({1, 2, 2, 2, 1})},
           {"strides", List({1, 1, 1, 1, 1})},
           {"padding", kValid}})},
  };
}

Attrs Window(std::vector<int64_t> sizes, std::vector<int64_t> strides) {
  return {{"ksize", std::move(sizes)}, {"strides", std::move(strides)}, {"padding", kSame}};
}
Attrs Window2() { return Window({1, 3, 2, 1}, {1, 2, 1, 1}); }
Attrs Window3() { return Window({1, 2, 3, 2, 1}, {1, 1, 2, 1, 1}); }

// An op of a pooling of a fixed image, its result and x.
Build AfterPool(const char* forward, const char* op, Attrs attrs, Shape image) {
  return [=](Maker& m, const Refs& x) {
    std::vector<double> values(static_cast<size_t>(image.num_elements()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * 7 % 23);
    const OutputRef pixels = m.Numbers(image, values);
    return m.Op(op, {pixels, m.Op(forward, {pixels}, attrs), x[0]}, attrs);
  };
}

std::vector<Row> PoolingRows() {
  return {
      {"MaxPool MaxPoolGrad", {{{1, 5, 4, 2}}}, Op("MaxPool", {}, Window2())},
      {"MaxPoolV2 MaxPoolGradV2",
       {{{1, 5, 4, 2}}},
       Op("MaxPoolV2", {Ints({1, 3, 2, 1}), Ints({1, 2, 1, 1})}, {{"padding", kSame}})},
      {"MaxPoolWithArgmax MaxPoolGradWithArgmax",
       {{{1, 5, 4, 2}}},
       Op("MaxPoolWithArgmax", {}, Window2())},
      {"MaxPoolGrad MaxPoolGradGrad",
       {{{1, 3, 4, 1}}},
       AfterPool("MaxPool", "MaxPoolGrad", Window2(), {1, 5, 4, 1})},
      {"MaxPoolGradGrad MaxPoolGrad",
       {{{1, 5, 4, 1}}},
       AfterPool("MaxPool", "MaxPoolGradGrad", Window2(), {1, 5, 4, 1})},
      {"MaxPool3DGrad MaxPool3DGradGrad",
       {{{1, 3, 2, 3, 1}}},
       AfterPool("MaxPool3D", "MaxPool3DGrad", Window3(), {1, 3, 4, 3, 1}),
       Forward::kFloat},
      {"MaxPool3DGradGrad MaxPool3DGrad",
       {{{1, 3, 4, 3, 1}}},
       AfterPool("MaxPool3D", "MaxPool3DGradGrad", Window3(), {1, 3, 4, 3, 1}),
       Forward::kFloat},
      {"AvgPool AvgPoolGrad", {{{1, 5, 4, 2}}}, Op("AvgPool", {}, Window2())},
      {"AvgPoolGrad AvgPool",
       {{{1, 3, 4, 2}}},
       [](Maker& m, const Refs& x) {
         return m.Op("AvgPoolGrad", {m.Constant(Ints({1, 5, 4, 2})), x[0]}, Window2());
       }},
      {"MaxPool3D MaxPool3DGrad",
       {{{1, 3, 4, 3, 1}}},
       Op("MaxPool3D", {}, Window3()),
       Forward::kFloat},
      {"AvgPool3D AvgPool3DGrad",
       {{{1, 3, 4, 3, 1}}},
       Op("AvgPool3D", {}, Window3()),
       Forward::kFloat},
      {"AvgPool3DGrad AvgPool3D",
       {{{1, 3, 2, 3, 1}}},
       [](Maker& m, const Refs& x) {
         return m.Op("AvgPool3DGrad", {m.Constant(Ints({1, 3, 4, 3, 1})), x[0]}, Window3());
       },
       Forward::kFloat},
  };
}

OutputRef LayerNorm(Maker& m, OutputRef x) {
  const OutputRef mean = m.Op("Mean", {x, m.Constant(Ints({1}))}, {{"keep_dims", true}});
  const OutputRef squares = m.Op("SquaredDifference", {x, mean});
  const OutputRef variance = m.Op("Mean", {squares, m.Constant(Ints({1}))}, {{"keep_dims", true}});
  const OutputRef root = m.Op("Rsqrt", {m.Op("AddV2", {variance, m.Numbers({}, {1e-3})})});
  return m.Op("Mul", {m.Op("Sub", {x, mean}), root});
}

std::vector<X> Normed() { return {{{2, 2, 2, 2}}, {{2}, 0.5, 1.5}, {{2}}}; }

Build BatchNorm(const std::string& version, bool training) {
  return [=](Maker& m, const Refs& x) {
    std::vector<NodeInput> inputs(x.begin(), x.end());
    if (training) {
      inputs.push_back(m.Numbers({0}, {}));
      inputs.push_back(m.Numbers({0}, {}));
    } else {
      inputs.push_back(m.Numbers({2}, {0.1, -0.2}));
      inputs.push_back(m.Numbers({2}, {1.5, 0.7}));
    }
    return m.Op("FusedBatchNorm" + version, inputs,
                {{"is_training", training}, {"epsilon", 0.01f}});
  };
}

OutputRef BlockLstm(Maker& m, const Refs& x, const char* op) {
  const OutputRef none = m.Numbers({2}, {0, 0});
  const OutputRef start = m.Numbers({2, 2}, {0.1, -0.3, 0.2, 0.4});
  return m.Outputs(op, {m.Constant(Tensor::Scalar<int64_t>(3)), x[0], start, start, x[1], none,
                        none, none, x[2]})[6];
}

std::vector<Row> NeuralRows() {
  return {
      {"Softmax", {{{3, 4}}}, Op("Softmax")},
      {"LogSoftmax", {{{3, 4}}}, Op("LogSoftmax")},
      {"SoftmaxCrossEntropyWithLogits",
       {{{3, 4}}, {{3, 4}}},
       // The gradient takes it that the probabilities of a row add up to one.
       [](Maker& m, const Refs& x) {
         return m.Op("SoftmaxCrossEntropyWithLogits", {x[0], m.Op("Softmax", {x[1]})});
       }},
      {"SparseSoftmaxCrossEntropyWithLogits",
       {{{3, 4}}},
       Op("SparseSoftmaxCrossEntropyWithLogits", {Ints({2, 0, 3})})},
      {"BiasAdd BiasAddGrad", {{{2, 2, 3}}, {{3}}}, Op("BiasAdd")},
      {"BiasAddV1", {{{2, 3}}, {{3}}}, Op("BiasAddV1")},
      {"BiasAddGrad", {{{2, 2, 3}}}, Op("BiasAddGrad")},
      {"L2Loss", {{{2, 3}}}, Op("L2Loss")},
      {"LRN LRNGrad",
       {{{1, 1, 2, 5}}},
       Op("LRN", {}, {{"depth_radius", 1}, {"alpha", 0.5f}, {"beta", 0.6f}}),
       Forward::kFloat},
      {"FusedBatchNorm FusedBatchNormGrad", Normed(), BatchNorm("", true), Forward::kFloat},
      {"FusedBatchNormV2 FusedBatchNormGradV2", Normed(), BatchNorm("V2", true), Forward::kFloat},
      {"FusedBatchNormV3 FusedBatchNormGradV3", Normed(), BatchNorm("V3", true), Forward::kFloat},
      {"FusedBatchNormV3 FusedBatchNormGradV3", Normed(), BatchNorm("V3", false), Forward::kFloat},
      {"BatchNormWithGlobalNormalization",
       {{{2, 2, 1, 2}}, {{2}}, {{2}, 0.5, 1.5}, {{2}}, {{2}, 0.5, 1.5}},
       Op("BatchNormWithGlobalNormalization", {},
          {{"variance_epsilon", 0.01f}, {"scale_after_normalization", true}}),
       Forward::kFloat},
      {"BlockLSTM BlockLSTMGrad",
       {{{3, 2, 2}}, {{4, 8}}, {{8}}},
       [](Maker& m, const Refs& x) { return BlockLstm(m, x, "BlockLSTM"); },
       Forward::kFloat},
      {"BlockLSTMV2 BlockLSTMGradV2",
       {{{3, 2, 2}}, {{4, 8}}, {{8}}},
       [](Maker& m, const Refs& x) { return BlockLstm(m, x, "BlockLSTMV2"); },
       Forward::kFloat},
      {"CTCLossV2",
       {{{4, 1, 3}}},
       Op("CTCLossV2", {LongPairs({0, 0, 0, 1}), Ints({1, 2}), Ints({4})}),
       Forward::kOnGpu},
      // The layer norm of models: what it is made of, some of it elementwise.
      {"Mean", {{{3, 4}, 0, 2}}, [](Maker& m, const Refs& x) { return LayerNorm(m, x[0]); }},
  };
}

}  // namespace

std::vector<Row> RowsOfNeuralOps() {
  return Together({ConvolutionRows(), PoolingRows(), NeuralRows()});
}

}  // namespace finite_differences
}  // namespace warpbeam
