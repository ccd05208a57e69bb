#include "frontend/arrays/layout.h"

#include <algorithm>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

Output Named(const Scope& scope, const char* name, const char* op,
             const std::vector<ArgumentInput>& inputs, const OpAttrs& attrs = OpAttrs()) {
  return BuildOutput(scope.Named(scope.OpNameOr(name)), op, inputs, attrs);
}

// Rows of two numbers.
Output Pairs(const Scope& scope, const std::vector<int32_t>& values) {
  const int64_t rows = static_cast<int64_t>(values.size() / 2);
  return Constant(scope, values, DType::kInt32, Shape({rows, 2}));
}

// x with a dimension of one element at `axis`, which is repeated and becomes part of the one
// before.
Output RepeatEvenly(const Scope& inside, const Output& x, int32_t repeats, int axis) {
  const int rank = Input(x).rank();
  std::vector<int32_t> multiples(static_cast<size_t>(rank) + 1, 1);
  multiples[static_cast<size_t>(axis) + 1] = repeats;
  const Output tiled = Tile(inside, ExpandDims(inside, x, axis + 1), multiples);
  const Output shape = BuildOutput(inside, "Shape", {x});
  std::vector<int32_t> factors(static_cast<size_t>(rank), 1);
  factors[static_cast<size_t>(axis)] = repeats;
  return Reshape(inside, tiled, Multiply(inside, shape, factors));
}

}  // namespace

Output PlaceholderWithDefault(ScopeRef scope, const Input& x, const PartialShape& shape) {
  return BuildOutput(scope.scope(), "PlaceholderWithDefault", {x}, OpAttrs().Set("shape", shape));
}

OutputList IdentityN(ScopeRef scope, const InputList& x) {
  return BuildOutputs(scope.scope(), "IdentityN", {x}, OpAttrs(), static_cast<int>(x.size()));
}

Output StopGradient(ScopeRef scope, const Input& x) {
  return BuildOutput(scope.scope(), "StopGradient", {x});
}

Output GuaranteeConst(ScopeRef scope, const Input& x) {
  return BuildOutput(scope.scope(), "GuaranteeConst", {x});
}

Output Bitcast(ScopeRef scope, const Input& x, DType dtype) {
  return BuildOutput(scope.scope(), "Bitcast", {x}, OpAttrs().Set("type", dtype));
}

Output Fill(ScopeRef scope, const Input& dims, const Input& value) {
  return BuildOutput(scope.scope(), "Fill", {dims, value});
}

Output BroadcastTo(ScopeRef scope, const Input& x, const Input& shape) {
  return BuildOutput(scope.scope(), "BroadcastTo", {x, shape});
}

Output BroadcastDynamicShape(ScopeRef scope, const Input& shape_x, const Input& shape_y) {
  return BuildOutput(scope.scope(), "BroadcastArgs", {shape_x, shape_y});
}

StatusOr<PartialShape> BroadcastStaticShape(const PartialShape& x, const PartialShape& y) {
  if (x.rank() < 0 || y.rank() < 0) return PartialShape();
  std::vector<int64_t> dims;
  for (int i = 1; i <= std::max(x.rank(), y.rank()); ++i) {
    const int64_t a = i <= x.rank() ? x.dim(x.rank() - i) : 1;
    const int64_t b = i <= y.rank() ? y.dim(y.rank() - i) : 1;
    if (a > 1 && b > 1 && a != b) {
      return InvalidArgument("the shapes ", x.ToString(), " and ", y.ToString(),
                             " do not broadcast");
    }
    // A dimension that is not known may be 1: the other one decides if it is more than that.
    dims.push_back(a == 1 ? b : b == 1 || a > 1 ? a : b);
  }
  std::reverse(dims.begin(), dims.end());
  return PartialShape::Make(dims);
}

Output EnsureShape(ScopeRef scope, const Input& x, const PartialShape& shape) {
  return BuildOutput(scope.scope(), "EnsureShape", {x}, OpAttrs().Set("shape", shape));
}

Output Size(ScopeRef scope_ref, const Output& x, DType dtype) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  const StatusOr<Shape> shape = x.shape().AsShape();
  if (shape.ok()) {
    return Constant(scope.Named(scope.OpNameOr("Size")), shape->num_elements(), dtype);
  }
  return BuildOutput(scope, "Size", {x}, OpAttrs().Set("out_type", dtype));
}

