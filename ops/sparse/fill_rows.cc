#include "ops/sparse/fill_rows.h"

namespace warpbeam {

StatusOr<SparseView> ReadRaggedRows(const KernelContext& ctx) {
  const Tensor &row_ids = ctx.input(0), &values = ctx.input(1), &rows = ctx.input(2);
  if (row_ids.rank() != 1) {
    return InvalidArgument("value_rowids must be a vector, saw: ", row_ids.shape().ToString());
  }
  if (values.rank() != 1) {
    return InvalidArgument("values must be a vector, saw: ", values.shape().ToString());
  }
  if (values.dim(0) != row_ids.dim(0)) {
    return InvalidArgument("The length of `values` (", values.dim(0),
                           ") must match the first dimension of `value_rowids` (", row_ids.dim(0),
                           ").");
  }
  if (rows.rank() != 0) {
    return InvalidArgument("nrows must be a scalar, saw: ", rows.shape().ToString());
  }
  if (rows.scalar<int64_t>() < 0) {
    return InvalidArgument("nrows must not be negative, got ", rows.scalar<int64_t>());
  }
  SparseView x;
  x.indices = row_ids.data<int64_t>();
  x.values = &values;
  x.count = values.dim(0);
  x.rank = 1;
  x.dims = {rows.scalar<int64_t>()};
  return x;
}

Status CheckFill(const SparseView& x, const Tensor& fill) {
  if (fill.rank() != 0) {
    return InvalidArgument("'default_value' must be a scalar, but has shape ",
                           fill.shape().ToString());
  }
  if (x.rank == 0) return InvalidArgument("a sparse tensor without dimensions has no rows to fill");
  return OkStatus();
}

Status CheckFilledRows(const SparseView& x) {
  for (int64_t i = 0; i < x.count; ++i) {
    const int64_t row = x.row(i)[0];
    if (row < 0 || row >= x.dims[0]) {
      return InvalidArgument("index ", i, " is ", RowToString(x.row(i), x.rank),
                             ", its row is not one of the ", x.dims[0], " of 'dense_shape'");
    }
  }
  return OkStatus();
}

}  // namespace warpbeam
