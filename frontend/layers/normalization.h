// Normalization: batch normalization (tf.layers.batch_normalization), layer normalization
// (tf.contrib.layers.layer_norm). The functions they are made of are in frontend/nn.h.
//
//   Output y = layers::BatchNormalization(scope, x, /*training=*/true);
//   // The moving averages move with the training step:
//   const std::vector<Operation> updates = layers::UpdateOps(scope);
//   Operation train = opt.Minimize(scope.ControlDependencies(updates), loss, step);
//
// In training the batch is normalized by its own mean and variance, and the moving averages
// ("batch_normalization/moving_mean", "…/moving_variance") get update operations in
// GraphKeys::kUpdateOps; otherwise by the moving averages. Inputs of four dimensions whose channels
// are dimension 1 or 3 take the fused operation.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; a shape that does
// not fit names the layer and the shape.
#ifndef WARPBEAM_FRONTEND_LAYERS_NORMALIZATION_H_
#define WARPBEAM_FRONTEND_LAYERS_NORMALIZATION_H_

#include <optional>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/layers/layer_options.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace layers {

struct BatchNormalizationOptions {
  // The dimension that keeps means of its own.
  BatchNormalizationOptions& axis(int value) {
    channel_axis = value;
    return *this;
  }
  BatchNormalizationOptions& momentum(double value) {
    moving_momentum = value;
    return *this;
  }
  BatchNormalizationOptions& epsilon(double value) {
    epsilon_value = value;
    return *this;
  }
  // Whether there is a beta to add, and a gamma to multiply by.
  BatchNormalizationOptions& center(bool value) {
    has_beta = value;
    return *this;
  }
  BatchNormalizationOptions& scale(bool value) {
    has_gamma = value;
    return *this;
  }
  BatchNormalizationOptions& beta_initializer(Initializer value) {
    initializer_of_beta = std::move(value);
    return *this;
  }
  BatchNormalizationOptions& gamma_initializer(Initializer value) {
    initializer_of_gamma = std::move(value);
    return *this;
  }
  BatchNormalizationOptions& beta_regularizer(Regularizer value) {
    regularizer_of_beta = std::move(value);
    return *this;
  }
  BatchNormalizationOptions& gamma_regularizer(Regularizer value) {
    regularizer_of_gamma = std::move(value);
    return *this;
  }
  BatchNormalizationOptions& trainable(bool value) {
    is_trainable = value;
    return *this;
  }
  BatchNormalizationOptions& reuse(bool value) {
    reuse_mode = value ? Reuse::kTrue : Reuse::kFalse;
    return *this;
  }
  BatchNormalizationOptions& fused(bool value) {
    is_fused = value;
    return *this;
  }
  // For those of other names (frontend/contrib/layers.h): what follows.
  BatchNormalizationOptions& naming(LayerNames value) {
    names = std::move(value);
    return *this;
  }
  BatchNormalizationOptions& activation(Activation value) {
    activation_function = std::move(value);
    return *this;
  }
  // Inputs of two dimensions take the fused operation too, as images of one pixel; their moving
  // variance is then that of a sample.
  BatchNormalizationOptions& fuses_rows(bool value) {
    rows_are_fused = value;
    return *this;
  }

  // The averages move whenever the outputs are computed, in the place of an operation in a
  // collection.
  BatchNormalizationOptions& moves_with_outputs(bool value) {
    outputs_wait = value;
    return *this;
  }

  int channel_axis = -1;
  double moving_momentum = 0.99;
  double epsilon_value = 1e-3;
  bool has_beta = true;
  bool has_gamma = true;
  Initializer initializer_of_beta;   // zeros
  Initializer initializer_of_gamma;  // ones
  Regularizer regularizer_of_beta;
  Regularizer regularizer_of_gamma;
  bool is_trainable = true;
  Reuse reuse_mode = Reuse::kInherit;
  std::optional<bool> is_fused;
  LayerNames names;
  Activation activation_function;
  bool rows_are_fused = false;
  bool outputs_wait = false;
};

Output BatchNormalization(ScopeRef scope, const Input& inputs, const Training& training = false,
                          const BatchNormalizationOptions& options = BatchNormalizationOptions());

// The operations in GraphKeys::kUpdateOps, for ControlDependencies and Group.
HandleList<Operation> UpdateOps(const Scope& scope, const std::string& filter = "");

struct LayerNormOptions {
  LayerNormOptions& center(bool value) {
    has_beta = value;
    return *this;
  }
  LayerNormOptions& scale(bool value) {
    has_gamma = value;
    return *this;
  }
  LayerNormOptions& activation(Activation value) {
    activation_function = std::move(value);
    return *this;
  }
  // The first dimension of those normalized together, and of those with weights of their own.
  LayerNormOptions& begin_norm_axis(int value) {
    norm_axis = value;
    return *this;
  }
  LayerNormOptions& begin_params_axis(int value) {
    params_axis = value;
    return *this;
  }
  LayerNormOptions& trainable(bool value) {
    is_trainable = value;
    return *this;
  }
  LayerNormOptions& reuse(bool value) {
    reuse_mode = value ? Reuse::kTrue : Reuse::kFalse;
    return *this;
  }

  bool has_beta = true;
  bool has_gamma = true;
  Activation activation_function;
  int norm_axis = 1;
  int params_axis = -1;
  bool is_trainable = true;
  Reuse reuse_mode = Reuse::kInherit;
};

// Each example by its own mean and variance: "LayerNorm/beta", "LayerNorm/gamma".
Output LayerNorm(ScopeRef scope, const Input& inputs,
                 const LayerNormOptions& options = LayerNormOptions());

}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_LAYERS_NORMALIZATION_H_