OutputList ShapeN(ScopeRef scope, const InputList& x, DType dtype) {
  return BuildOutputs(scope.scope(), "ShapeN", {x}, OpAttrs().Set("out_type", dtype),
                      static_cast<int>(x.size()));
}

Output Squeeze(ScopeRef scope, const Input& x, const std::vector<int64_t>& axes) {
  return BuildOutput(scope.scope(), "Squeeze", {x}, OpAttrs().Set("squeeze_dims", axes));
}

Output Tile(ScopeRef scope, const Input& x, const Input& multiples) {
  return BuildOutput(scope.scope(), "Tile", {x, multiples});
}

Output Repeat(ScopeRef scope_ref, const Output& x, const Input& repeats, std::optional<int> axis) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("Repeat");
  if (!scope.ok()) return Output();
  const Output data = axis.has_value() ? x : Reshape(inside, x, {-1});
  const int rank = Input(data).rank();
  int along = axis.value_or(0);
  if (rank < 0 || along < -rank || along >= rank) {
    scope.Fail(InvalidArgument("Repeat along dimension ", along, " of a tensor of rank ", rank));
    return Output();
  }
  if (along < 0) along += rank;
  if (repeats.is_value() && repeats.rank() == 0) {
    const StatusOr<Tensor> number = repeats.ValueAs(DType::kInt32);
    if (!number.ok() || *number->data<int32_t>() < 0) {
      scope.Fail(InvalidArgument("Repeat needs a whole number that is not negative"));
      return Output();
    }
    return scope(RepeatEvenly(inside, data, *number->data<int32_t>(), along));
  }
  // Numbers along the dimension: as many copies as the greatest one, of which a mask takes some.
  const Output counts = Cast(inside, repeats, DType::kInt32);
  const Output extent =
      Reshape(inside, ElementAt(inside, BuildOutput(inside, "Shape", {data}), along), {1});
  const Output each = BroadcastTo(inside, counts, extent);
  const Output ends = BuildOutput(inside, "Cumsum", {each, 0});
  const Output total = ReduceSum(inside, each, {0});
  const Output places = Range(inside, total);
  // Place p belongs to the first element whose end is beyond it.
  const Output behind =
      LessEqual(inside, ExpandDims(inside, ends, 0), ExpandDims(inside, places, 1));
  const Output source = ReduceSum(inside, Cast(inside, behind, DType::kInt32), {1});
  return scope(BuildOutput(inside, "GatherV2", {data, source, along}));
}

Output Pad(ScopeRef scope_ref, const Input& x, const Input& paddings, PadMode mode,
           const std::optional<Input>& constant_value) {
  const Scope scope = scope_ref.scope();
  if (mode != PadMode::kConstant) {
    const char* const name = mode == PadMode::kReflect ? "REFLECT" : "SYMMETRIC";
    return BuildOutput(scope, "MirrorPad", {x, paddings}, OpAttrs().Set("mode", name));
  }
  if (!constant_value.has_value()) return BuildOutput(scope, "Pad", {x, paddings});
  return BuildOutput(scope, "PadV2", {x, paddings, *constant_value});
}

Output Reverse(ScopeRef scope, const Input& x, const Input& axis) {
  return BuildOutput(scope.scope(), "ReverseV2", {x, axis});
}

Output ReverseSequence(ScopeRef scope, const Input& x, const Input& seq_lengths, int seq_axis,
                       int batch_axis) {
  return BuildOutput(scope.scope(), "ReverseSequence", {x, seq_lengths},
                     OpAttrs().Set("seq_dim", seq_axis).Set("batch_dim", batch_axis));
}

Output Roll(ScopeRef scope, const Input& x, const Input& shift, const Input& axis) {
  return BuildOutput(scope.scope(), "Roll", {x, shift, axis});
}

Output Slice(ScopeRef scope, const Input& x, const Input& begin, const Input& size) {
  return BuildOutput(scope.scope(), "Slice", {x, begin, size});
}

Output StridedSlice(ScopeRef scope, const Input& x, const Input& begin, const Input& end,
                    const Input& strides, const StridedSliceOptions& options) {
  return BuildOutput(scope.scope(), "StridedSlice", {x, begin, end, strides},
                     OpAttrs()
                         .Set("begin_mask", options.begin)
                         .Set("end_mask", options.end)
                         .Set("ellipsis_mask", options.ellipsis)
                         .Set("new_axis_mask", options.new_axis)
                         .Set("shrink_axis_mask", options.shrink_axis));
}

