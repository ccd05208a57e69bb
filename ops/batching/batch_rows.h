// What the ops that batch requests check and choose alike: Batch, BatchFunction.
//
//   WB_RETURN_IF_ERROR(CheckAscending(sizes));
//   WB_ASSIGN_OR_RETURN(const int64_t rows, RowsToBatch(ctx, ctx.num_inputs(), most_rows));
//   if (rows == 0) return WriteNoRows(ctx);
//   const int64_t size = PaddedSize(sizes, rows);
//
// Thread safety: pure but for outputs. Errors: INVALID_ARGUMENT.
#ifndef WARPBEAM_OPS_BATCHING_BATCH_ROWS_H_
#define WARPBEAM_OPS_BATCHING_BATCH_ROWS_H_

#include <vector>

#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// `sizes`: those that batches may have.
Status CheckAscending(const std::vector<int64_t>& sizes);
// The least of them that `rows` fit into; `rows` where there is none.
int64_t PaddedSize(const std::vector<int64_t>& sizes, int64_t rows);
// How many rows each of the first `num_inputs` inputs has, at most `most`.
StatusOr<int64_t> RowsToBatch(const KernelContext& ctx, int num_inputs, int64_t most);
// The outputs of a request without rows, all of them empty.
Status WriteNoRows(KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_BATCHING_BATCH_ROWS_H_
