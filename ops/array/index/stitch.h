// What the kernels of DynamicStitch have in common, whatever device they are on.
//
//   WB_ASSIGN_OR_RETURN(const Shape shape, StitchedShape(ctx));
//
// Thread safety: a pure function. Errors: INVALID_ARGUMENT for data that does not begin with the
// shape of its indices, for slices that differ in shape, and for negative indices.
#ifndef WARPBEAM_OPS_ARRAY_INDEX_STITCH_H_
#define WARPBEAM_OPS_ARRAY_INDEX_STITCH_H_

#include "graph/types/errors.h"
#include "graph/types/shape.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// The output's shape. The indices, the first half of the inputs, are in host memory.
StatusOr<Shape> StitchedShape(const KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_INDEX_STITCH_H_