OutputList Unstack(ScopeRef scope_ref, const Output& x, int count, int axis) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return {};
  if (count < 0) {
    const int rank = Input(x).rank();
    if (rank >= 0 && axis >= -rank && axis < rank) {
      count = static_cast<int>(x.shape().dim(axis < 0 ? axis + rank : axis));
    }
    if (count < 0) {
      scope.Fail(InvalidArgument("Unstack must be told how many tensors there are along dimension ",
                                 axis, ": the shape is ", x.shape().ToString()));
      return {};
    }
  }
  return BuildOutputs(scope.Named(scope.OpNameOr("unstack")), "Unpack", {x},
                      OpAttrs().Set("num", count).Set("axis", axis), count);
}

Output ParallelStack(ScopeRef scope_ref, const std::vector<Output>& values) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  if (values.empty()) {
    scope.Fail(InvalidArgument("ParallelStack of no tensors"));
    return Output();
  }
  const StatusOr<Shape> shape = values[0].shape().AsShape();
  if (!shape.ok()) {
    scope.Fail(InvalidArgument("ParallelStack needs a known shape; that of ", values[0].name(),
                               " is ", values[0].shape().ToString()));
    return Output();
  }
  const StatusOr<Shape> whole = shape->Insert(0, static_cast<int64_t>(values.size()));
  if (!whole.ok()) {
    scope.Fail(whole.status());
    return Output();
  }
  const Scope inside = scope.OpenScope("parallel_stack");
  std::vector<Output> rows;
  for (const Output& value : values) rows.push_back(ExpandDims(inside, value, 0));
  return scope(BuildOutput(inside.Named(inside.name_scope()), "ParallelConcat", {InputList(rows)},
                           OpAttrs().Set("shape", PartialShape(*whole))));
}

Output Range(ScopeRef scope_ref, const Input& limit) {
  return Range(scope_ref.scope(), 0, limit, 1);
}

Output Range(ScopeRef scope_ref, const Input& start, const Input& limit, const Input& delta) {
  return Named(scope_ref.scope(), "range", "Range", {start, limit, delta});
}

Output LinSpace(ScopeRef scope, const Input& start, const Input& stop, const Input& count) {
  return BuildOutput(scope.scope(), "LinSpace", {start, stop, count});
}

OutputList Meshgrid(ScopeRef scope_ref, const std::vector<Output>& lists, Indexing indexing) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("meshgrid");
  const size_t rank = lists.size();
  const auto place = [&](size_t i) {
    return indexing == Indexing::kXY && rank > 1 && i < 2 ? 1 - i : i;
  };
  std::vector<Output> sizes(rank);
  for (size_t i = 0; i < rank; ++i) sizes[place(i)] = Size(inside, lists[i]);
  if (!scope.ok()) return std::vector<Output>(rank);
  if (rank == 0) return {};
  const Output shape = Stack(inside, sizes);
  std::vector<Output> grids;
  for (size_t i = 0; i < rank; ++i) {
    std::vector<int32_t> dims(rank, 1);
    dims[place(i)] = -1;
    grids.push_back(scope(BroadcastTo(inside, Reshape(inside, lists[i], dims), shape)));
  }
  return grids;
}

Output OneHot(ScopeRef scope_ref, const Input& indices, const Input& depth,
              const OneHotOptions& options) {
  const Scope scope = scope_ref.scope();
  DType dtype = options.wanted;
  for (const std::optional<Input>* value : {&options.on, &options.off}) {
    if (dtype == DType::kInvalid && *value && !(*value)->adapts()) dtype = (*value)->dtype();
  }
  if (dtype == DType::kInvalid) dtype = DType::kFloat;
  const Scope inside = scope.OpenScope("one_hot");
  const Output on = options.on ? AsOutput(inside, *options.on, dtype)
                               : Constant(inside.Named("on_value"), 1, dtype);
  const Output off = options.off ? AsOutput(inside, *options.off, dtype)
                                 : Constant(inside.Named("off_value"), 0, dtype);
  return scope(BuildOutput(inside.Named(inside.name_scope()), "OneHot", {indices, depth, on, off},
                           OpAttrs().Set("axis", options.new_axis)));
}

