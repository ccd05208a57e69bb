// Gradients of gathers as slices: one row of values for each index.
//
//   c.set_dx(0, RowSlices(c, c.dy(0), indices, c.shape(params), c.ShapeOf(params)));
//
// Thread safety: that of the graph. Errors: kept by the context.
#ifndef WARPBEAM_OPS_ARRAY_INDEX_GATHER_GRADIENT_H_
#define WARPBEAM_OPS_ARRAY_INDEX_GATHER_GRADIENT_H_

#include "graph/gradients/gradient_registry.h"

namespace warpbeam {

// The gradient of a gather of whole rows: `indices` of any shape, `params_shape` an int32 vector,
// `known` what is known of it while the graph is built.
GradientValue RowSlices(GradContext& c, OutputRef dy, OutputRef indices, const PartialShape& known,
                        OutputRef params_shape);

// The gradient of a GatherNd of `params`, whose shape is the vector `params_shape` of the indices'
// dtype: slices where the tuples name rows, else dense.
GradientValue TupleGradient(GradContext& c, OutputRef dy, OutputRef indices,
                            OutputRef params_shape);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_INDEX_GATHER_GRADIENT_H_
