#include "ops/batching/batch_rows.h"

#include <algorithm>

#include "graph/types/errors.h"

namespace warpbeam {

Status CheckAscending(const std::vector<int64_t>& sizes) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > (i == 0 ? 0 : sizes[i - 1])) continue;
    return InvalidArgument("allowed_batch_sizes entries must be monotonically increasing");
  }
  return OkStatus();
}

int64_t PaddedSize(const std::vector<int64_t>& sizes, int64_t rows) {
  const auto fits = std::lower_bound(sizes.begin(), sizes.end(), rows);
  return fits == sizes.end() ? rows : *fits;
}

StatusOr<int64_t> RowsToBatch(const KernelContext& ctx, int num_inputs, int64_t most) {
  for (int i = 0; i < num_inputs; ++i) {
    if (ctx.input(i).rank() == 0) {
      return InvalidArgument("Batching input tensors must have at least one dimension, but tensor ",
                             i, " has none");
    }
    if (ctx.input(i).dim(0) == ctx.input(0).dim(0)) continue;
    return InvalidArgument(
        "Batching input tensors supplied in a given op invocation must have "
        "equal 0th-dimension size, but tensor 0 is of shape ",
        ctx.input(0).shape().ToString(), " and tensor ", i, " of shape ",
        ctx.input(i).shape().ToString());
  }
  const int64_t rows = ctx.input(0).dim(0);
  if (rows <= most) return rows;
  return InvalidArgument("Task size ", rows, " is larger than maximum input batch size ", most);
}

Status WriteNoRows(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    WB_RETURN_IF_ERROR(ctx.Allocate(i, Shape({0})).status());
  }
  return OkStatus();
}

}  // namespace warpbeam
