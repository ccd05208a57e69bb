#include "frontend/sparse/sparse_tensor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/arrays/gather.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/check/assertions.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

// Three outputs of an op from the first one on.
SparseTensor PartsOf(const std::vector<Output>& out, size_t first = 0) {
  return {out[first], out[first + 1], out[first + 2]};
}

SparseTensor BuildSparse(const Scope& scope, const char* op,
                         const std::vector<ArgumentInput>& inputs,
                         const OpAttrs& attrs = OpAttrs()) {
  return PartsOf(BuildOutputs(scope, op, inputs, attrs, 3));
}

// The axes of a reduction; all of them where none are said.
Output AxesOf(const Scope& scope, const SparseTensor& x, const std::optional<Input>& axis) {
  const Scope unnamed = scope.Named("");
  if (axis.has_value())
    return AsOutput(unnamed, *axis, axis->adapts() ? DType::kInt32 : DType::kInvalid);
  const int rank = x.rank();
  if (rank < 0) return Range(unnamed, BuildOutput(unnamed, "Size", {x.dense_shape}));
  std::vector<int32_t> all;
  for (int i = 0; i < rank; ++i) all.push_back(i);
  return Constant(unnamed, all);
}

Output Int64(const Scope& scope, const char* name, const Input& value) {
  if (value.is_value()) return Constant(scope.Named(name), value, DType::kInt64);
  return Cast(scope, value, DType::kInt64);
}

struct Columns {
  std::vector<Output> indices, values, shapes;
};

Columns ColumnsOf(const std::vector<SparseTensor>& tensors) {
  Columns columns;
  for (const SparseTensor& tensor : tensors) {
    columns.indices.push_back(tensor.indices);
    columns.values.push_back(tensor.values);
    columns.shapes.push_back(tensor.dense_shape);
  }
  return columns;
}

bool FailEmpty(const Scope& scope, const char* function, const std::vector<SparseTensor>& tensors) {
  if (!scope.ok()) return true;
  if (!tensors.empty()) return false;
  scope.Fail(InvalidArgument(function, " of no tensors"));
  return true;
}

}  // namespace

SparseTensor SparseTensor::Of(ScopeRef scope_ref, const Input& indices, const Input& values,
                              const Input& dense_shape) {
  const Scope inside = scope_ref.scope().OpenScope("SparseTensor");
  const Output places = Int64(inside, "indices", indices);
  const Output numbers = AsOutput(inside.Named("values"), values);
  return {places, numbers, Int64(inside, "dense_shape", dense_shape)};
}

SparseTensor SparseTensor::FromValue(ScopeRef scope, const SparseTensorValue& value) {
  return Of(scope.scope(), value.indices, value.values, value.dense_shape);
}

int SparseTensor::rank() const {
  if (!valid()) return -1;
  const PartialShape extents = dense_shape.shape(), places = indices.shape();
  if (extents.rank() == 1 && extents.dim(0) >= 0) return static_cast<int>(extents.dim(0));
  if (places.rank() == 2 && places.dim(1) >= 0) return static_cast<int>(places.dim(1));
  return -1;
}

SparseTensor SparsePlaceholder(ScopeRef scope_ref, DType dtype, const PartialShape& shape) {
  const Scope scope = scope_ref.scope();
  const std::string name = scope.OpNameOr("Placeholder");
  const int64_t rank = shape.rank();
  const StatusOr<Shape> known = shape.AsShape();
  const Output extents =
      known.ok() && rank >= 0
          ? Constant(scope.Named(name + "/shape"),
                     std::vector<int64_t>(known->dims().begin(), known->dims().end()))
          : Placeholder(scope.Named(name + "/shape"), DType::kInt64, PartialShape({rank}));
  const Output values = Placeholder(scope.Named(name + "/values"), dtype, PartialShape({-1}));
  const Output indices =
      Placeholder(scope.Named(name + "/indices"), DType::kInt64, PartialShape({-1, rank}));
  return {indices, values, extents};
}

