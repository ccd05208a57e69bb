#include "frontend/layers/embedding.h"

#include <algorithm>
#include <vector>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

Operation OperationOf(const Input& param) {
  return param.reference().valid() ? param.reference().op() : param.output().op();
}

Output Gather(const Scope& scope, const Input& param, const Output& ids) {
  return BuildOutput(scope.ColocateWith(OperationOf(param)), "GatherV2", {param, ids, 0});
}

// In which part a row is, and which row of that part it is.
struct Place {
  Output part;
  Output row;
};

Place PlaceByMod(const Scope& inside, const Output& ids, int parts) {
  const Output part = BuildOutput(inside.Named("mod"), "FloorMod", {ids, parts});
  return {part, FloorDivide(inside, ids, parts)};
}

Place PlaceByDiv(const Scope& inside, const Output& ids, int64_t rows, int parts) {
  const auto mod = [&](const Input& a, const Input& b) {
    return BuildOutput(inside.Named("mod"), "FloorMod", {a, b});
  };
  const auto without = [&](const Output& extras) {
    return Subtract(inside.Named("sub"), ids, extras);
  };
  const auto one_more = [&](const Output& x) { return Add(inside.Named("add"), x, 1); };
  const Output total = Constant(inside, Input(rows), ids.dtype());
  const Output each = FloorDivide(inside, total, parts);
  const Output extras = mod(total, parts);
  const Output in_longer = FloorDivide(inside, ids, one_more(each));
  const Output in_shorter = FloorDivide(inside, without(extras), each);
  const Output part = Maximum(inside, in_longer, in_shorter);
  const Output is_longer = Less(inside, part, extras);
  const Output row_of_longer = mod(ids, one_more(each));
  const Output row_of_shorter = mod(without(extras), each);
  return {part, BuildOutput(inside, "Select", {is_longer, row_of_longer, row_of_shorter})};
}

// How many rows all parts have, and the shape of one row; fails where that is not known.
StatusOr<int64_t> RowsOf(const std::vector<Input>& params) {
  int64_t rows = 0;
  for (const Input& param : params) {
    const PartialShape shape = param.output().shape();
    if (!shape.has_rank() || shape.rank() < 1 || shape.dim(0) < 0) {
      return InvalidArgument("EmbeddingLookup by kDiv needs to know how many rows a part has; '",
                             param.output().name(), "' is ", shape.ToString());
    }
    rows += shape.dim(0);
  }
  return rows;
}

PartialShape RowShape(const PartialShape& table) {
  if (!table.has_rank() || table.rank() < 1) return PartialShape();
  return PartialShape(std::vector<int64_t>(table.dims().begin() + 1, table.dims().end()));
}

std::vector<Output> Partition(const Scope& inside, const Output& data, const Output& parts,
                              int count) {
  return BuildOutputs(inside, "DynamicPartition", {data, parts},
                      OpAttrs().Set("num_partitions", count), count);
}

Output LookUpParts(const Scope& inside, const std::vector<Input>& params, const Output& ids,
                   PartitionStrategy strategy) {
  const int count = static_cast<int>(params.size());
  const Output flat = Reshape(inside, ids, {-1});
  const Output size = BuildOutput(inside, "Size", {flat});
  const Output original = BuildOutput(inside.Named("range"), "Range", {0, size, 1});
  Place place;
  if (strategy == PartitionStrategy::kMod) {
    place = PlaceByMod(inside, flat, count);
  } else {
    const StatusOr<int64_t> rows = RowsOf(params);
    if (!rows.ok()) {
      inside.Fail(rows.status());
      return Output();
    }
    place = PlaceByDiv(inside, flat, *rows, count);
  }
  const Output parts = Cast(inside, place.part, DType::kInt32);
  const std::vector<Output> rows = Partition(inside, place.row, parts, count);
  const std::vector<Output> positions = Partition(inside, original, parts, count);
  if (!inside.ok()) return Output();
  std::vector<Output> gathered;
  for (int i = 0; i < count; ++i) gathered.push_back(Gather(inside, params[i], rows[i]));
  const Output joined = BuildOutput(inside.Named(inside.name_scope()), "ParallelDynamicStitch",
                                    {InputList(positions), InputList(gathered)});
  const StatusOr<Shape> row = RowShape(params[0].output().shape()).AsShape();
  if (!row.ok() || !joined.valid()) return joined;
  const std::vector<int32_t> dims(row->dims().begin(), row->dims().end());
  const Scope concat = inside.NameScope("concat");
  const Output of_ids = BuildOutput(inside, "Shape", {ids});
  const Output of_row = Constant(concat.Named("values_1"), dims);
  const Output shape =
      BuildOutput(concat.Named(concat.name_scope()), "ConcatV2", {InputList({of_ids, of_row}), 0});
  return Reshape(inside, joined, shape);
}

}  // namespace

