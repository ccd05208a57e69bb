#include "frontend/arrays/gather.h"

#include <algorithm>

#include "frontend/array.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

// `axis` of x's dimensions as a number from 0; an error of the scope, and -1, where there is none.
int DimensionOf(const Scope& scope, const char* function, const Output& x, int axis) {
  if (!scope.ok()) return -1;
  const int rank = Input(x).rank();
  if (rank < 0 || axis < -rank || axis >= rank) {
    scope.Fail(InvalidArgument(function, " along dimension ", axis, " of a tensor of shape ",
                               x.shape().ToString()));
    return -1;
  }
  return axis < 0 ? axis + rank : axis;
}

// The order that makes the dimension `axis` the last one, and undoes itself.
std::vector<int32_t> WithLast(int rank, int axis) {
  std::vector<int32_t> order;
  for (int i = 0; i < rank; ++i) order.push_back(i);
  std::swap(order[static_cast<size_t>(axis)], order.back());
  return order;
}

// Numbers whose greatest come first: a number's opposite without overflow.
Output Opposite(const Scope& scope, const Output& x) {
  switch (x.dtype()) {
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
    case DType::kUInt64:
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
      return BuildOutput(scope, "Invert", {x});  // -1 - x, or the greatest number - x
    default:
      return Negative(scope, x);
  }
}

struct Sorted {
  Output values;
  Output places;
};

// Rows of the last dimension, the greatest or the least first.
Sorted TopOf(const Scope& inside, const Output& values, int dim, SortDirection direction) {
  const int rank = Input(values).rank();
  const bool turned = dim != rank - 1;
  const std::vector<int32_t> order = WithLast(rank, dim);
  const bool ascending = direction == SortDirection::kAscending;
  Output rows = turned ? Transpose(inside, values, order) : values;
  if (ascending) rows = Opposite(inside, rows);
  const int64_t extent = values.shape().dim(dim);
  const Output count = extent >= 0 ? Constant(inside, static_cast<int>(extent))
                                   : ElementAt(inside, BuildOutput(inside, "Shape", {values}), dim);
  const auto top = BuildOutputs(inside, "TopKV2", {rows, count}, OpAttrs(), 2);
  Sorted sorted = {ascending ? Opposite(inside, top[0]) : top[0], top[1]};
  if (turned) {
    sorted.values = Transpose(inside, sorted.values, order);
    sorted.places = Transpose(inside, sorted.places, order);
  }
  return sorted;
}

}  // namespace

Output Gather(ScopeRef scope, const Input& params, const Input& indices,
              const std::optional<Input>& axis, int batch_dims) {
  return BuildOutput(scope.scope(), "GatherV2",
                     {params, indices, axis.has_value() ? *axis : Input(batch_dims)},
                     OpAttrs().Set("batch_dims", batch_dims));
}

Output GatherNd(ScopeRef scope_ref, const Input& params, const Input& indices, int batch_dims) {
  const Scope scope = scope_ref.scope();
  if (batch_dims == 0) return BuildOutput(scope, "GatherNd", {params, indices});
  const Scope inside = scope.OpenScope("GatherNd");
  const Output x = AsOutput(inside, params), places = AsOutput(inside, indices);
  const int x_rank = Input(x).rank(), rank = Input(places).rank();
  if (!scope.ok()) return Output();
  if (batch_dims < 0 || x_rank < batch_dims || rank <= batch_dims) {
    scope.Fail(InvalidArgument("GatherNd with ", batch_dims, " dimensions of a batch, of shapes ",
                               x.shape().ToString(), " and ", places.shape().ToString()));
    return Output();
  }
  // The places in the batch stand before those in its elements.
  const Output shape = BuildOutput(inside, "Shape", {places});
  const Output rows = BuildOutput(inside, "Slice",
                                  {shape, std::vector<int32_t>{0}, std::vector<int32_t>{rank - 1}});
  std::vector<Output> columns;
  for (int i = 0; i < batch_dims; ++i) {
    std::vector<int32_t> dims(static_cast<size_t>(rank), 1);
    dims[static_cast<size_t>(i)] = -1;
    const Output number = Reshape(inside, Range(inside, ElementAt(inside, shape, i)), dims);
    const Output all = BroadcastTo(
        inside, number, Concat(inside, {rows, Constant(inside, std::vector<int32_t>{1})}, 0));
    columns.push_back(Cast(inside, all, places.dtype()));
  }
  columns.push_back(places);
  return scope(BuildOutput(inside, "GatherNd", {x, Concat(inside, columns, -1)}));
}

Output BatchGather(ScopeRef scope_ref, const Input& params, const Output& indices) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  const int rank = Input(indices).rank();
  if (rank < 1) {
    scope.Fail(
        InvalidArgument("BatchGather needs indices of a known rank of at least 1, not of "
                        "shape ",
                        indices.shape().ToString()));
    return Output();
  }
  const Scope named = scope.Named(scope.OpNameOr("BatchGatherV2"));
  return Gather(named, params, indices, std::nullopt, rank - 1);
}

Output ScatterNd(ScopeRef scope, const Input& indices, const Input& updates, const Input& shape) {
  return BuildOutput(scope.scope(), "ScatterNd", {indices, updates, shape});
}

