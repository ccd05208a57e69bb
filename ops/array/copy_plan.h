// CopyPlan: a strided copy as a GPU makes it: in elements as wide as extents, strides and addresses
// allow, up to 16 bytes, with so few of them that 32 bits count them.
//
//   CopyPlans plans;
//   PlanCopy(DTypeSize(dtype), to, from, dims, &plans);        // appends one, or several that are
//                                                              // independent of each other
//   if (plans[0].IsTransposed()) …                             // is worth a detour by tiles
//
// A row of floats becomes one of 16-byte elements, an element of complex128 at an odd address two
// of 8 bytes. Thread safety: values. Errors: none.
#ifndef WARPBEAM_OPS_ARRAY_COPY_PLAN_H_
#define WARPBEAM_OPS_ARRAY_COPY_PLAN_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "ops/array/strided_copy.h"

namespace warpbeam {

struct CopyPlan {
  void* to;
  const void* from;
  int width;      // of an element: 1, 2, 4, 8 or 16 bytes
  CopyDims dims;  // outermost first by their stride in the destination; strides count elements
  // The dimension that is consecutive in the source where the last is so in the destination and
  // both are long, so that neither order of going through them suits both; else -1.
  int across = -1;

  int64_t count() const;
  bool IsTransposed() const { return across >= 0; }
  // Whether a transposition can read and write so many bytes at a time: its rows and columns have
  // multiples of them and begin at such addresses.
  bool HasPacksOf(size_t bytes) const;
};
using CopyPlans = absl::InlinedVector<CopyPlan, 2>;

void PlanCopy(int64_t size, void* to, const void* from, Span<const CopyDim> dims, CopyPlans* plans);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_COPY_PLAN_H_
