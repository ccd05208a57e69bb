#include "ops/state/update_checks.h"

#include "graph/types/errors.h"
#include "ops/array/index/scatter_rows.h"

namespace warpbeam {

Status CheckUpdateType(const Tensor& value, const Tensor& update, absl::string_view what) {
  if (value.dtype() == update.dtype()) return OkStatus();
  return InvalidArgument("the variable holds ", DTypeName(value.dtype()), ", the ", what, " ",
                         DTypeName(update.dtype()));
}

Status CheckRowUpdateShapes(const Shape& value, const Shape& indices, const Shape& updates) {
  if (updates.rank() == 0) return OkStatus();
  bool fits = updates.rank() == indices.rank() + value.rank() - 1;
  for (int i = 0; fits && i < updates.rank(); ++i) {
    fits =
        updates.dim(i) == (i < indices.rank() ? indices.dim(i) : value.dim(i - indices.rank() + 1));
  }
  if (fits) return OkStatus();
  return InvalidArgument("updates must be a scalar or have the shape of indices, ",
                         indices.ToString(), ", and of a row of the variable ", value.ToString(),
                         ", not ", updates.ToString());
}

Status CheckRowUpdates(const Tensor& value, const Tensor& indices, const Tensor& updates) {
  if (value.rank() < 1) return InvalidArgument("the variable must be at least a vector");
  WB_RETURN_IF_ERROR(CheckUpdateType(value, updates, "updates"));
  return CheckRowUpdateShapes(value.shape(), indices.shape(), updates.shape());
}

Status CheckTupleUpdates(const Tensor& value, const Tensor& indices, const Tensor& updates) {
  WB_RETURN_IF_ERROR(CheckUpdateType(value, updates, "updates"));
  return CheckScatterShapes(indices.shape(), updates.shape(), value.shape());
}

}  // namespace warpbeam