SparseTensor SparseAdd(ScopeRef scope_ref, const SparseTensor& a, const SparseTensor& b,
                       const Input& threshold) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return {};
  const DType real = a.dtype() == DType::kComplex64    ? DType::kFloat
                     : a.dtype() == DType::kComplex128 ? DType::kDouble
                                                       : a.dtype();
  const Output least = AsOutput(scope.Named("SparseAdd/thresh"), threshold,
                                threshold.is_value() ? real : DType::kInvalid);
  return BuildSparse(
      scope, "SparseAdd",
      {a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, least});
}

Output SparseAdd(ScopeRef scope, const SparseTensor& a, const Input& b) {
  return BuildOutput(scope.scope(), "SparseTensorDenseAdd",
                     {a.indices, a.values, a.dense_shape, b});
}

#define WB_GREATER_OR_LESS(Name, op)                                                             \
  SparseTensor Name(ScopeRef scope, const SparseTensor& a, const SparseTensor& b) {              \
    const auto out = BuildOutputs(                                                               \
        scope.scope(), op,                                                                       \
        {a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape}, OpAttrs(), 2); \
    return {out[0], out[1], a.dense_shape};                                                      \
  }
WB_GREATER_OR_LESS(SparseMaximum, "SparseSparseMaximum")
WB_GREATER_OR_LESS(SparseMinimum, "SparseSparseMinimum")
#undef WB_GREATER_OR_LESS

SparseTensor SparseConcat(ScopeRef scope_ref, int axis, const std::vector<SparseTensor>& tensors) {
  const Scope scope = scope_ref.scope();
  if (FailEmpty(scope, "SparseConcat", tensors)) return {};
  if (tensors.size() == 1) return tensors[0];
  const Columns columns = ColumnsOf(tensors);
  return BuildSparse(
      scope, "SparseConcat",
      {InputList(columns.indices), InputList(columns.values), InputList(columns.shapes)},
      OpAttrs().Set("concat_dim", axis));
}

HandleList<SparseTensor> SparseSplit(ScopeRef scope_ref, const SparseTensor& x, int64_t count,
                                     const Input& axis) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return {};
  if (count < 1) {
    scope.Fail(InvalidArgument("SparseSplit into ", count, " tensors"));
    return {};
  }
  const auto out = BuildOutputs(scope, "SparseSplit", {axis, x.indices, x.values, x.dense_shape},
                                OpAttrs().Set("num_split", count));
  if (!scope.ok()) return {};
  std::vector<SparseTensor> parts;
  const size_t n = static_cast<size_t>(count);
  for (size_t i = 0; i < n; ++i) parts.push_back({out[i], out[n + i], out[2 * n + i]});
  return parts;
}

FilledRows SparseFillEmptyRows(ScopeRef scope_ref, const SparseTensor& x,
                               const Input& default_value) {
  const Scope scope = scope_ref.scope();
  const auto out = BuildOutputs(scope, "SparseFillEmptyRows",
                                {x.indices, x.values, x.dense_shape, default_value}, OpAttrs(), 4);
  return {{out[0], out[1], x.dense_shape}, out[2]};
}

#define WB_REDUCTION(Name, op)                                                                  \
  Output Name(ScopeRef scope_ref, const SparseTensor& x, const std::optional<Input>& axis,      \
              bool keep_dims) {                                                                 \
    const Scope scope = scope_ref.scope();                                                      \
    return BuildOutput(scope, op, {x.indices, x.values, x.dense_shape, AxesOf(scope, x, axis)}, \
                       OpAttrs().Set("keep_dims", keep_dims));                                  \
  }                                                                                             \
  SparseTensor Name##Sparse(ScopeRef scope_ref, const SparseTensor& x,                          \
                            const std::optional<Input>& axis, bool keep_dims) {                 \
    const Scope scope = scope_ref.scope();                                                      \
    return BuildSparse(scope, op "Sparse",                                                      \
                       {x.indices, x.values, x.dense_shape, AxesOf(scope, x, axis)},            \
                       OpAttrs().Set("keep_dims", keep_dims));                                  \
  }
