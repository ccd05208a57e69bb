// Reductions beside those of frontend/math.h, places of extremes and running sums
// (tf.reduce_logsumexp, tf.count_nonzero, tf.argmin, tf.cumsum…).
//
//   Output evidence = ReduceLogSumExp(scope, logits, {1}, /*keep_dims=*/true);
//   Output spread = math::ReduceStd(scope, x);
//   Output before = Cumsum(scope, x, 0, CumulativeOptions().exclusive(true));
//
// Without an axis they go over all; an axis is a number or a list of them. Nodes and names are
// those that TensorFlow's functions of the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_MATH_REDUCTIONS_H_
#define WARPBEAM_FRONTEND_MATH_REDUCTIONS_H_

#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

Output ReduceAll(ScopeRef scope, const Input& x);
Output ReduceAll(ScopeRef scope, const Input& x, const Input& axis, bool keep_dims = false);
Output ReduceAny(ScopeRef scope, const Input& x);
Output ReduceAny(ScopeRef scope, const Input& x, const Input& axis, bool keep_dims = false);
// log(sum(exp(x))) without overflow; -infinity of nothing.
Output ReduceLogSumExp(ScopeRef scope, const Input& x);
Output ReduceLogSumExp(ScopeRef scope, const Input& x, const Input& axis, bool keep_dims = false);
// How many elements are not zero; of strings, not empty.
Output CountNonzero(ScopeRef scope, const Output& x, DType dtype = DType::kInt64);
Output CountNonzero(ScopeRef scope, const Output& x, const Input& axis, bool keep_dims = false,
                    DType dtype = DType::kInt64);
// The sum of tensors of one shape, as AddN.
Output AccumulateN(ScopeRef scope, const InputList& values);

// Where the least element along `axis` is; of several, the first.
Output ArgMin(ScopeRef scope, const Input& x, int axis = 0, DType output_type = DType::kInt64);

struct CumulativeOptions {
  // Without the element itself: the first is 0 (1 of products).
  CumulativeOptions& exclusive(bool value) {
    is_exclusive = value;
    return *this;
  }
  // From the last element to the first.
  CumulativeOptions& reverse(bool value) {
    is_reverse = value;
    return *this;
  }

  bool is_exclusive = false;
  bool is_reverse = false;
};
Output Cumsum(ScopeRef scope, const Input& x, const Input& axis = 0,
              const CumulativeOptions& options = CumulativeOptions());
Output Cumprod(ScopeRef scope, const Input& x, const Input& axis = 0,
               const CumulativeOptions& options = CumulativeOptions());

namespace math {

Output CumulativeLogsumexp(ScopeRef scope, const Input& x, const Input& axis = 0,
                           const CumulativeOptions& options = CumulativeOptions());
// The root of the sum of squares.
Output ReduceEuclideanNorm(ScopeRef scope, const Input& x);
Output ReduceEuclideanNorm(ScopeRef scope, const Input& x, const Input& axis,
                           bool keep_dims = false);
// Of the whole population: divided by how many there are.
Output ReduceVariance(ScopeRef scope, const Input& x);
Output ReduceVariance(ScopeRef scope, const Input& x, const Input& axis, bool keep_dims = false);
Output ReduceStd(ScopeRef scope, const Input& x);
Output ReduceStd(ScopeRef scope, const Input& x, const Input& axis, bool keep_dims = false);

}  // namespace math
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MATH_REDUCTIONS_H_
