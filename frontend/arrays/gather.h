// Elements and rows by their places, and back (tf.gather, tf.scatter_nd, tf.boolean_mask,
// tf.where, tf.dynamic_partition, tf.sort…).
//
//   Output chosen = Gather(scope, table, ids);
//   Output kept = BooleanMask(scope, x, Greater(scope, x, 0));
//   Output either = Where(scope, ready, x, y);
//   Output order = Argsort(scope, scores, -1, SortDirection::kDescending);
//
// Nodes and names are those that TensorFlow's functions of the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; places out of range
// are errors of the step.
#ifndef WARPBEAM_FRONTEND_ARRAYS_GATHER_H_
#define WARPBEAM_FRONTEND_ARRAYS_GATHER_H_

#include <optional>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// Slices of `params` along `axis`, by default the first; the first `batch_dims` dimensions of both
// are the same.
Output Gather(ScopeRef scope, const Input& params, const Input& indices,
              const std::optional<Input>& axis = std::nullopt, int batch_dims = 0);
Output GatherNd(ScopeRef scope, const Input& params, const Input& indices, int batch_dims = 0);
// tf.batch_gather: all dimensions of `indices` but the last are those of a batch.
Output BatchGather(ScopeRef scope, const Input& params, const Output& indices);

// Zeros with `updates` added at `indices`.
Output ScatterNd(ScopeRef scope, const Input& indices, const Input& updates, const Input& shape);
Output TensorScatterNdUpdate(ScopeRef scope, const Input& tensor, const Input& indices,
                             const Input& updates);
Output TensorScatterNdAdd(ScopeRef scope, const Input& tensor, const Input& indices,
                          const Input& updates);
Output TensorScatterNdSub(ScopeRef scope, const Input& tensor, const Input& indices,
                          const Input& updates);
Output TensorScatterNdMax(ScopeRef scope, const Input& tensor, const Input& indices,
                          const Input& updates);
Output TensorScatterNdMin(ScopeRef scope, const Input& tensor, const Input& indices,
                          const Input& updates);

// The elements of x, or slices from dimension `axis` on, where `mask` holds. The rank of the mask
// must be known.
Output BooleanMask(ScopeRef scope, const Output& x, const Output& mask, int axis = 0);
// The places where x is not zero, a row each.
Output Where(ScopeRef scope, const Input& condition);
// x where `condition` holds, else y: of one shape, or the condition a list that chooses rows.
// WhereV2 broadcasts all three.
Output Where(ScopeRef scope, const Input& condition, const Input& x, const Input& y);
Output WhereV2(ScopeRef scope, const Input& condition, const Input& x, const Input& y);

OutputList DynamicPartition(ScopeRef scope, const Input& data, const Input& partitions,
                            int64_t num_partitions);
Output DynamicStitch(ScopeRef scope, const InputList& indices, const InputList& data);
// The places along each of `dims` of places in the whole.
Output UnravelIndex(ScopeRef scope, const Input& indices, const Input& dims);

enum class SortDirection { kAscending, kDescending };
Output Sort(ScopeRef scope, const Output& values, int axis = -1,
            SortDirection direction = SortDirection::kAscending);
// The places of the elements in that order.
Output Argsort(ScopeRef scope, const Output& values, int axis = -1,
               SortDirection direction = SortDirection::kAscending);
enum class SearchSide { kLeft, kRight };
// Where each of `values` would go in the sorted rows of `sorted_sequence`.
Output Searchsorted(ScopeRef scope, const Output& sorted_sequence, const Output& values,
                    SearchSide side = SearchSide::kLeft, DType dtype = DType::kInt32);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_ARRAYS_GATHER_H_