WB_REDUCTION(SparseReduceSum, "SparseReduceSum")
WB_REDUCTION(SparseReduceMax, "SparseReduceMax")
#undef WB_REDUCTION

SparseTensor SparseReorder(ScopeRef scope, const SparseTensor& x) {
  const auto out = BuildOutputs(scope.scope(), "SparseReorder",
                                {x.indices, x.values, x.dense_shape}, OpAttrs(), 2);
  return {out[0], out[1], x.dense_shape};
}

SparseTensor SparseReshape(ScopeRef scope_ref, const SparseTensor& x, const Input& shape) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("SparseReshape");
  const Output extents = Int64(inside, "shape", shape);
  const auto out = BuildOutputs(inside.Named(inside.name_scope()), "SparseReshape",
                                {x.indices, x.dense_shape, extents}, OpAttrs(), 2);
  return {scope(out[0]), scope(Identity(inside, x.values)), scope(out[1])};
}

SparseTensor SparseResetShape(ScopeRef scope_ref, const SparseTensor& x,
                              const std::optional<Input>& shape) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("SparseResetShape");
  const Output indices = Identity(inside, x.indices);
  const Output values = Identity(inside, x.values);
  // One beyond the greatest place in each dimension.
  const Output tight = Add(inside, ReduceMax(inside, indices, {0}), Input(int64_t{1}));
  if (!shape.has_value()) return {scope(indices), scope(values), scope(Maximum(inside, tight, 0))};
  const Output wanted = Int64(inside, "new_shape", *shape);
  const Operation fits = AssertLessEqual(inside, x.dense_shape, wanted,
                                         "the new shape must not be less than the old one");
  if (!scope.ok()) return {};
  return {scope(indices), scope(values),
          scope(Identity(inside.ControlDependencies({fits}), wanted))};
}

SparseTensor SparseRetain(ScopeRef scope_ref, const SparseTensor& x, const Input& keep) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("SparseRetain");
  const Output places = Reshape(inside, Where(inside, keep), {-1});
  return {scope(Gather(inside, x.indices, places)), scope(Gather(inside, x.values, places)),
          scope(Identity(inside, x.dense_shape))};
}

SparseTensor SparseSlice(ScopeRef scope_ref, const SparseTensor& x, const Input& start,
                         const Input& size) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("SparseSlice");
  const SparseTensor part =
      BuildSparse(inside, "SparseSlice",
                  {x.indices, x.values, x.dense_shape, Int64(inside, "start", start),
                   Int64(inside, "size", size)});
  return {scope(part.indices), scope(part.values), scope(part.dense_shape)};
}

SparseTensor SparseTranspose(ScopeRef scope_ref, const SparseTensor& x,
                             const std::vector<int>& order) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("SparseTranspose");
  if (!scope.ok()) return {};
  std::vector<int32_t> places(order.begin(), order.end());
  const int rank = x.rank();
  if (places.empty()) {
    for (int i = rank - 1; i >= 0; --i) places.push_back(i);
  }
  std::vector<int32_t> sorted = places;
  std::sort(sorted.begin(), sorted.end());
  bool good = rank >= 0 && sorted.size() == static_cast<size_t>(rank);
  for (int i = 0; good && i < rank; ++i) good = sorted[static_cast<size_t>(i)] == i;
  if (!good) {
    scope.Fail(
        InvalidArgument("SparseTranspose needs each dimension once, of a tensor whose rank is "
                        "known; it has ",
                        rank, " dimensions, and ", order.size(), " are named"));
    return {};
  }
  const Output dims = Constant(inside.Named("perm"), places);
  const SparseTensor turned = {Gather(inside, x.indices, dims, 1), x.values,
                               Gather(inside, x.dense_shape, dims)};
  const SparseTensor result = SparseReorder(inside, turned);
  return {scope(result.indices), scope(result.values), scope(result.dense_shape)};
}

SparseTensor SparseSoftmax(ScopeRef scope_ref, const SparseTensor& x) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("SparseSoftmax");
  return x.WithValues(
      scope(BuildOutput(inside, "SparseSoftmax", {x.indices, x.values, x.dense_shape})));
}

