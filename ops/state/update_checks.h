// What updates of parts of variables ask of their arguments, for kernels of all devices.
//
//   WB_RETURN_IF_ERROR(CheckRowUpdates(value, indices, values));     // Scatter*
//   WB_RETURN_IF_ERROR(CheckTupleUpdates(value, indices, values));   // ScatterNd*
//
// Thread safety: pure. Errors: INVALID_ARGUMENT naming the shapes or dtypes.
#ifndef WARPBEAM_OPS_STATE_UPDATE_CHECKS_H_
#define WARPBEAM_OPS_STATE_UPDATE_CHECKS_H_

#include "absl/strings/string_view.h"
#include "graph/types/tensor.h"

namespace warpbeam {

// That a variable can take `update`, which errors call `what`.
Status CheckUpdateType(const Tensor& value, const Tensor& update, absl::string_view what);
// That updates are a scalar, or indices.shape + value.shape[1:].
Status CheckRowUpdateShapes(const Shape& value, const Shape& indices, const Shape& updates);
Status CheckRowUpdates(const Tensor& value, const Tensor& indices, const Tensor& updates);
Status CheckTupleUpdates(const Tensor& value, const Tensor& indices, const Tensor& updates);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_UPDATE_CHECKS_H_
