#include "frontend/nn/ctc.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control_flow/map_fn.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

bool IsSparse(const Scope& scope, const char* function, const SparseOutput& labels) {
  if (!scope.ok()) return false;
  if (labels.indices.valid() && labels.values.valid()) return true;
  scope.Fail(InvalidArgument(function, " needs indices and values of its labels"));
  return false;
}

Output Slice(const Scope& scope, const Output& x, std::vector<int32_t> begin,
             std::vector<int32_t> size) {
  return BuildOutput(scope, "Slice", {x, begin, size});
}

// The classes with the blank moved behind the others.
Output BlankLast(const Scope& scope, const Output& logits, int32_t blank, int32_t classes) {
  const Output before = Slice(scope, logits, {0, 0, 0}, {-1, -1, blank});
  const Output after = Slice(scope, logits, {0, 0, blank + 1}, {-1, -1, classes - blank - 1});
  const Output itself = Slice(scope, logits, {0, 0, blank}, {-1, -1, 1});
  return Concat(scope, {before, after, itself}, 2);
}

CtcDecoded BeamSearch(const Scope& scope, const Input& inputs, const Input& sequence_length,
                      int64_t beam_width, int64_t top_paths, bool merge_repeated) {
  if (scope.ok() && top_paths < 1) {
    scope.Fail(
        InvalidArgument("CtcBeamSearchDecoder: top_paths must be at least 1, got ", top_paths));
  }
  if (!scope.ok()) return {};
  const int paths = static_cast<int>(top_paths);
  const std::vector<Output> results =
      BuildOutputs(scope, "CTCBeamSearchDecoder", {inputs, sequence_length},
                   OpAttrs()
                       .Set("beam_width", beam_width)
                       .Set("top_paths", top_paths)
                       .Set("merge_repeated", merge_repeated),
                   3 * paths + 1);
  CtcDecoded decoded;
  for (int i = 0; i < paths; ++i) {
    decoded.decoded.push_back({results[i], results[paths + i], results[2 * paths + i]});
  }
  decoded.log_probabilities = results[3 * paths];
  return decoded;
}

// Whether a place is among the first `lengths` of its row: [rows, extent].
Output SequenceMask(const Scope& scope, const Output& lengths, const Output& extent) {
  const Output places = BuildOutput(scope, "Range", {0, extent, 1});
  return Less(scope, places, ExpandDims(scope, Cast(scope, lengths, DType::kInt32), -1));
}

Output Extent(const Scope& scope, const Output& x, int axis) {
  return ElementAt(scope, ShapeOf(scope, x), axis);
}

// The values of `x` where `mask` holds, one behind the other.
Output BooleanMask(const Scope& scope, const Output& x, const Output& mask) {
  const Output places = BuildOutput(scope, "Where", {Reshape(scope, mask, {-1})});
  return BuildOutput(scope, "GatherNd", {Reshape(scope, x, {-1}), places});
}

}  // namespace

Output CtcLoss(ScopeRef scope_ref, const SparseOutput& labels, const Input& inputs,
               const Input& sequence_length, const CtcLossOptions& options) {
  const Scope scope = scope_ref.scope();
  const Output given = AsOutput(scope.Named("logits"), inputs);
  if (!IsSparse(scope, "CtcLoss", labels)) return Output();
  const DType dtype = given.dtype();
  const Scope unnamed = scope.Named("");
  Output logits = options.is_time_major ? given : Transpose(unnamed, given, {1, 0, 2});
  if (IsHalfPrecision(dtype)) logits = Cast(unnamed, logits, DType::kFloat);
  const std::vector<Output> results =
      BuildOutputs(scope, "CTCLoss", {logits, labels.indices, labels.values, sequence_length},
                   OpAttrs()
                       .Set("preprocess_collapse_repeated", options.collapses_labels)
                       .Set("ctc_merge_repeated", options.merges_repeated)
                       .Set("ignore_longer_outputs_than_inputs", options.ignores_longer),
                   2);
  return IsHalfPrecision(dtype) ? Cast(unnamed, results[0], dtype) : results[0];
}

Output CtcLossV2(ScopeRef scope_ref, const SparseOutput& labels, const Input& logits,
                 const Input& logit_length, int64_t blank_index, bool logits_time_major) {
  const Scope scope = scope_ref.scope();
  Output x = AsOutput(scope.Named("logits"), logits);
  if (!IsSparse(scope, "CtcLossV2", labels)) return Output();
  const PartialShape shape = x.shape();
  const int64_t classes = shape.rank() == 3 ? shape.dim(2) : -1;
  const int64_t blank = blank_index < 0 ? blank_index + classes : blank_index;
  if (classes < 1 || blank < 0 || blank >= classes) {
    scope.Fail(InvalidArgument("CtcLossV2: the logits '", x.name(),
                               "' must have three dimensions, ",
                               "the last one known, and the blank must be one of the classes; the ",
                               "shape is ", shape.ToString(), ", the blank ", blank_index));
    return Output();
  }
  SparseOutput moved = labels;
  if (blank != classes - 1) {
    x = BlankLast(scope, x, static_cast<int32_t>(blank), static_cast<int32_t>(classes));
    const Output values = Cast(scope, labels.values, DType::kInt32);
    const Output lower = Less(scope, values, static_cast<int>(blank));
    moved.values = BuildOutput(scope, "SelectV2", {lower, values, Subtract(scope, values, 1)});
  }
  return CtcLoss(scope, moved, x, logit_length, CtcLossOptions().time_major(logits_time_major));
}

