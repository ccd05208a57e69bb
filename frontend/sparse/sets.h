// Sets in the last dimension of tensors (tf.sets): each row is a set.
//
//   SparseTensor both = sets::Intersection(scope, a, b);
//   Output sizes = sets::Size(scope, both);
//
// The dimensions before the last one are the same in both. Of a sparse tensor and a dense one, the
// sparse one is the second; Difference takes the first from the second when told so.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; shapes that do not
// fit, and places out of order, are errors of the step.
#ifndef WARPBEAM_FRONTEND_SPARSE_SETS_H_
#define WARPBEAM_FRONTEND_SPARSE_SETS_H_

#include "frontend/sparse/sparse_tensor.h"

namespace warpbeam {
namespace frontend {
namespace sets {

Output Size(ScopeRef scope, const SparseTensor& sets, bool validate_indices = true);

SparseTensor Intersection(ScopeRef scope, const Output& a, const Output& b,
                          bool validate_indices = true);
SparseTensor Intersection(ScopeRef scope, const Output& a, const SparseTensor& b,
                          bool validate_indices = true);
SparseTensor Intersection(ScopeRef scope, const SparseTensor& a, const SparseTensor& b,
                          bool validate_indices = true);
SparseTensor Union(ScopeRef scope, const Output& a, const Output& b, bool validate_indices = true);
SparseTensor Union(ScopeRef scope, const Output& a, const SparseTensor& b,
                   bool validate_indices = true);
SparseTensor Union(ScopeRef scope, const SparseTensor& a, const SparseTensor& b,
                   bool validate_indices = true);
// What is in a but not in b; with aminusb false, in b but not in a.
SparseTensor Difference(ScopeRef scope, const Output& a, const Output& b, bool aminusb = true,
                        bool validate_indices = true);
SparseTensor Difference(ScopeRef scope, const Output& a, const SparseTensor& b, bool aminusb = true,
                        bool validate_indices = true);
SparseTensor Difference(ScopeRef scope, const SparseTensor& a, const SparseTensor& b,
                        bool aminusb = true, bool validate_indices = true);

}  // namespace sets
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SPARSE_SETS_H_
