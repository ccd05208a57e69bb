// Axes of reductions and scans: reading them, and what they do to shapes.
//
//   WB_ASSIGN_OR_RETURN(uint64_t axes, ReadAxes(ctx.input(1), x.rank()));    // one bit per axis
//   WB_ASSIGN_OR_RETURN(int axis, ReadAxis(ctx.input(1), x.rank()));
//   WB_ASSIGN_OR_RETURN(Shape y, ReducedShape(x.shape(), axes, keep_dims));
//
// Axes may be negative, counting from the last dimension. Thread safety: pure. Errors:
// INVALID_ARGUMENT for axes that the tensor does not have and for one that is named twice.
#ifndef WARPBEAM_OPS_MATH_AXES_H_
#define WARPBEAM_OPS_MATH_AXES_H_

#include <cstdint>

#include "graph/op/shape_context.h"
#include "graph/types/tensor.h"

namespace warpbeam {

// Any number of axes, in a tensor of any rank, as bits.
StatusOr<uint64_t> ReadAxes(const Tensor& axes, int rank);
// One axis, in a scalar. `what` is what an error calls it.
StatusOr<int> ReadAxis(const Tensor& axis, int rank, absl::string_view what = "dimension");

// The shape without the axes, or with an extent of 1 for them.
StatusOr<Shape> ReducedShape(const Shape& shape, uint64_t axes, bool keep_dims);

// For what chooses an element along the axis: INVALID_ARGUMENT if there is none.
Status CheckNotEmpty(const Shape& shape, int axis);
// How many elements have the same index along the axis and those before it.
int64_t ElementsAfter(const Shape& shape, int axis);

// The shape function of reductions: input 1 holds the axes, `keep_dims` is an attribute.
Status ReductionShape(ShapeContext& c);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_AXES_H_
