// What kernels of all devices say of a matrix that has no such factors.
//
//   if (!IsInvertible(n, lu)) return NotInvertible();
//   return OfMatrix(NotInvertible(), 3, 7);              // "matrix 3 of 7: …"
//
// Thread safety: pure functions.
#ifndef WARPBEAM_OPS_LINALG_REFUSALS_H_
#define WARPBEAM_OPS_LINALG_REFUSALS_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "graph/types/errors.h"

namespace warpbeam {

inline Status HasZeroPivot() {
  return InvalidArgument("the matrix is singular: it has a pivot of zero");
}
inline Status NotInvertible() { return InvalidArgument("Input matrix is not invertible."); }
inline Status HasNoInverse() { return InvalidArgument("Input is not invertible."); }
inline Status EigenvaluesNotFound() {
  return InvalidArgument("the eigenvalues were not found: does the matrix hold NaN or infinity?");
}
// Of one matrix of several, by its number.
inline Status OfMatrix(Status status, int64_t index, int64_t count) {
  if (status.ok() || count == 1) return status;
  return Annotate(status, absl::StrCat("matrix ", index, " of ", count));
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LINALG_REFUSALS_H_
