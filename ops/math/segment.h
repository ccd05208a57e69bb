// What the kernels of SegmentSum, UnsortedSegmentSum and their kin have in common, whatever device
// they are on.
//
//   WB_ASSIGN_OR_RETURN(const Shape shape, UnsortedSegmentsShape(ctx));
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT for a number of segments that is none,
// for data that does not begin with the dimensions of the segments' numbers, and for numbers out of
// order where they have to be sorted.
#ifndef WARPBEAM_OPS_MATH_SEGMENT_H_
#define WARPBEAM_OPS_MATH_SEGMENT_H_

#include <cstdint>
#include <vector>

#include "graph/types/errors.h"
#include "graph/types/shape.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// The result's shape, by the number of segments (input 2, in host memory) and the shapes of the
// data and of its segments' numbers (inputs 0 and 1).
StatusOr<Shape> UnsortedSegmentsShape(const KernelContext& ctx);

// Of sorted segments: a number for each row of the data.
Status CheckSortedSegmentShapes(const Tensor& x, const Tensor& ids);
// Their numbers, in host memory, in order.
StatusOr<std::vector<int64_t>> ReadSortedSegments(const Tensor& ids);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_SEGMENT_H_
