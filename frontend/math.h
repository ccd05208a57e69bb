// Arithmetic as Python's functions do it (tf.add, tf.reduce_mean, tf.cast, tf.add_n…): numbers
// among the arguments, reductions over all axes, sums of one tensor. Plain operations are in
// frontend/ops,
// + - * / in frontend/operators.h.
//
//   Output loss = ReduceMean(scope, cross_entropy);
//   Output rows = ReduceSum(scope, x, {1}, /*keep_dims=*/true);
//
// Nodes and names are those that TensorFlow's functions of the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_MATH_H_
#define WARPBEAM_FRONTEND_MATH_H_

#include "frontend/build.h"
#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

Output Add(ScopeRef scope, const Input& a, const Input& b);
Output Subtract(ScopeRef scope, const Input& a, const Input& b);
Output Multiply(ScopeRef scope, const Input& a, const Input& b);
// A fraction, as Python's `/`: of integers, too.
Output Divide(ScopeRef scope, const Input& a, const Input& b);
Output FloorDivide(ScopeRef scope, const Input& a, const Input& b);
Output Negative(ScopeRef scope, const Input& x);
Output Pow(ScopeRef scope, const Input& a, const Input& b);
Output Maximum(ScopeRef scope, const Input& a, const Input& b);
Output Minimum(ScopeRef scope, const Input& a, const Input& b);
Output Square(ScopeRef scope, const Input& x);
Output Floor(ScopeRef scope, const Input& x);
Output Log(ScopeRef scope, const Input& x);
Output Exp(ScopeRef scope, const Input& x);

// Comparisons element by element; SameOutput compares two handles.
Output Equal(ScopeRef scope, const Input& a, const Input& b);
Output NotEqual(ScopeRef scope, const Input& a, const Input& b);
Output Less(ScopeRef scope, const Input& a, const Input& b);
Output LessEqual(ScopeRef scope, const Input& a, const Input& b);
Output Greater(ScopeRef scope, const Input& a, const Input& b);
Output GreaterEqual(ScopeRef scope, const Input& a, const Input& b);

// Of matrices, or of batches of them: the dimensions before the last two broadcast. An adjoint is
// the conjugate of the transpose.
Output MatMul(ScopeRef scope, const Input& a, const Input& b, bool transpose_a = false,
              bool transpose_b = false, bool adjoint_a = false, bool adjoint_b = false);
// The sum of all; of one tensor that tensor itself.
Output AddN(ScopeRef scope, const InputList& values);
// `x` itself when it has the type.
Output Cast(ScopeRef scope, const Input& x, DType dtype);
Output ArgMax(ScopeRef scope, const Input& x, int axis);

// Over all axes, or over the given ones (a number or a list of them).
Output ReduceSum(ScopeRef scope, const Input& x);
Output ReduceSum(ScopeRef scope, const Input& x, const Input& axis, bool keep_dims = false);
Output ReduceMean(ScopeRef scope, const Input& x);
Output ReduceMean(ScopeRef scope, const Input& x, const Input& axis, bool keep_dims = false);
Output ReduceMax(ScopeRef scope, const Input& x);
Output ReduceMax(ScopeRef scope, const Input& x, const Input& axis, bool keep_dims = false);
Output ReduceMin(ScopeRef scope, const Input& x);
Output ReduceMin(ScopeRef scope, const Input& x, const Input& axis, bool keep_dims = false);
Output ReduceProd(ScopeRef scope, const Input& x);
Output ReduceProd(ScopeRef scope, const Input& x, const Input& axis, bool keep_dims = false);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MATH_H_
