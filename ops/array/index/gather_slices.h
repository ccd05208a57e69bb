// GatherSlices: out[b, o, i, …] = params[b, o, indices[b, i], …], the loop of all Gather ops.
//
//   WB_ASSIGN_OR_RETURN(Shape shape,
//                       GatherShape(params.shape(), indices.shape(), axis, batch_dims));
//   WB_ASSIGN_OR_RETURN(Tensor* y, ctx.Allocate(0, shape));
//   WB_RETURN_IF_ERROR(GatherSlices(ctx, params, indices, axis, batch_dims, y));
//
// 0 <= batch_dims <= axis < rank of params. Thread safety: uses the context's threads. Errors:
// INVALID_ARGUMENT for an index out of range and for batch dimensions that differ.
#ifndef WARPBEAM_OPS_ARRAY_INDEX_GATHER_SLICES_H_
#define WARPBEAM_OPS_ARRAY_INDEX_GATHER_SLICES_H_

#include "graph/op/shape_context.h"
#include "graph/types/tensor.h"
#include "ops/array/index/scatter_rows.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

StatusOr<Shape> GatherShape(const Shape& params, const Shape& indices, int axis, int batch_dims);
Status GatherSlices(const KernelContext& ctx, const Tensor& params, const Tensor& indices, int axis,
                    int batch_dims, Tensor* out);
// The same for partial shapes; an unknown axis (-1) leaves only the rank known.
StatusOr<PartialShape> GatherPartialShape(const PartialShape& params, const PartialShape& indices,
                                          std::optional<int64_t> axis, int64_t batch_dims);

// GatherNd: out[i…, …] = params[indices[i…], …], where the last dimension of `indices` holds
// tuples.
StatusOr<Shape> GatherNdShape(const Shape& params, const Shape& indices);
StatusOr<PartialShape> GatherNdPartialShape(const PartialShape& params,
                                            const PartialShape& indices);
// Whether there is a slice at all for the tuples to pick, where they have to.
Status CheckHasSlices(const Shape& params, const Shape& indices, BadIndex bad);
// Dropped rows are zero.
Status GatherNdSlices(const KernelContext& ctx, const Tensor& params, const Tensor& indices,
                      BadIndex bad, Tensor* out);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_INDEX_GATHER_SLICES_H_
