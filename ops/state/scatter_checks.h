// What scatter updates of variables ask of their arguments, for kernels of all devices.
//
//   WB_RETURN_IF_ERROR(CheckRowUpdates(value, indices, updates));     // Scatter*
//   WB_RETURN_IF_ERROR(CheckTupleUpdates(value, indices, updates));   // ScatterNd*
//
// Thread safety: pure. Errors: INVALID_ARGUMENT naming the shapes or dtypes.
#ifndef WARPBEAM_OPS_STATE_SCATTER_CHECKS_H_
#define WARPBEAM_OPS_STATE_SCATTER_CHECKS_H_

#include "graph/types/tensor.h"

namespace warpbeam {

// That updates are a scalar, or indices.shape + value.shape[1:].
absl::Status CheckRowUpdateShapes(const Shape& value, const Shape& indices, const Shape& updates);
absl::Status CheckRowUpdates(const Tensor& value, const Tensor& indices, const Tensor& updates);
absl::Status CheckTupleUpdates(const Tensor& value, const Tensor& indices, const Tensor& updates);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_SCATTER_CHECKS_H_
