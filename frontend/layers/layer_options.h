// What all layers with weights take as keyword arguments: activation, bias, initializers,
// regularizers.
//
//   auto options = layers::DenseOptions().activation(nn::Relu);
//   Output y = layers::Dense(scope, x, 10, options.kernel_regularizer(L2Regularizer(1e-4)));
//
// An option that is not given is what the variable scope says (initializer, regularizer), as in
// TensorFlow; biases begin at zero.
//
// Ownership: values; functions are copied. Thread safety: values. Errors: those of the functions.
#ifndef WARPBEAM_FRONTEND_LAYERS_LAYER_OPTIONS_H_
#define WARPBEAM_FRONTEND_LAYERS_LAYER_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "frontend/variables/initializers.h"
#include "frontend/variables/regularizers.h"
#include "frontend/variables/variable_scope.h"

namespace warpbeam {
namespace frontend {
namespace layers {

// nn::Relu and its kin, or a lambda.
using Activation = std::function<Output(const Scope& scope, const Output& x)>;

// What a layer and its variables are called, for layers that build as those of tf.layers do under
// other names (frontend/contrib/layers.h).
struct LayerNames {
  std::string layer;  // "": as the layer's function says, such as "dense"
  std::string kernel = "kernel";
  std::string bias = "bias";
  std::vector<std::string> collections;  // of the variables; empty: the global ones alone
};

template <typename Options>
struct LayerOptions {
  Options& activation(Activation value) {
    activation_function = std::move(value);
    return self();
  }
  Options& use_bias(bool value) {
    has_bias = value;
    return self();
  }
  Options& kernel_initializer(Initializer value) {
    initializer_of_kernel = std::move(value);
    return self();
  }
  Options& bias_initializer(Initializer value) {
    initializer_of_bias = std::move(value);
    return self();
  }
  Options& kernel_regularizer(Regularizer value) {
    regularizer_of_kernel = std::move(value);
    return self();
  }
  Options& bias_regularizer(Regularizer value) {
    regularizer_of_bias = std::move(value);
    return self();
  }
  // A penalty on what the layer gives, by example: one more regularization loss.
  Options& activity_regularizer(Regularizer value) {
    regularizer_of_activity = std::move(value);
    return self();
  }
  Options& trainable(bool value) {
    is_trainable = value;
    return self();
  }
  // `true` uses the weights of the layer of this name.
  Options& reuse(bool value) {
    reuse_mode = value ? Reuse::kTrue : Reuse::kFalse;
    return self();
  }
  Options& naming(LayerNames value) {
    names = std::move(value);
    return self();
  }

  Activation activation_function;  // none: linear
  bool has_bias = true;
  Initializer initializer_of_kernel;
  Initializer initializer_of_bias;
  Regularizer regularizer_of_kernel;
  Regularizer regularizer_of_bias;
  Regularizer regularizer_of_activity;
  bool is_trainable = true;
  Reuse reuse_mode = Reuse::kInherit;
  LayerNames names;

 private:
  Options& self() { return static_cast<Options&>(*this); }
};

// Whether the graph is for training: known while it is built, or a boolean tensor.
class Training {
 public:
  Training(bool value) : value_(value) {}            // NOLINT
  Training(const Output& value) : tensor_(value) {}  // NOLINT
  bool is_known() const { return !tensor_.valid(); }
  bool value() const { return value_; }
  const Output& tensor() const { return tensor_; }

 private:
  bool value_ = false;
  Output tensor_;
};

// A length along each spatial dimension; one number stands for all.
class SpatialSize {
 public:
  SpatialSize(int64_t all) : sizes_{all} {}                              // NOLINT
  SpatialSize(int all) : sizes_{all} {}                                  // NOLINT
  SpatialSize(std::initializer_list<int64_t> sizes) : sizes_(sizes) {}   // NOLINT
  SpatialSize(std::vector<int64_t> sizes) : sizes_(std::move(sizes)) {}  // NOLINT

  // Empty when the sizes are for another number of dimensions, or not positive.
  std::vector<int64_t> Along(int dims) const {
    std::vector<int64_t> sizes =
        sizes_.size() == 1 ? std::vector<int64_t>(dims, sizes_[0]) : sizes_;
    bool valid = static_cast<int>(sizes.size()) == dims;
    for (int64_t size : sizes) valid = valid && size > 0;
    return valid ? sizes : std::vector<int64_t>();
  }

 private:
  std::vector<int64_t> sizes_;
};

}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_LAYERS_LAYER_OPTIONS_H_