Output SparseTensorDenseMatMul(ScopeRef scope_ref, const SparseTensor& a, const Input& b,
                               bool adjoint_a, bool adjoint_b) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("SparseTensorDenseMatMul");
  return scope(BuildOutput(inside, "SparseTensorDenseMatMul",
                           {a.indices, a.values, a.dense_shape, b},
                           OpAttrs().Set("adjoint_a", adjoint_a).Set("adjoint_b", adjoint_b)));
}

Output SparseToDense(ScopeRef scope, const Input& indices, const Input& shape, const Input& values,
                     const Input& default_value, bool validate_indices) {
  return BuildOutput(scope.scope(), "SparseToDense", {indices, shape, values, default_value},
                     OpAttrs().Set("validate_indices", validate_indices));
}

Output SparseTensorToDense(ScopeRef scope_ref, const SparseTensor& x,
                           const std::optional<Input>& default_value, bool validate_indices) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  const Input empty = x.dtype() == DType::kString ? Input("")
                      : x.dtype() == DType::kBool ? Input(false)
                                                  : Input(0);
  return SparseToDense(scope.Named(scope.OpNameOr("SparseToDense")), x.indices, x.dense_shape,
                       x.values, default_value.value_or(empty), validate_indices);
}

Output SparseToIndicator(ScopeRef scope_ref, const SparseTensor& x, int64_t vocab_size) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("SparseToIndicator");
  if (!scope.ok()) return Output();
  const Output all = OnesLike(inside, Cast(inside, x.values, DType::kInt32));
  const SparseTensor bools = x.WithValues(Cast(inside, all, DType::kBool));
  const SparseTensor merged = SparseMerge(inside, x, bools, vocab_size);
  return scope(SparseTensorToDense(inside, merged, Input(false), /*validate_indices=*/false));
}

SparseTensor SparseMerge(ScopeRef scope_ref, const SparseTensor& ids, const SparseTensor& values,
                         const Input& vocab_size, bool already_sorted) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("SparseMerge");
  if (!scope.ok()) return {};
  const int rank = ids.rank();
  if (rank < 1) {
    scope.Fail(InvalidArgument("SparseMerge needs ids of a known rank of at least 1"));
    return {};
  }
  // The id takes the place of the last dimension.
  const Output column = ExpandDims(inside, Cast(inside, ids.values, DType::kInt64), 1);
  const Output before =
      BuildOutput(inside, "Slice",
                  {ids.indices, std::vector<int32_t>{0, 0}, std::vector<int32_t>{-1, rank - 1}});
  const Output places = Concat(inside, {before, column}, 1);
  const Output extents = BuildOutput(
      inside, "Slice", {ids.dense_shape, std::vector<int32_t>{0}, std::vector<int32_t>{rank - 1}});
  const Output size = Reshape(inside, Int64(inside, "vocab_size", vocab_size), {1});
  const SparseTensor merged = {places, values.values, Concat(inside, {extents, size}, 0)};
  const SparseTensor result = already_sorted ? merged : SparseReorder(inside, merged);
  return {scope(result.indices), scope(result.values), scope(result.dense_shape)};
}

IndexedSlices SparseMask(ScopeRef scope_ref, const IndexedSlices& slices,
                         const Input& mask_indices) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("sparse_mask");
  const auto left = BuildOutputs(inside, "ListDiff", {slices.indices, mask_indices}, OpAttrs(), 2);
  return {scope(Gather(inside, slices.values, left[1])), scope(left[0]), slices.dense_shape};
}

