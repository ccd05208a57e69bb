// Dense (tf.layers.dense): activation(inputs · kernel + bias), with the weights made by the layer.
//
//   Output hidden = layers::Dense(scope, x, 500, layers::DenseOptions().activation(nn::Relu));
//   Output logits = layers::Dense(scope.Named("softmax_linear"), hidden, 10);
//   // variables "dense/kernel", "dense/bias", "softmax_linear/kernel", "softmax_linear/bias"
//
// Inputs have two or more dimensions; the last one, whose extent must be known, is what the kernel
// takes. The weights are those of the variable scope: a scope that reuses finds them again.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; a shape that does
// not fit names the layer and the shape.
#ifndef WARPBEAM_FRONTEND_LAYERS_DENSE_H_
#define WARPBEAM_FRONTEND_LAYERS_DENSE_H_

#include "frontend/input.h"
#include "frontend/layers/layer_options.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace layers {

struct DenseOptions : LayerOptions<DenseOptions> {};

Output Dense(ScopeRef scope, const Input& inputs, int64_t units,
             const DenseOptions& options = DenseOptions());

// Keeps the first dimension and joins the others (tf.layers.flatten).
Output Flatten(ScopeRef scope, const Input& inputs);

}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_LAYERS_DENSE_H_
