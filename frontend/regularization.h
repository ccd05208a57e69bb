// Penalties beside L2 (tf.contrib.layers.l1_regularizer, l1_l2_regularizer), and the sum of the
// penalties of many weights (tf.contrib.layers.apply_regularization).
//
//   auto options = GetVariableOptions().regularizer(L1L2Regularizer(0.1, 0.2));
//   Variable w = GetVariable(scope, "w", {784, 500}, options);
//   Output penalty = ApplyRegularization(scope, L1Regularizer(0.01), {w, b});
//
// L2Regularizer and what a regularizer is: frontend/variables/regularizers.h. Nodes and names are
// TensorFlow 1's.
//
// Ownership: values. Thread safety: that of the Scope. Errors: a negative scale, no weights, a
// penalty that is not a scalar; kept in the scope in which the regularizer is used.
#ifndef WARPBEAM_FRONTEND_REGULARIZATION_H_
#define WARPBEAM_FRONTEND_REGULARIZATION_H_

#include <vector>

#include "frontend/scope.h"
#include "frontend/variables/regularizers.h"

namespace warpbeam {
namespace frontend {

// tf.GraphKeys.WEIGHTS: the collection of the weights of layers.
constexpr char kWeightsCollection[] = "weights";

// scale * sum of |weights|.
Regularizer L1Regularizer(double scale);
// Both penalties added; a scale of 0 leaves its penalty out.
Regularizer L1L2Regularizer(double l1 = 1, double l2 = 1);

// The sum of the penalties of `weights`, which is added to GraphKeys::kRegularizationLosses; of
// those in the collection kWeightsCollection when none are given.
Output ApplyRegularization(ScopeRef scope, const Regularizer& regularizer,
                           const std::vector<Output>& weights = {});

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_REGULARIZATION_H_