namespace sparse {

SparseTensor Add(ScopeRef scope, const SparseTensor& a, const SparseTensor& b,
                 const Input& threshold) {
  return SparseAdd(scope.scope(), a, b, threshold);
}
Output Add(ScopeRef scope, const SparseTensor& a, const Input& b) {
  return SparseAdd(scope.scope(), a, b);
}
SparseTensor Maximum(ScopeRef scope, const SparseTensor& a, const SparseTensor& b) {
  return SparseMaximum(scope.scope(), a, b);
}
SparseTensor Minimum(ScopeRef scope, const SparseTensor& a, const SparseTensor& b) {
  return SparseMinimum(scope.scope(), a, b);
}
SparseTensor Concat(ScopeRef scope, int axis, const std::vector<SparseTensor>& tensors) {
  return SparseConcat(scope.scope(), axis, tensors);
}
HandleList<SparseTensor> Split(ScopeRef scope, const SparseTensor& x, int64_t count,
                               const Input& axis) {
  return SparseSplit(scope.scope(), x, count, axis);
}
FilledRows FillEmptyRows(ScopeRef scope, const SparseTensor& x, const Input& default_value) {
  return SparseFillEmptyRows(scope.scope(), x, default_value);
}
SparseTensor Placeholder(ScopeRef scope, DType dtype, const PartialShape& shape) {
  return SparsePlaceholder(scope.scope(), dtype, shape);
}
Output ReduceSum(ScopeRef scope, const SparseTensor& x, const std::optional<Input>& axis,
                 bool keep_dims) {
  return SparseReduceSum(scope.scope(), x, axis, keep_dims);
}
Output ReduceMax(ScopeRef scope, const SparseTensor& x, const std::optional<Input>& axis,
                 bool keep_dims) {
  return SparseReduceMax(scope.scope(), x, axis, keep_dims);
}
SparseTensor ReduceSumSparse(ScopeRef scope, const SparseTensor& x,
                             const std::optional<Input>& axis, bool keep_dims) {
  return SparseReduceSumSparse(scope.scope(), x, axis, keep_dims);
}
SparseTensor ReduceMaxSparse(ScopeRef scope, const SparseTensor& x,
                             const std::optional<Input>& axis, bool keep_dims) {
  return SparseReduceMaxSparse(scope.scope(), x, axis, keep_dims);
}
SparseTensor Reorder(ScopeRef scope, const SparseTensor& x) {
  return SparseReorder(scope.scope(), x);
}
SparseTensor Reshape(ScopeRef scope, const SparseTensor& x, const Input& shape) {
  return SparseReshape(scope.scope(), x, shape);
}
SparseTensor ResetShape(ScopeRef scope, const SparseTensor& x, const std::optional<Input>& shape) {
  return SparseResetShape(scope.scope(), x, shape);
}
SparseTensor Retain(ScopeRef scope, const SparseTensor& x, const Input& keep) {
  return SparseRetain(scope.scope(), x, keep);
}
SparseTensor Slice(ScopeRef scope, const SparseTensor& x, const Input& start, const Input& size) {
  return SparseSlice(scope.scope(), x, start, size);
}
SparseTensor Transpose(ScopeRef scope, const SparseTensor& x, const std::vector<int>& order) {
  return SparseTranspose(scope.scope(), x, order);
}
SparseTensor Softmax(ScopeRef scope, const SparseTensor& x) {
  return SparseSoftmax(scope.scope(), x);
}
Output SparseDenseMatmul(ScopeRef scope, const SparseTensor& a, const Input& b, bool adjoint_a,
                         bool adjoint_b) {
  return SparseTensorDenseMatMul(scope.scope(), a, b, adjoint_a, adjoint_b);
}
Output ToDense(ScopeRef scope, const SparseTensor& x, const std::optional<Input>& default_value,
               bool validate_indices) {
  return SparseTensorToDense(scope.scope(), x, default_value, validate_indices);
}
Output ToIndicator(ScopeRef scope, const SparseTensor& x, int64_t vocab_size) {
  return SparseToIndicator(scope.scope(), x, vocab_size);
}
SparseTensor Merge(ScopeRef scope, const SparseTensor& ids, const SparseTensor& values,
                   const Input& vocab_size, bool already_sorted) {
  return SparseMerge(scope.scope(), ids, values, vocab_size, already_sorted);
}
IndexedSlices Mask(ScopeRef scope, const IndexedSlices& slices, const Input& mask_indices) {
  return SparseMask(scope.scope(), slices, mask_indices);
}

SparseTensor FromDense(ScopeRef scope_ref, const Output& x) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("dense_to_sparse");
  if (!scope.ok()) return {};
  const Input zero = x.dtype() == DType::kString ? Input("")
                     : x.dtype() == DType::kBool ? Input(false)
                                                 : Input(0);
  const Output places = Where(inside, NotEqual(inside, x, zero));
  const Output extents =
      BuildOutput(inside, "Shape", {x}, OpAttrs().Set("out_type", DType::kInt64));
  return {scope(places), scope(GatherNd(inside, x, places)), scope(extents)};
}

