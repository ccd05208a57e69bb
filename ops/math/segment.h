// What the kernels of UnsortedSegmentSum and its kin have in common, whatever device they are on.
//
//   WB_ASSIGN_OR_RETURN(const Shape shape, UnsortedSegmentsShape(ctx));
//
// Thread safety: a pure function. Errors: INVALID_ARGUMENT for a number of segments that is none
// and for data that does not begin with the dimensions of the segments' numbers.
#ifndef WARPBEAM_OPS_MATH_SEGMENT_H_
#define WARPBEAM_OPS_MATH_SEGMENT_H_

#include "graph/types/errors.h"
#include "graph/types/shape.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// The result's shape, by the number of segments (input 2, in host memory) and the shapes of the
// data and of its segments' numbers (inputs 0 and 1).
StatusOr<Shape> UnsortedSegmentsShape(const KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_SEGMENT_H_
