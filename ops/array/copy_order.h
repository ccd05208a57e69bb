// The order of the loops of a strided copy (ops/array/strided_copy.h), for the CPU and for GPUs.
//
//   CopyDims loops;
//   const bool has_elements = OrderCopy(dims, &loops);
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_OPS_ARRAY_COPY_ORDER_H_
#define WARPBEAM_OPS_ARRAY_COPY_ORDER_H_

#include "ops/array/strided_copy.h"

namespace warpbeam {

// Appends `dims` to `out`, which is empty, without those of extent 1, outermost first by their
// stride in the destination, those merged that lie side by side; at least one remains. False when
// an extent is 0.
bool OrderCopy(Span<const CopyDim> dims, CopyDims* out);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_COPY_ORDER_H_