Output SequenceMask(ScopeRef scope_ref, const Output& lengths, const std::optional<Input>& maxlen,
                    DType dtype) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("SequenceMask");
  if (!scope.ok()) return Output();
  const Output columns =
      maxlen.has_value()
          ? AsOutput(inside, *maxlen, maxlen->is_value() ? lengths.dtype() : DType::kInvalid)
          : Maximum(inside, ReduceMax(inside, lengths), 0);
  const Output zero = Constant(inside, 0, lengths.dtype());
  const Output one = Constant(inside, 1, lengths.dtype());
  const Output row =
      BuildOutput(inside, "Range", {zero, Cast(inside, columns, lengths.dtype()), one});
  const Output mask = Less(inside, row, ExpandDims(inside, lengths, -1));
  return scope(Cast(inside, mask, dtype));
}

Output SpaceToBatch(ScopeRef scope, const Input& x, const Input& paddings, int64_t block_size) {
  return SpaceToBatchND(scope.scope(), x, std::vector<int64_t>{block_size, block_size}, paddings);
}

Output SpaceToBatchND(ScopeRef scope, const Input& x, const Input& block_shape,
                      const Input& paddings) {
  return BuildOutput(scope.scope(), "SpaceToBatchND", {x, block_shape, paddings});
}

Output BatchToSpace(ScopeRef scope, const Input& x, const Input& crops, int64_t block_size) {
  return BatchToSpaceND(scope.scope(), x, std::vector<int64_t>{block_size, block_size}, crops);
}

Output BatchToSpaceND(ScopeRef scope, const Input& x, const Input& block_shape,
                      const Input& crops) {
  return BuildOutput(scope.scope(), "BatchToSpaceND", {x, block_shape, crops});
}

Output SpaceToDepth(ScopeRef scope, const Input& x, int64_t block_size,
                    const std::string& data_format) {
  return BuildOutput(scope.scope(), "SpaceToDepth", {x},
                     OpAttrs().Set("block_size", block_size).Set("data_format", data_format));
}

Output DepthToSpace(ScopeRef scope, const Input& x, int64_t block_size,
                    const std::string& data_format) {
  return BuildOutput(scope.scope(), "DepthToSpace", {x},
                     OpAttrs().Set("block_size", block_size).Set("data_format", data_format));
}

PaddingsAndCrops RequiredSpaceToBatchPaddings(
    ScopeRef scope_ref, const std::vector<int32_t>& input_shape,
    const std::vector<int32_t>& block_shape,
    const std::vector<std::vector<int32_t>>& base_paddings) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("required_space_to_batch_paddings");
  if (!scope.ok()) return {};
  bool fits = input_shape.size() == block_shape.size() &&
              (base_paddings.empty() || base_paddings.size() == block_shape.size());
  for (const auto& pair : base_paddings) fits = fits && pair.size() == 2;
  for (const int32_t block : block_shape) fits = fits && block > 0;
  if (!fits) {
    scope.Fail(
        InvalidArgument("blocks need an extent of at least 1, and two paddings or none, for "
                        "each of the ",
                        input_shape.size(), " dimensions"));
    return {};
  }
  std::vector<int32_t> paddings, crops;
  for (size_t i = 0; i < block_shape.size(); ++i) {
    const int32_t before = base_paddings.empty() ? 0 : base_paddings[i][0];
    const int32_t behind = base_paddings.empty() ? 0 : base_paddings[i][1];
    const int32_t block = block_shape[i];
    const int32_t more = (block - (input_shape[i] + before + behind) % block) % block;
    paddings.insert(paddings.end(), {before, behind + more});
    crops.insert(crops.end(), {0, more});
  }
  return {scope(Pairs(inside.Named("paddings"), paddings)),
          scope(Pairs(inside.Named("crops"), crops))};
}

Output ExtractVolumePatches(ScopeRef scope, const Input& x, const std::vector<int64_t>& sizes,
                            const std::vector<int64_t>& strides, const std::string& padding) {
  return BuildOutput(
      scope.scope(), "ExtractVolumePatches", {x},
      OpAttrs().Set("ksizes", sizes).Set("strides", strides).Set("padding", padding));
}

}  // namespace frontend
}  // namespace warpbeam
