// Neural network functions (tf.nn): convolutions, pooling, activations, losses.
//
//   Output conv = nn::Conv2D(scope, images, kernel, {1, 1, 1, 1}, "SAME");
//   Output conv1 = nn::Relu(scope.Named("conv1"), nn::BiasAdd(scope, conv, biases));
//   Output pool1 = nn::MaxPool(scope.Named("pool1"), conv1, {1, 3, 3, 1}, {1, 2, 2, 1}, "SAME");
//   Output norm1 = nn::LocalResponseNormalization(scope.Named("norm1"), pool1, 4, 1.0, 0.001 / 9);
//   Output losses = nn::SparseSoftmaxCrossEntropyWithLogits(scope, labels, logits);  // per example
//
// Nodes and names are those that TensorFlow's functions of the same name make. Operations that take
// nothing but tensors and attributes are in frontend/ops/nn_ops.h as well; here are those that
// programs name most.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; sizes that do not
// fit, an unknown padding and probabilities outside (0, 1] are INVALID_ARGUMENT.
#ifndef WARPBEAM_FRONTEND_NN_H_
#define WARPBEAM_FRONTEND_NN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace nn {

struct Conv2DOptions {
  // "NHWC" or "NCHW".
  Conv2DOptions& data_format(std::string value) {
    format = std::move(value);
    return *this;
  }
  // One number, those of height and width, or one for each dimension.
  Conv2DOptions& dilations(std::vector<int64_t> value) {
    dilation_list = std::move(value);
    return *this;
  }
  // With the padding "EXPLICIT": before and after each dimension.
  Conv2DOptions& explicit_paddings(std::vector<int64_t> value) {
    paddings = std::move(value);
    return *this;
  }

  std::string format = "NHWC";
  std::vector<int64_t> dilation_list = {1};
  std::vector<int64_t> paddings;
};

// `filter` is [height, width, channels in, channels out]; strides as dilations; padding "SAME",
// "VALID" or "EXPLICIT".
Output Conv2D(ScopeRef scope, const Input& x, const Input& filter,
              const std::vector<int64_t>& strides, const std::string& padding,
              const Conv2DOptions& options = Conv2DOptions());

// The largest value, or the mean, of each window.
Output MaxPool(ScopeRef scope, const Input& x, const std::vector<int64_t>& ksize,
               const std::vector<int64_t>& strides, const std::string& padding,
               const std::string& data_format = "NHWC");
Output AvgPool(ScopeRef scope, const Input& x, const std::vector<int64_t>& ksize,
               const std::vector<int64_t>& strides, const std::string& padding,
               const std::string& data_format = "NHWC");

// x / (bias + alpha * sum of the squares of the channels at most depth_radius away) ^ beta
// (tf.nn.lrn).
Output LocalResponseNormalization(ScopeRef scope, const Input& x, int64_t depth_radius = 5,
                                  double bias = 1, double alpha = 1, double beta = 0.5);
inline Output Lrn(ScopeRef scope, const Input& x, int64_t depth_radius = 5, double bias = 1,
                  double alpha = 1, double beta = 0.5) {
  return LocalResponseNormalization(scope, x, depth_radius, bias, alpha, beta);
}

Output Relu(ScopeRef scope, const Input& x);
Output Relu6(ScopeRef scope, const Input& x);
Output Elu(ScopeRef scope, const Input& x);
Output Selu(ScopeRef scope, const Input& x);
Output Sigmoid(ScopeRef scope, const Input& x);
Output Tanh(ScopeRef scope, const Input& x);
Output Softplus(ScopeRef scope, const Input& x);
Output Softsign(ScopeRef scope, const Input& x);
Output Silu(ScopeRef scope, const Input& x);

