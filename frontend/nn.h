// Neural network functions (tf.nn): layers' arithmetic and losses.
//
//   Output hidden = nn::Relu(scope, MatMul(scope, x, w) + b);
//   Output losses = nn::SparseSoftmaxCrossEntropyWithLogits(scope, labels, logits);   // per
//   example
//
// Nodes and names are those that TensorFlow's functions of the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_NN_H_
#define WARPBEAM_FRONTEND_NN_H_

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace nn {

Output Relu(ScopeRef scope, const Input& x);
Output Softmax(ScopeRef scope, const Input& logits);
Output BiasAdd(ScopeRef scope, const Input& x, const Input& bias);
// x * weights + biases.
Output XwPlusB(ScopeRef scope, const Input& x, const Input& weights, const Input& biases);
// Half the sum of squares.
Output L2Loss(ScopeRef scope, const Input& x);
// One loss for each label; logits have one dimension more, the classes.
Output SparseSoftmaxCrossEntropyWithLogits(ScopeRef scope, const Input& labels,
                                           const Input& logits);

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_NN_H_