Output EmbeddingLookup(ScopeRef scope_ref, const InputList& params, const Input& ids,
                       PartitionStrategy strategy) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("embedding_lookup");
  const Output numbers = AsOutput(inside.Named("ids"), ids);
  if (params.size() == 0 && scope.ok()) {
    scope.Fail(InvalidArgument("EmbeddingLookup needs a table"));
  }
  if (!scope.ok()) return Output();
  for (const Input& param : params.items()) {
    if (param.is_value() || !param.output().valid()) {
      scope.Fail(InvalidArgument("the tables of EmbeddingLookup are variables or tensors"));
      return Output();
    }
  }
  Output found;
  if (params.size() == 1) {
    found = Gather(inside.Named(inside.name_scope()), params.items()[0], numbers);
    found = Identity(inside, found);
  } else {
    found = LookUpParts(inside, params.items(), numbers, strategy);
  }
  if (!found.valid()) return Output();
  const PartialShape of_ids = numbers.shape();
  const PartialShape of_row = RowShape(params.items()[0].output().shape());
  if (of_ids.has_rank() && of_row.has_rank()) {
    std::vector<int64_t> dims = of_ids.dims();
    dims.insert(dims.end(), of_row.dims().begin(), of_row.dims().end());
    found.set_shape(PartialShape(dims));
  }
  return scope(found);
}

namespace {

// The rows' weights with as many dimensions as the rows.
Output WeightsOfRows(const Scope& inside, const Output& weights, const Output& rows) {
  std::vector<int32_t> shape(std::max(rows.shape().rank(), 1), 1);
  shape[0] = -1;
  return Reshape(inside, weights, shape);
}

Output Combined(const Scope& inside, const Output& rows, const Output& weights,
                const Output& segments, Combiner combiner) {
  const Scope whole = inside.Named(inside.name_scope());
  const Output weighted = Multiply(inside.Named("mul"), rows, weights);
  const auto sum = [&](const Scope& scope, const Output& x) {
    return BuildOutput(scope, "SegmentSum", {x, segments});
  };
  if (combiner == Combiner::kSum) return sum(whole, weighted);
  const Output total = sum(inside, weighted);
  if (combiner == Combiner::kMean) {
    return BuildOutput(whole, "DivNoNan", {total, sum(inside, weights)});
  }
  const Output squares = sum(inside, Pow(inside, weights, 2.0f));
  return BuildOutput(whole, "DivNoNan", {total, BuildOutput(inside, "Sqrt", {squares})});
}

}  // namespace

Output EmbeddingLookupSparse(ScopeRef scope_ref, const InputList& params, const SparseIds& ids,
                             const std::optional<Input>& weights, Combiner combiner,
                             PartitionStrategy strategy) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("embedding_lookup_sparse");
  if (!scope.ok()) return Output();
  if (!ids.indices.valid() || !ids.values.valid()) {
    scope.Fail(InvalidArgument("EmbeddingLookupSparse needs indices and values of its ids"));
    return Output();
  }
  const Scope slice = inside.NameScope("strided_slice");
  const auto bound = [&](const char* name, int column, int row) {
    return Constant(slice.Named(name), std::vector<int32_t>{row, column});
  };
  const Output begin = bound("stack", 0, 0), end = bound("stack_1", 1, 0);
  const Output lists =
      BuildOutput(slice.Named(slice.name_scope()), "StridedSlice",
                  {ids.indices, begin, end, bound("stack_2", 1, 1)},
                  OpAttrs().Set("begin_mask", 1).Set("end_mask", 1).Set("shrink_axis_mask", 2));
  const std::vector<Output> unique = BuildOutputs(inside, "Unique", {ids.values}, OpAttrs(), 2);
  const Output rows = EmbeddingLookup(inside, params, unique[0], strategy);
  const Output segments = Cast(inside, lists, DType::kInt32);
  if (!inside.ok()) return Output();
  if (!weights.has_value()) {
    const char* const op = combiner == Combiner::kSum    ? "SparseSegmentSum"
                           : combiner == Combiner::kMean ? "SparseSegmentMean"
                                                         : "SparseSegmentSqrtN";
    return scope(BuildOutput(inside.Named(inside.name_scope()), op, {rows, unique[1], segments}));
  }
  const Output each = BuildOutput(inside, "GatherV2", {rows, unique[1], 0});
  const Output given = AsOutput(inside.Named("weights"), *weights, rows.dtype());
  if (!inside.ok()) return Output();
  const Output of_rows = WeightsOfRows(inside, Cast(inside, given, rows.dtype()), each);
  return scope(Combined(inside, each, of_rows, segments, combiner));
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
