// What the kernels of DenseBincount have in common, whatever device they are on.
//
//   WB_ASSIGN_OR_RETURN(const Shape shape, DenseBincountShape(ctx));
//
// Thread safety: a pure function. Errors: INVALID_ARGUMENT for shapes that do not fit and a size
// that is none.
#ifndef WARPBEAM_OPS_HISTOGRAM_DENSE_BINCOUNT_H_
#define WARPBEAM_OPS_HISTOGRAM_DENSE_BINCOUNT_H_

#include "graph/types/errors.h"
#include "graph/types/shape.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// The result's shape: bins, or rows of bins, by the size (input 1, in host memory) and the shapes
// of the numbers and their weights (inputs 0 and 2).
StatusOr<Shape> DenseBincountShape(const KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_HISTOGRAM_DENSE_BINCOUNT_H_
