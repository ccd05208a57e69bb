// The scope that a layer builds in, and its look at what it is given.
//
// Internal to the layers.
//
//   const Scope layer = OpenLayer(scope, "dense", options.reuse_mode);   // "dense", "dense_1"…
//   const int64_t channels = CheckedExtent(layer, x, -1);                // -1 after an error
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; they name the layer
// and the shapes.
#ifndef WARPBEAM_FRONTEND_LAYERS_LAYER_SCOPE_H_
#define WARPBEAM_FRONTEND_LAYERS_LAYER_SCOPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/layers/layer_options.h"

namespace warpbeam {
namespace frontend {
namespace layers {

// The variable scope (and name scope) that Named() names, else `base_name`, numbered where it has
// been taken.
Scope OpenLayer(const Scope& scope, const std::string& base_name, Reuse reuse);
// The same under the layer's name of `names`, if it has one, in the place of `base_name`.
Scope OpenLayer(const Scope& scope, const char* base_name, const LayerNames& names, Reuse reuse);

// "the layer 'dense' (on 'x:0' of [?,3])", for errors.
std::string Describe(const Scope& layer, const Output& inputs);

// Keeps an error unless `inputs` has `rank` dimensions; `layout` says what they are.
bool CheckRank(const Scope& layer, const Output& inputs, int rank, const char* layout);

// The extent of dimension `axis` (from the end when negative), which must be known; else -1.
int64_t CheckedExtent(const Scope& layer, const Output& inputs, int axis);

// kernel and bias through the layer's variable scope, in the type of the inputs.
template <typename Options>
Variable KernelVariable(const Scope& layer, const std::string& name, const Shape& shape,
                        DType dtype, const LayerOptions<Options>& options) {
  return GetVariable(layer, name, shape,
                     GetVariableOptions()
                         .dtype(dtype)
                         .initializer(options.initializer_of_kernel)
                         .regularizer(options.regularizer_of_kernel)
                         .penalty_name(name == options.names.kernel ? "kernel" : name)
                         .collections(options.names.collections)
                         .trainable(options.is_trainable));
}

template <typename Options>
Variable BiasVariable(const Scope& layer, int64_t units, DType dtype,
                      const LayerOptions<Options>& options) {
  return GetVariable(
      layer, options.names.bias, {units},
      GetVariableOptions()
          .dtype(dtype)
          .initializer(options.initializer_of_bias.has_value() ? options.initializer_of_bias
                                                               : ZerosInitializer())
          .regularizer(options.regularizer_of_bias)
          .penalty_name("bias")
          .collections(options.names.collections)
          .trainable(options.is_trainable));
}

// Adds the penalty on `y`, the layer's activity, over the number of examples to the regularization
// losses.
void AddActivityLoss(const Scope& layer, const Output& y, const Regularizer& regularizer);

// tf.shape(x)[i] with `shape` being the shape tensor: "strided_slice".
Output DimensionAt(const Scope& scope, const Output& shape, int index);

// Scalars as one shape tensor; negative numbers in `known` stand for the next of `computed`.
Output PackShape(const Scope& scope, const std::string& name, const std::vector<int64_t>& known,
                 const std::vector<Output>& computed);

}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_LAYERS_LAYER_SCOPE_H_
