// Clipping: tensors and gradients bounded by value or by norm (tf.clip_by_value, tf.clip_by_norm,
// tf.clip_by_average_norm, tf.global_norm, tf.clip_by_global_norm).
//
//   auto [clipped, norm] = ClipByGlobalNorm(scope, gradients, 5.0);
//   Gradient bounded = ClipByNorm(scope, Gradient(slices), 1.0);      // slices stay slices
//
// Of slices the rows that are there are clipped, as they are: rows of the same index are not summed
// first. Nodes and names are TensorFlow's.
//
// A norm that is infinite or NaN makes everything that ClipByGlobalNorm returns NaN, so that the
// step is seen to have failed.
//
// Ownership: none. Thread safety: that of the Scope. Errors: no tensors to clip, a bound of another
// type; kept in the scope.
#ifndef WARPBEAM_FRONTEND_CLIP_H_
#define WARPBEAM_FRONTEND_CLIP_H_

#include <utility>
#include <vector>

#include "frontend/gradients.h"
#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// Every element into [minimum, maximum].
Output ClipByValue(ScopeRef scope, const Output& x, const Input& minimum, const Input& maximum);
Gradient ClipByValue(ScopeRef scope, const Gradient& x, const Input& minimum, const Input& maximum);

// x * norm / |x| where |x| is larger than `norm`. With `axes` the length is taken over them.
Output ClipByNorm(ScopeRef scope, const Output& x, const Input& norm,
                  const std::vector<int32_t>& axes = {});
Gradient ClipByNorm(ScopeRef scope, const Gradient& x, const Input& norm,
                    const std::vector<int32_t>& axes = {});

// The same by the length that belongs to one element: |x| / (number of elements).
Output ClipByAverageNorm(ScopeRef scope, const Output& x, const Input& norm);

// The length of all tensors together, without those that have no value.
Output GlobalNorm(ScopeRef scope, const std::vector<Gradient>& values);

// All multiplied by norm / GlobalNorm where that is larger than `norm`. Entries without value stay
// so. `use_norm` is the global norm where it is known already. Returns that norm, too.
std::pair<std::vector<Gradient>, Output> ClipByGlobalNorm(ScopeRef scope,
                                                          const std::vector<Gradient>& values,
                                                          const Input& norm,
                                                          const Output& use_norm = Output());

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CLIP_H_