#define WB_TENSOR_SCATTER(Name, op)                                                              \
  Output Name(ScopeRef scope, const Input& tensor, const Input& indices, const Input& updates) { \
    return BuildOutput(scope.scope(), op, {tensor, indices, updates});                           \
  }
WB_TENSOR_SCATTER(TensorScatterNdUpdate, "TensorScatterUpdate")
WB_TENSOR_SCATTER(TensorScatterNdAdd, "TensorScatterAdd")
WB_TENSOR_SCATTER(TensorScatterNdSub, "TensorScatterSub")
WB_TENSOR_SCATTER(TensorScatterNdMax, "TensorScatterMax")
WB_TENSOR_SCATTER(TensorScatterNdMin, "TensorScatterMin")
#undef WB_TENSOR_SCATTER

Output BooleanMask(ScopeRef scope_ref, const Output& x, const Output& mask, int axis) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("boolean_mask");
  if (!scope.ok()) return Output();
  const int rank = Input(x).rank(), mask_rank = Input(mask).rank();
  if (axis < 0 && rank >= 0) axis += rank;
  if (mask_rank < 1 || axis < 0 || (rank >= 0 && axis + mask_rank > rank)) {
    scope.Fail(InvalidArgument("a mask of shape ", mask.shape().ToString(), " does not fit ",
                               x.shape().ToString(), " from dimension ", axis,
                               " on; its rank must be known and at least 1"));
    return Output();
  }
  for (int i = 0; i < mask_rank && rank >= 0; ++i) {
    const int64_t a = x.shape().dim(axis + i), b = mask.shape().dim(i);
    if (a < 0 || b < 0 || a == b) continue;
    scope.Fail(InvalidArgument("a mask of shape ", mask.shape().ToString(), " does not fit ",
                               x.shape().ToString(), " from dimension ", axis, " on"));
    return Output();
  }
  // The masked dimensions become one.
  const Output shape = BuildOutput(inside, "Shape", {x});
  const Output before =
      BuildOutput(inside, "Slice", {shape, std::vector<int32_t>{0}, std::vector<int32_t>{axis}});
  const Output behind = ElementsFrom(inside, shape, axis + mask_rank);
  const Output list = Reshape(
      inside, x, Concat(inside, {before, Constant(inside, std::vector<int32_t>{-1}), behind}, 0));
  const Output places = Squeeze(inside, Where(inside, Reshape(inside, mask, {-1})), {1});
  return scope(Gather(inside, list, places, axis));
}

Output Where(ScopeRef scope, const Input& condition) {
  return BuildOutput(scope.scope(), "Where", {condition});
}

Output Where(ScopeRef scope, const Input& condition, const Input& x, const Input& y) {
  return BuildOutput(scope.scope(), "Select", {condition, x, y});
}

Output WhereV2(ScopeRef scope, const Input& condition, const Input& x, const Input& y) {
  return BuildOutput(scope.scope(), "SelectV2", {condition, x, y});
}

OutputList DynamicPartition(ScopeRef scope, const Input& data, const Input& partitions,
                            int64_t num_partitions) {
  return BuildOutputs(scope.scope(), "DynamicPartition", {data, partitions},
                      OpAttrs().Set("num_partitions", num_partitions),
                      static_cast<int>(num_partitions));
}

Output DynamicStitch(ScopeRef scope, const InputList& indices, const InputList& data) {
  return BuildOutput(scope.scope(), "DynamicStitch", {indices, data});
}

Output UnravelIndex(ScopeRef scope, const Input& indices, const Input& dims) {
  return BuildOutput(scope.scope(), "UnravelIndex", {indices, dims});
}

Output Sort(ScopeRef scope_ref, const Output& values, int axis, SortDirection direction) {
  const Scope scope = scope_ref.scope();
  const int dim = DimensionOf(scope, "Sort", values, axis);
  if (dim < 0) return Output();
  return scope(TopOf(scope.OpenScope("sort"), values, dim, direction).values);
}

Output Argsort(ScopeRef scope_ref, const Output& values, int axis, SortDirection direction) {
  const Scope scope = scope_ref.scope();
  const int dim = DimensionOf(scope, "Argsort", values, axis);
  if (dim < 0) return Output();
  return scope(TopOf(scope.OpenScope("argsort"), values, dim, direction).places);
}

Output Searchsorted(ScopeRef scope_ref, const Output& sorted_sequence, const Output& values,
                    SearchSide side, DType dtype) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("searchsorted");
  const Output rows_shape = BuildOutput(inside, "Shape", {sorted_sequence});
  const Output values_shape = BuildOutput(inside, "Shape", {values});
  const auto as_rows = [&](const Output& x, const Output& shape) {
    const Output columns = ElementsFrom(inside, shape, -1);
    const Output dims = Concat(inside, {Constant(inside, std::vector<int32_t>{-1}), columns}, 0);
    return Reshape(inside, x, dims);
  };
  const char* const op = side == SearchSide::kLeft ? "LowerBound" : "UpperBound";
  const Output found =
      BuildOutput(inside, op, {as_rows(sorted_sequence, rows_shape), as_rows(values, values_shape)},
                  OpAttrs().Set("out_type", dtype));
  return scope(Reshape(inside, found, values_shape));
}

}  // namespace frontend
}  // namespace warpbeam
