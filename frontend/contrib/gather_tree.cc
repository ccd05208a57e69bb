#include <limits>

#include "frontend/array.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/contrib/beam_search_decoder.h"
#include "frontend/control_flow/map_fn.h"
#include "frontend/control_flow/selection.h"
#include "frontend/math.h"
#include "frontend/math/reductions.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace seq2seq {
namespace {

bool CheckTree(const Scope& scope, const char* who, const Output& ids, const Output& parents) {
  if (!scope.ok()) return false;
  const PartialShape shape = parents.shape();
  if (shape.rank() == 3 && shape.dim(2) >= 0 && parents.dtype() == DType::kInt32 &&
      (ids.rank() < 0 || ids.rank() >= 3)) {
    return true;
  }
  scope.Fail(InvalidArgument(who,
                             " takes int32 parents [steps, batch, beams] of a known number of ",
                             "beams and what they choose from, got ", DTypeName(parents.dtype()),
                             shape.ToString(), " and ", ids.shape().ToString()));
  return false;
}

// The place of each beam in a step, of those in the step that is nearer to the end.
Output InPlaces(const Scope& scope, const Output& row, const Output& places) {
  return BuildOutput(scope, "GatherV2", {row, places, 1}, OpAttrs().Set("batch_dims", 1));
}

// [steps, batch, beams]: the places where the sequences of the last step were in each step that
// counts for their batch (of `lengths` [batch] many); elsewhere where they are.
Output PlacesOfSequences(const Scope& scope, const Output& parents, const Output& lengths) {
  const Output shape = BuildOutput(scope, "Shape", {parents});
  const Output steps = ElementAt(scope, shape, 0);
  const Output row = StridedSlice(scope, shape, {1}, {3}, {1});
  const Output beams = Range(scope, 0, static_cast<int>(parents.shape().dim(2)), 1);
  const Output places = BuildOutput(scope, "BroadcastTo", {beams, row});
  const Output times = Range(scope, 0, steps, 1);
  const auto step = [&](const Scope& s, const std::vector<Output>& later,
                        const std::vector<Output>& at) -> std::vector<Output> {
    const Output counts = ExpandDims(s, Less(s, at[1], lengths), -1);
    const Output next =
        BuildOutput(s, "SelectV2", {counts, InPlaces(s, at[0], later[0]), later[0]});
    return {next, later[0]};
  };
  ScanOptions options;
  options.initializer = {places, places};
  options.reverse = true;
  return Scan(scope, step, InputList({parents, times}), options)[1];
}

}  // namespace

Output GatherTree(ScopeRef scope_ref, const Output& step_ids, const Output& parent_ids,
                  const Input& max_sequence_lengths, int32_t end_token) {
  const Scope outside = scope_ref.scope();
  if (!CheckTree(outside, "GatherTree", step_ids, parent_ids)) return Output();
  const Scope scope = outside.OpenScope("gather_tree");
  const Output lengths = Cast(scope, AsOutput(scope, max_sequence_lengths), DType::kInt32);
  const Output places = PlacesOfSequences(scope, parent_ids, lengths);
  const Output ids =
      BuildOutput(scope, "GatherV2", {step_ids, places, 2}, OpAttrs().Set("batch_dims", 2));
  // What is beyond the length, or behind an end token.
  const Output steps = ElementAt(scope, BuildOutput(scope, "Shape", {parent_ids}), 0);
  const Output there = Less(scope, ExpandDims(scope, Range(scope, 0, steps, 1), -1), lengths);
  const Output ends = Cast(scope, Equal(scope, ids, end_token), DType::kInt32);
  const Output ends_before = Cumsum(scope, ends, 0, CumulativeOptions().exclusive(true));
  const Output kept = BuildOutput(scope, "LogicalAnd",
                                  {ExpandDims(scope, there, -1), Equal(scope, ends_before, 0)});
  return outside(BuildOutput(scope, "SelectV2", {kept, ids, end_token}));
}

Output GatherTreeFromArray(ScopeRef scope_ref, const Output& x, const Output& parent_ids,
                           const Output& sequence_length) {
  const Scope outside = scope_ref.scope();
  if (!CheckTree(outside, "GatherTreeFromArray", x, parent_ids)) return Output();
  const Scope scope = outside.OpenScope("gather_tree_from_array");
  const Output lengths = Cast(scope, sequence_length, DType::kInt32);
  const Output most = ReduceMax(scope, lengths, 1);
  const Output places = PlacesOfSequences(scope, parent_ids, most);
  const Output shape = BuildOutput(scope, "Shape", {parent_ids});
  const Output times = Range(scope, 0, ElementAt(scope, shape, 0), 1);
  const Output there = Less(scope, Reshape(scope, times, {-1, 1, 1}), lengths);
  const Output beams = Range(scope, 0, static_cast<int>(parent_ids.shape().dim(2)), 1);
  const Output own = BuildOutput(scope, "SelectV2", {there, places, beams});
  return outside(BuildOutput(scope, "GatherV2", {x, own, 2}, OpAttrs().Set("batch_dims", 2)));
}

Output TileBatch(ScopeRef scope_ref, const Output& x, int64_t multiplier) {
  const Scope outside = scope_ref.scope();
  if (!outside.ok()) return Output();
  const PartialShape known = x.shape();
  if (known.rank() < 1 || multiplier < 1 || multiplier > std::numeric_limits<int32_t>::max()) {
    outside.Fail(InvalidArgument("TileBatch repeats the rows of a tensor of a known rank once or ",
                                 "more often, got '", x.name(), "' of ", known.ToString(), " and ",
                                 multiplier));
    return Output();
  }
  const Scope scope = outside.OpenScope("tile_batch");
  std::vector<int64_t> times(static_cast<size_t>(known.rank()) + 1, 1);
  times[1] = multiplier;
  const Output many = Tile(scope, ExpandDims(scope, x, 1), times);
  const Output shape = BuildOutput(scope, "Shape", {x});
  const Output rows = ExpandDims(
      scope, Multiply(scope, ElementAt(scope, shape, 0), static_cast<int32_t>(multiplier)), 0);
  const Output rest = StridedSlice(scope, shape, {1}, {0}, {1}, StridedSliceOptions().end_mask(1));
  const Output tiled = Reshape(scope, many, Concat(scope, {rows, rest}, 0));
  if (!scope.ok()) return Output();
  std::vector<int64_t> dims(known.dims().begin(), known.dims().end());
  if (dims[0] >= 0) dims[0] *= multiplier;
  tiled.set_shape(PartialShape(dims));
  return outside(tiled);
}

nn::RNNState TileBatch(ScopeRef scope_ref, const nn::RNNState& state, int64_t multiplier) {
  const Scope scope = scope_ref.scope();
  nn::RNNState tiled;
  for (const Output& tensor : state) tiled.push_back(TileBatch(scope, tensor, multiplier));
  return tiled;
}

}  // namespace seq2seq
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