SparseTensor Eye(ScopeRef scope_ref, int64_t rows, std::optional<int64_t> columns, DType dtype) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("eye");
  const int64_t width = columns.value_or(rows);
  if (rows < 0 || width < 0) {
    scope.Fail(
        InvalidArgument("Eye needs extents that are not negative, not ", rows, " by ", width));
    return {};
  }
  const int64_t count = std::min(rows, width);
  const Output line = Range(inside, Input(int64_t{0}), Input(count), Input(int64_t{1}));
  return {scope(Stack(inside, {line, line}, 1)), scope(Ones(inside, Shape({count}), dtype)),
          scope(Constant(inside.Named("dense_shape"), std::vector<int64_t>{rows, width}))};
}

SparseTensor ExpandDims(ScopeRef scope_ref, const SparseTensor& x, int axis) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("expand_dims");
  if (!scope.ok()) return {};
  const int rank = x.rank();
  const int at = axis < 0 ? axis + rank + 1 : axis;
  if (rank < 0 || at < 0 || at > rank) {
    scope.Fail(InvalidArgument("a dimension more at ", axis, " of a sparse tensor of rank ", rank));
    return {};
  }
  const auto cut = [&](const Output& from, const std::vector<int32_t>& begin,
                       const std::vector<int32_t>& size) {
    return BuildOutput(inside, "Slice", {from, begin, size});
  };
  const Output before = cut(x.indices, {0, 0}, {-1, at}),
               behind = cut(x.indices, {0, at}, {-1, -1});
  const Output zeros = ZerosOfShapeOf(inside, cut(x.indices, {0, 0}, {-1, 1}));
  const Output one = Constant(inside, std::vector<int64_t>{1});
  return {scope(frontend::Concat(inside, {before, zeros, behind}, 1)), x.values,
          scope(frontend::Concat(
              inside, {cut(x.dense_shape, {0}, {at}), one, cut(x.dense_shape, {at}, {-1})}, 0))};
}

SparseTensor Cross(ScopeRef scope_ref, const std::vector<SparseTensor>& tensors) {
  const Scope scope = scope_ref.scope();
  if (FailEmpty(scope, "Cross", tensors)) return {};
  const Columns columns = ColumnsOf(tensors);
  return BuildSparse(scope, "SparseCrossV2",
                     {InputList(columns.indices), InputList(columns.values),
                      InputList(columns.shapes), InputList(std::vector<Output>()), "_X_"});
}

SparseTensor CrossHashed(ScopeRef scope_ref, const std::vector<SparseTensor>& tensors,
                         int64_t num_buckets, int64_t hash_key) {
  const Scope scope = scope_ref.scope();
  if (FailEmpty(scope, "CrossHashed", tensors)) return {};
  Columns columns = ColumnsOf(tensors);
  bool texts = false;
  // Whole numbers count as they are, texts by their fingerprint.
  for (Output& values : columns.values) {
    texts = texts || values.dtype() == DType::kString;
    if (values.dtype() != DType::kString) values = Cast(scope.Named(""), values, DType::kInt64);
  }
  return BuildSparse(scope, "SparseCross",
                     {InputList(columns.indices), InputList(columns.values),
                      InputList(columns.shapes), InputList(std::vector<Output>())},
                     OpAttrs()
                         .Set("hashed_output", true)
                         .Set("num_buckets", num_buckets)
                         .Set("hash_key", hash_key)
                         .Set("out_type", DType::kInt64)
                         .Set("internal_type", texts ? DType::kString : DType::kInt64));
}

}  // namespace sparse
}  // namespace frontend
}  // namespace warpbeam
