// The layers of TensorFlow 1's tf.contrib.layers: fully_connected, conv2d, max_pool2d, avg_pool2d,
// flatten, dropout, batch_norm, and the initializers beside them.
//
//   Output net = contrib::layers::Conv2D(scope, images, 32, 3);   // "Conv/weights", "Conv/biases"
//   net = contrib::layers::MaxPool2D(scope, net, 2);
//   net = contrib::layers::FullyConnected(scope, contrib::layers::Flatten(scope, net), 100);
//   contrib::layers::LayerOptions linear;
//   linear.activation_fn(nullptr).weights_regularizer(L2Regularizer(1e-4));
//   Output logits = contrib::layers::FullyConnected(scope.Named("logits"), net, 10, linear);
//
// Variables and nodes have contrib's names, so that its checkpoints fit: "fully_connected/weights",
// "fully_connected/biases", "BatchNorm/moving_mean"; Named() is contrib's `scope=`. They are in
// GraphKeys::kModelVariables too. What differs from tf.layers is what contrib began with: rectified
// units behind each layer, Xavier's initializer, "SAME" convolutions, batch_norm's decay of 0.999
// without a gamma; and a batch of rows takes the fused normalization. The nodes of a penalty are
// called as those of tf.layers, of which contrib's layers are made: "Conv/kernel/Regularizer",
// "Conv/bias/Regularizer".
// An arg scope has defaults for all layers inside of it:
//
//   const Scope slim = contrib::layers::ArgScope(
//       scope, {contrib::layers::Layer::kConv2D, contrib::layers::Layer::kFullyConnected},
//       contrib::layers::LayerOptions().weights_regularizer(L2Regularizer(1e-4)));
//   net = contrib::layers::Conv2D(slim, net, 64, 3);
//
// The regularizers are L1Regularizer, L2Regularizer and L1L2Regularizer of the frontend.
//
// Ownership: none. Thread safety: that of the Scope. Errors: those of frontend/layers, kept in the
// scope.
#ifndef WARPBEAM_FRONTEND_CONTRIB_LAYERS_H_
#define WARPBEAM_FRONTEND_CONTRIB_LAYERS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/layers/layer_options.h"
#include "frontend/layers/normalization.h"
#include "frontend/nn.h"
#include "frontend/regularization.h"
#include "frontend/scope.h"
#include "frontend/variables/variance_scaling.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace layers {

using ::warpbeam::frontend::L1L2Regularizer;
using ::warpbeam::frontend::L1Regularizer;
using ::warpbeam::frontend::L2Regularizer;
using ::warpbeam::frontend::layers::Activation;
using ::warpbeam::frontend::layers::SpatialSize;
using ::warpbeam::frontend::layers::Training;

// Variance factor / fan, normal (without values beyond two deviations) or uniform.
Initializer VarianceScalingInitializer(double factor = 2, FanMode mode = FanMode::kIn,
                                       bool uniform = false,
                                       std::optional<int64_t> seed = std::nullopt);
// Uniform in ±sqrt(6 / (fan_in + fan_out)), or normal of the same variance.
Initializer XavierInitializer(bool uniform = true, std::optional<int64_t> seed = std::nullopt);

// What fully_connected and conv2d take.
struct LayerOptions {
  // By default nn::Relu; null: none.
  LayerOptions& activation_fn(Activation value) {
    activation = std::move(value);
    return *this;
  }
  // Between the product and the activation, instead of biases: such as BatchNorm.
  LayerOptions& normalizer_fn(Activation value) {
    normalizer = std::move(value);
    return *this;
  }
  LayerOptions& weights_initializer(Initializer value) {
    initializer_of_weights = std::move(value);
    return *this;
  }
  LayerOptions& weights_regularizer(Regularizer value) {
    regularizer_of_weights = std::move(value);
    return *this;
  }
  // Without a value there are no biases.
  LayerOptions& biases_initializer(Initializer value) {
    initializer_of_biases = std::move(value);
    return *this;
  }
  LayerOptions& biases_regularizer(Regularizer value) {
    regularizer_of_biases = std::move(value);
    return *this;
  }
  LayerOptions& trainable(bool value) {
    is_trainable = value;
    return *this;
  }
  LayerOptions& reuse(bool value) {
    is_reused = value;
    return *this;
  }
  // Of convolutions alone: what follows.
  LayerOptions& stride(SpatialSize value) {
    strides = std::move(value);
    return *this;
  }
  LayerOptions& rate(SpatialSize value) {
    rates = std::move(value);
    return *this;
  }
  // "SAME" or "VALID".
  LayerOptions& padding(std::string value) {
    padding_name = std::move(value);
    return *this;
  }
  // "NHWC" or "NCHW".
  LayerOptions& data_format(std::string value) {
    format = std::move(value);
    return *this;
  }

