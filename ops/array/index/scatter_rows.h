// Scattering and gathering rows by index tuples: what GatherNd, ScatterNd, the TensorScatter ops
// and the scatter updates of variables share.
//
//   // `indices` is [..., K]: each tuple names a row of the first K dimensions of `shape`.
//   WB_ASSIGN_OR_RETURN(std::vector<int64_t> rows,
//                       FlattenIndices(indices, shape, BadIndex::kError));
//   WB_RETURN_IF_ERROR(ScatterRows(ScatterOp::kAdd, dtype, to, rows, width, {updates}));
//
// All indices are checked before anything is written. Rows named twice are combined in the order of
// the updates, so results do not depend on threads.
//
// Thread safety: pure functions over the caller's memory. Errors: INVALID_ARGUMENT naming the tuple
// and the bound; UNIMPLEMENTED for a dtype that the operation has no meaning for.
#ifndef WARPBEAM_OPS_ARRAY_INDEX_SCATTER_ROWS_H_
#define WARPBEAM_OPS_ARRAY_INDEX_SCATTER_ROWS_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/types/attr_value.h"
#include "graph/types/tensor.h"

namespace warpbeam {

enum class ScatterOp { kUpdate, kAdd, kSub, kMul, kDiv, kMin, kMax };

// What an index out of range does: fails the op, or drops its row (a gather reads zeros).
enum class BadIndex { kError, kIgnore };
// From the attribute "bad_indices_policy"; ops without it fail.
StatusOr<BadIndex> BadIndexPolicy(const AttrMap& attrs);

// The row number for each index tuple, -1 for a dropped one. K, the last extent of `indices`, may
// be at most the rank of `shape`; K = 0 names the whole tensor. Errors call `shape` `what`.
StatusOr<std::vector<int64_t>> FlattenIndices(const Tensor& indices, const Shape& shape,
                                              BadIndex bad, absl::string_view what = "shape");
// The same for an index tensor of any shape whose elements are rows themselves.
StatusOr<std::vector<int64_t>> CheckRows(const Tensor& indices, int64_t limit);

// One row of elements for each index, or a single value for all elements of all rows.
struct RowUpdates {
  const void* data;
  bool scalar = false;
};

// to[rows[i]] = to[rows[i]] op updates[i], for rows of `width` elements.
Status ScatterRows(ScatterOp op, DType dtype, void* to, Span<const int64_t> rows, int64_t width,
                   RowUpdates updates);

// Checks that `updates` is indices.shape[:-1] + shape[K:].
Status CheckScatterShapes(const Shape& indices, const Shape& updates, const Shape& shape);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_INDEX_SCATTER_ROWS_H_