Output CtcLossV2(ScopeRef scope_ref, const Input& labels, const Input& logits,
                 const Input& label_length, const Input& logit_length, int64_t blank_index,
                 bool logits_time_major) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("ctc_loss_dense");
  const Output dense = AsOutput(inside.Named("labels"), labels);
  const Output lengths = AsOutput(inside.Named("label_length"), label_length, DType::kInt32);
  if (!scope.ok()) return Output();
  const Output mask = SequenceMask(inside, lengths, Extent(inside, dense, 1));
  SparseOutput sparse;
  sparse.indices = BuildOutput(inside, "Where", {mask});
  sparse.values =
      Cast(inside, BuildOutput(inside, "GatherNd", {dense, sparse.indices}), DType::kInt32);
  sparse.dense_shape =
      BuildOutput(inside, "Shape", {dense}, OpAttrs().Set("out_type", DType::kInt64));
  const Output frames = AsOutput(inside.Named("logit_length"), logit_length, DType::kInt32);
  if (!scope.ok()) return Output();
  return scope(CtcLossV2(inside, sparse, logits, Cast(inside, frames, DType::kInt32), blank_index,
                         logits_time_major));
}

CtcDecoded CtcGreedyDecoder(ScopeRef scope, const Input& inputs, const Input& sequence_length,
                            bool merge_repeated, std::optional<int64_t> blank_index) {
  OpAttrs attrs;
  attrs.Set("merge_repeated", merge_repeated).Set("blank_index", blank_index.value_or(-1));
  const std::vector<Output> results =
      BuildOutputs(scope.scope(), "CTCGreedyDecoder", {inputs, sequence_length}, attrs, 4);
  return {{{results[0], results[1], results[2]}}, results[3]};
}

CtcDecoded CtcBeamSearchDecoder(ScopeRef scope, const Input& inputs, const Input& sequence_length,
                                int64_t beam_width, int64_t top_paths, bool merge_repeated) {
  return BeamSearch(scope.scope(), inputs, sequence_length, beam_width, top_paths, merge_repeated);
}

CtcDecoded CtcBeamSearchDecoderV2(ScopeRef scope, const Input& inputs, const Input& sequence_length,
                                  int64_t beam_width, int64_t top_paths) {
  return BeamSearch(scope.scope(), inputs, sequence_length, beam_width, top_paths, false);
}

CollapsedLabels CollapseRepeated(ScopeRef scope_ref, const Input& labels, const Input& seq_length) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("collapse_repeated_labels");
  const Output x = AsOutput(inside.Named("labels"), labels);
  const Output lengths = AsOutput(inside.Named("seq_length"), seq_length);
  if (!scope.ok()) return {};
  if (x.shape().rank() != 2) {
    scope.Fail(InvalidArgument("CollapseRepeated: the labels '", x.name(),
                               "' must be [batch, place], their shape is ", x.shape().ToString()));
    return {};
  }
  const Output rows = Extent(inside, x, 0), places = Extent(inside, x, 1);
  // The first of a row, and each that is another than the one before it.
  const Output others = Slice(inside, x, {0, 1}, {-1, -1});
  const Output before = BuildOutput(
      inside, "Slice",
      {x, std::vector<int32_t>{0, 0}, Stack(inside, {rows, Subtract(inside, places, 1)})});
  const Output first =
      BuildOutput(inside, "Fill", {Stack(inside, {rows, Constant(inside, 1)}), true});
  const Output changes = Concat(inside, {first, NotEqual(inside, others, before)}, 1);
  const Output kept =
      BuildOutput(inside, "LogicalAnd", {changes, SequenceMask(inside, lengths, places)});
  const Output counts = ReduceSum(inside, Cast(inside, kept, DType::kInt32), 1);
  const Output most = ReduceMax(inside, counts);
  const Output targets =
      BuildOutput(inside, "Where", {Reshape(inside, SequenceMask(inside, counts, most), {-1})});
  const Output values = BooleanMask(inside, x, kept);
  const Output size = Reshape(inside, Multiply(inside, rows, most), {1});
  const Output flat =
      BuildOutput(inside, "ScatterNd", {targets, values, Cast(inside, size, DType::kInt64)});
  return {scope(Reshape(inside, flat, Stack(inside, {rows, most}))),
          scope(Cast(inside, counts, lengths.dtype()))};
}

UniqueLabels CtcUniqueLabels(ScopeRef scope_ref, const Input& labels) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("ctc_unique_labels");
  const Output x = AsOutput(inside.Named("labels"), labels);
  if (!scope.ok()) return {};
  MapFnOptions options;
  options.dtypes = {DType::kInt64, DType::kInt32};
  const std::vector<Output> results = MapFn(
      inside,
      [](const Scope& s, const std::vector<Output>& row) -> std::vector<Output> {
        const std::vector<Output> unique = BuildOutputs(s, "Unique", {row[0]}, OpAttrs(), 2);
        const auto size = [&](const Output& y) { return BuildOutput(s, "Size", {y}); };
        const Output missing = Subtract(s, size(unique[1]), size(unique[0]));
        const Output paddings = Reshape(s, Stack(s, {Constant(s, 0), missing}), {1, 2});
        return {Cast(s, BuildOutput(s, "Pad", {unique[0], paddings}), DType::kInt64), unique[1]};
      },
      {x}, options);
  if (results.size() != 2) return {};
  return {scope(results[0]), scope(results[1])};
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
