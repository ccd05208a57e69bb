#include <vector>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/layers/embedding.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

// Ids and their weights, the places of both alike.
struct WeightedIds {
  Output indices, ids;
  Output weights;  // not valid for none
};

// Those where `keep` holds.
WeightedIds Kept(const Scope& inside, const WeightedIds& all, const Output& keep) {
  const Output places = Reshape(inside, BuildOutput(inside, "Where", {keep}), {-1});
  const auto gather = [&](const Output& x) {
    return x.valid() ? BuildOutput(inside, "GatherV2", {x, places, 0}) : x;
  };
  return {gather(all.indices), gather(all.ids), gather(all.weights)};
}

std::vector<Output> FillEmptyRows(const Scope& inside, const Output& indices, const Output& values,
                                  const Output& shape, const Input& value) {
  const Output filler = Cast(inside, AsOutput(inside, value), values.dtype());
  return BuildOutputs(inside, "SparseFillEmptyRows", {indices, values, shape, filler}, OpAttrs(),
                      4);
}

// The shape of the lists, then that of a row.
Output InShapeOfLists(const Scope& inside, const Output& rows, const Output& ids_shape,
                      const Output& last) {
  const Output lists = BuildOutput(inside, "Slice",
                                   {Cast(inside, ids_shape, DType::kInt32), std::vector<int32_t>{0},
                                    Reshape(inside, last, {1})});
  const Output row = BuildOutput(
      inside, "Slice",
      {BuildOutput(inside, "Shape", {rows}), std::vector<int32_t>{1}, std::vector<int32_t>{-1}});
  return Reshape(inside, rows, Concat(inside, {lists, row}, 0));
}

}  // namespace

Output SafeEmbeddingLookupSparse(ScopeRef scope_ref, const InputList& embedding_weights,
                                 const SparseOutput& sparse_ids,
                                 const SafeEmbeddingOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("embedding_lookup");
  if (!scope.ok()) return Output();
  if (!sparse_ids.indices.valid() || !sparse_ids.values.valid() ||
      !sparse_ids.dense_shape.valid()) {
    scope.Fail(InvalidArgument(
        "SafeEmbeddingLookupSparse needs indices, values and dense shape of ", "its ids"));
    return Output();
  }
  // All lists as the rows of one matrix.
  const Output& shape = sparse_ids.dense_shape;
  const Output last = Subtract(inside, BuildOutput(inside, "Size", {shape}), 1);
  const Output outer =
      BuildOutput(inside, "Slice", {shape, std::vector<int32_t>{0}, Reshape(inside, last, {1})});
  const Output rows = ReduceProd(inside, outer, std::vector<int32_t>{0});
  const Output longest = BuildOutput(inside, "GatherV2", {shape, last, 0});
  const std::vector<Output> matrix =
      BuildOutputs(inside, "SparseReshape",
                   {sparse_ids.indices, shape, Stack(inside, {rows, longest})}, OpAttrs(), 2);
  WeightedIds ids = {matrix[0], sparse_ids.values, Output()};
  if (options.weights.has_value()) {
    ids.weights = AsOutput(inside.Named("weights"), *options.weights, DType::kFloat);
  }
  ids = Kept(inside, ids, GreaterEqual(inside, ids.ids, 0));
  if (ids.weights.valid() && options.combiner_kind != Combiner::kSum) {
    ids = Kept(inside, ids, Greater(inside, ids.weights, 0));
  }
  const Input filler(options.id_of_empty.value_or(0));
  const std::vector<Output> filled = FillEmptyRows(inside, ids.indices, ids.ids, matrix[1], filler);
  std::optional<Input> weights;
  if (ids.weights.valid()) {
    weights = FillEmptyRows(inside, ids.indices, ids.weights, matrix[1], 1.0f)[1];
  }
  if (!scope.ok()) return Output();
  Output result = EmbeddingLookupSparse(inside, embedding_weights, {filled[0], filled[1]}, weights,
                                        options.combiner_kind, options.strategy);
  if (!scope.ok()) return Output();
  const PartialShape known = result.shape();
  if (!options.id_of_empty.has_value()) {
    const Output empty = Reshape(inside, filled[2], {-1, 1});
    result = BuildOutput(inside, "SelectV2", {empty, ZerosLike(inside, result), result});
  }
  result = InShapeOfLists(inside, result, shape, last);
  if (scope.ok() && known.has_rank() && shape.shape().rank() == 1 && shape.shape().dim(0) == 2) {
    result.set_shape(known);
  }
  return scope(result);
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
