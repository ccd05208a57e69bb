// Dropout (tf.layers.dropout): in training each element is zero with probability `rate`, and what
// is left is larger by as much; otherwise the inputs as they are.
//
//   Output hidden = layers::Dropout(scope, x, 0.4, /*training=*/true);
//   Output either = layers::Dropout(scope, x, 0.4, is_training);     // a boolean tensor decides
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_LAYERS_DROPOUT_H_
#define WARPBEAM_FRONTEND_LAYERS_DROPOUT_H_

#include "frontend/input.h"
#include "frontend/layers/layer_options.h"
#include "frontend/nn.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace layers {

// noise_shape and seed.
using DropoutOptions = nn::DropoutOptions;

Output Dropout(ScopeRef scope, const Input& inputs, double rate = 0.5,
               const Training& training = false, const DropoutOptions& options = DropoutOptions());

}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_LAYERS_DROPOUT_H_
