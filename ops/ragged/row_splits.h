// Row splits: how the values of a ragged tensor are cut into rows, row i being [splits[i],
// splits[i + 1]). Splits of several levels nest: the rows of one are the values of the one before.
//
//   WB_ASSIGN_OR_RETURN(const auto levels, ReadNestedSplits(ctx, 0, n, values.dim(0), true));
//   for (int64_t i = 0; i < NumRows(levels[0]); ++i) Use(levels[0][i], levels[0][i + 1]);
//
// Ownership: the numbers are copies. Thread safety: pure. Errors: INVALID_ARGUMENT saying which
// level is empty, decreases, or points past its values.
#ifndef WARPBEAM_OPS_RAGGED_ROW_SPLITS_H_
#define WARPBEAM_OPS_RAGGED_ROW_SPLITS_H_

#include <cstdint>
#include <vector>

#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

using RowSplits = std::vector<int64_t>;

inline int64_t NumRows(const RowSplits& splits) { return static_cast<int64_t>(splits.size()) - 1; }

// One vector of splits: not empty, never negative or decreasing.
StatusOr<RowSplits> ReadRowSplits(const Tensor& t, absl::string_view name);

// Inputs [first, first + levels) as nested splits of `num_values` values. `exact`: each level
// begins with 0 and covers all its values; else it may leave some out at both ends.
StatusOr<std::vector<RowSplits>> ReadNestedSplits(const KernelContext& ctx, int first, int levels,
                                                  int64_t num_values, bool exact);

// Writes splits as output `output`, of its dtype.
Status WriteRowSplits(KernelContext& ctx, int output, const RowSplits& splits);

// The same for `rows` rows of `width` values each. A tensor of no elements may have extents of any
// size, so the memory is asked for before anything is counted.
Status WriteEvenSplits(KernelContext& ctx, int output, int64_t rows, int64_t width);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RAGGED_ROW_SPLITS_H_