  // What `inner` says, and what this does where it says nothing.
  LayerOptions With(const LayerOptions& inner) const;

  std::optional<Activation> activation, normalizer;
  std::optional<Initializer> initializer_of_weights;  // else XavierInitializer()
  std::optional<Initializer> initializer_of_biases;   // else ZerosInitializer()
  std::optional<Regularizer> regularizer_of_weights, regularizer_of_biases;
  std::optional<bool> is_trainable;  // else true
  std::optional<bool> is_reused;
  std::optional<SpatialSize> strides, rates;  // else 1
  std::optional<std::string> padding_name;    // else "SAME"
  std::optional<std::string> format;          // else "NHWC"
};

// Over the last dimension: "fully_connected/MatMul", "…/BiasAdd", "…/Relu".
Output FullyConnected(ScopeRef scope, const Input& inputs, int64_t num_outputs,
                      const LayerOptions& options = LayerOptions());
// "Conv/Conv2D", "Conv/BiasAdd", "Conv/Relu".
Output Conv2D(ScopeRef scope, const Input& inputs, int64_t num_outputs,
              const SpatialSize& kernel_size, const LayerOptions& options = LayerOptions());

// "MaxPool2D/MaxPool" and "AvgPool2D/AvgPool".
Output MaxPool2D(ScopeRef scope, const Input& inputs, const SpatialSize& kernel_size,
                 const SpatialSize& stride = 2, const std::string& padding = "VALID",
                 const std::string& data_format = "NHWC");
Output AvgPool2D(ScopeRef scope, const Input& inputs, const SpatialSize& kernel_size,
                 const SpatialSize& stride = 2, const std::string& padding = "VALID",
                 const std::string& data_format = "NHWC");

// Keeps the first dimension: "Flatten/flatten/Reshape".
Output Flatten(ScopeRef scope, const Input& inputs);

// Each element with the probability `keep_prob`, divided by it: below "Dropout/dropout".
Output Dropout(ScopeRef scope, const Input& inputs, double keep_prob = 0.5,
               const Training& is_training = true,
               const nn::DropoutOptions& options = nn::DropoutOptions());

struct BatchNormOptions {
  BatchNormOptions& decay(double value) {
    moving_decay = value;
    return *this;
  }
  BatchNormOptions& center(bool value) {
    has_beta = value;
    return *this;
  }
  BatchNormOptions& scale(bool value) {
    has_gamma = value;
    return *this;
  }
  BatchNormOptions& epsilon(double value) {
    epsilon_value = value;
    return *this;
  }
  BatchNormOptions& activation_fn(Activation value) {
    activation = std::move(value);
    return *this;
  }
  BatchNormOptions& trainable(bool value) {
    is_trainable = value;
    return *this;
  }
  BatchNormOptions& reuse(bool value) {
    is_reused = value;
    return *this;
  }
  BatchNormOptions& data_format(std::string value) {
    format = std::move(value);
    return *this;
  }
  // For what BatchNorm is not told by its argument.
  BatchNormOptions& is_training(Training value) {
    trains = std::move(value);
    return *this;
  }
  // updates_collections=None: the averages move whenever the outputs are computed.
  BatchNormOptions& updates_collections(std::nullopt_t) {
    outputs_wait = true;
    return *this;
  }

  // What `inner` says, and what this does where it says nothing.
  BatchNormOptions With(const BatchNormOptions& inner) const;

  std::optional<double> moving_decay;   // else 0.999
  std::optional<bool> has_beta;         // else true
  std::optional<bool> has_gamma;        // else false
  std::optional<double> epsilon_value;  // else 0.001
  std::optional<Activation> activation;
  std::optional<bool> is_trainable;  // else true
  std::optional<bool> is_reused;
  std::optional<std::string> format;  // else "NHWC"
  std::optional<Training> trains;     // else true
  std::optional<bool> outputs_wait;   // else false
};

// "BatchNorm/beta", "…/gamma", "…/moving_mean", "…/moving_variance". The moving averages move with
// the operations in GraphKeys::kUpdateOps (layers::UpdateOps of frontend/layers/normalization.h),
// unless updates_collections(std::nullopt) says otherwise.
Output BatchNorm(ScopeRef scope, const Input& inputs,
                 const std::optional<Training>& is_training = std::nullopt,
                 const BatchNormOptions& options = BatchNormOptions());

enum class Layer { kFullyConnected, kConv2D };

// tf.contrib.framework.arg_scope: what the options say where layers that are called with the scope,
// by whatever function, are not told otherwise. Inside of another arg scope it adds to that one.
Scope ArgScope(const Scope& scope, const std::vector<Layer>& layers, const LayerOptions& options);
Scope ArgScope(const Scope& scope, const BatchNormOptions& options);

}  // namespace layers
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTRIB_LAYERS_H_