// Activations with a further argument are objects, so that their names stand for the activation
// too: layers::DenseOptions().activation(nn::LeakyRelu).
struct LeakyReluFunction {
  Output operator()(ScopeRef scope, const Input& x, double alpha = 0.2) const;
};
inline constexpr LeakyReluFunction LeakyRelu;
// x * sigmoid(beta * x); Silu with a beta of 1.
struct SwishFunction {
  Output operator()(ScopeRef scope, const Input& x, const Input& beta = 1.0) const;
};
inline constexpr SwishFunction Swish;
// Relu of x and of -x, one behind the other along `axis`.
struct CreluFunction {
  Output operator()(ScopeRef scope, const Input& x, int axis = -1) const;
};
inline constexpr CreluFunction Crelu;
// Over the dimension `axis`; where that is not the last one the rank must be known.
struct SoftmaxFunction {
  const char* op;
  Output operator()(ScopeRef scope, const Input& logits, int axis = -1) const;
};
inline constexpr SoftmaxFunction Softmax{"Softmax"};
inline constexpr SoftmaxFunction LogSoftmax{"LogSoftmax"};

Output BiasAdd(ScopeRef scope, const Input& x, const Input& bias);
// x * weights + biases.
Output XwPlusB(ScopeRef scope, const Input& x, const Input& weights, const Input& biases);
// Relu of the same.
Output ReluLayer(ScopeRef scope, const Input& x, const Input& weights, const Input& biases);
// Half the sum of squares.
Output L2Loss(ScopeRef scope, const Input& x);
// x with the length 1 along `axis` (a number or a list of them).
Output L2Normalize(ScopeRef scope, const Input& x, const Input& axis, double epsilon = 1e-12);
// The share of zeros, a float scalar.
Output ZeroFraction(ScopeRef scope, const Input& x);

struct DropoutOptions {
  // The shape of what is drawn, which broadcasts to that of x; by default x's own.
  DropoutOptions& noise_shape(std::vector<int32_t> value) {
    noise = std::move(value);
    return *this;
  }
  DropoutOptions& seed(int64_t value) {
    op_seed = value;
    return *this;
  }

  std::optional<std::vector<int32_t>> noise;
  std::optional<int64_t> op_seed;
};

// Each element with the probability `keep_prob` (a number or a scalar) divided by it, else 0.
Output Dropout(ScopeRef scope, const Input& x, const Input& keep_prob,
               const DropoutOptions& options = DropoutOptions());
// The same by the probability that an element becomes 0 (tf.nn.dropout(x, rate=...)).
Output DropoutByRate(ScopeRef scope, const Input& x, const Input& rate,
                     const DropoutOptions& options = DropoutOptions());

// Whether each target is among the k largest predictions of its row.
Output InTopK(ScopeRef scope, const Input& predictions, const Input& targets, int64_t k);

struct MeanAndVariance {
  Output mean;
  Output variance;
};
// Over the dimensions `axes`.
MeanAndVariance Moments(ScopeRef scope, const Input& x, const std::vector<int32_t>& axes,
                        bool keep_dims = false);
// scale * (x - mean) / sqrt(variance + variance_epsilon) + offset; `offset` and `scale` may be
// outputs that are not valid, for none.
Output BatchNormalization(ScopeRef scope, const Input& x, const Input& mean, const Input& variance,
                          const Output& offset, const Output& scale, double variance_epsilon);

// One loss for each label; logits have one dimension more, the classes.
Output SparseSoftmaxCrossEntropyWithLogits(ScopeRef scope, const Input& labels,
                                           const Input& logits);
// Labels are distributions over the classes, of the shape of the logits; no gradient passes into
// them, with V2 it does.
Output SoftmaxCrossEntropyWithLogits(ScopeRef scope, const Input& labels, const Input& logits);
Output SoftmaxCrossEntropyWithLogitsV2(ScopeRef scope, const Input& labels, const Input& logits);
// Labels are probabilities, each class for itself.
Output SigmoidCrossEntropyWithLogits(ScopeRef scope, const Input& labels, const Input& logits);
// The same with the losses of positive labels times `pos_weight`.
Output WeightedCrossEntropyWithLogits(ScopeRef scope, const Input& labels, const Input& logits,
                                      const Input& pos_weight);
// Of counts `targets` against the logarithm of their mean: exp(log_input) - log_input * targets,
// with `compute_full_loss` and Stirling's approximation of log(targets!).
Output LogPoissonLoss(ScopeRef scope, const Input& targets, const Input& log_input,
                      bool compute_full_loss = false);

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_NN_H_
