// What the kernels of TileGrad have in common, whatever device they are on.
//
//   WB_ASSIGN_OR_RETURN(const Shape shape, RepeatedShape(ctx));
//
// Thread safety: a pure function. Errors: INVALID_ARGUMENT for multiples that do not divide the
// extents.
#ifndef WARPBEAM_OPS_ARRAY_LAYOUT_TILE_GRAD_H_
#define WARPBEAM_OPS_ARRAY_LAYOUT_TILE_GRAD_H_

#include "graph/types/errors.h"
#include "graph/types/shape.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// The shape of what input 0 repeats, by the multiples (input 1, in host memory).
StatusOr<Shape> RepeatedShape(const KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_LAYOUT_TILE_GRAD_H_
