#include "frontend/sparse/ragged_tensor.h"

#include "frontend/array.h"
#include "frontend/arrays/gather.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {

RaggedTensor RaggedTensor::FromRowSplits(ScopeRef scope_ref, const Input& values,
                                         const Input& row_splits) {
  const Scope inside = scope_ref.scope().OpenScope("RaggedFromRowSplits");
  const Output rows = AsOutput(inside.Named("values"), values);
  if (row_splits.is_value()) {
    return {rows, Constant(inside.Named("row_splits"), row_splits, DType::kInt64)};
  }
  return {rows, Cast(inside, row_splits, DType::kInt64)};
}

RaggedTensor RaggedTensor::FromSparse(ScopeRef scope_ref, const SparseTensor& tensor) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("RaggedFromSparse");
  // Row i begins behind the values of the rows before it.
  const Output rows = Squeeze(
      inside,
      BuildOutput(inside, "Slice",
                  {tensor.indices, std::vector<int32_t>{0, 0}, std::vector<int32_t>{-1, 1}}),
      {1});
  const Output count = ElementAt(inside, tensor.dense_shape, 0);
  const Output one = Constant(inside, int64_t{1}, DType::kInt64);
  const Output numbers =
      Range(inside, Constant(inside, 0, DType::kInt64), Add(inside, count, one), one);
  const Output splits = Searchsorted(inside, rows, numbers, SearchSide::kLeft, DType::kInt64);
  return {scope(tensor.values), scope(splits)};
}

const Output& RaggedTensor::outermost() const {
  return outer_row_splits.empty() ? row_splits : outer_row_splits[0];
}

InputList RaggedTensor::nested_row_splits() const {
  OutputList all = outer_row_splits;
  all.push_back(row_splits);
  return InputList(all);
}

Output RaggedTensor::NumRows(ScopeRef scope_ref) const {
  const Scope scope = scope_ref.scope();
  const Output size =
      BuildOutput(scope.Named(""), "Size", {outermost()}, OpAttrs().Set("out_type", DType::kInt64));
  return BuildOutput(scope, "Sub", {size, 1});
}

Output RaggedTensor::RowLengths(ScopeRef scope_ref) const {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("RaggedRowLengths");
  const Output begins =
      BuildOutput(inside, "Slice",
                  {outermost(), std::vector<int32_t>{0},
                   Reshape(inside, Cast(inside, NumRows(inside), DType::kInt32), {1})});
  return scope(BuildOutput(inside, "Sub", {ElementsFrom(inside, outermost(), 1), begins}));
}

Output RaggedTensor::ToTensor(ScopeRef scope_ref, const Input& default_value) const {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("RaggedToTensor");
  const Output fill = AsOutput(inside.Named("default_value"), default_value,
                               default_value.adapts() ? values.dtype() : DType::kInvalid);
  const Output shape = Constant(inside.Named("shape"), int64_t{-1}, DType::kInt64);
  const InputList splits = nested_row_splits();
  const std::vector<std::string> kinds(splits.size(), "ROW_SPLITS");
  return scope(BuildOutput(inside, "RaggedTensorToTensor", {shape, values, fill, splits},
                           OpAttrs().Set("row_partition_types", kinds)));
}

SparseTensor RaggedTensor::ToSparse(ScopeRef scope_ref) const {
  const Scope scope = scope_ref.scope();
  const auto out =
      BuildOutputs(scope, "RaggedTensorToSparse", {nested_row_splits(), values}, OpAttrs(), 3);
  return {out[0], out[1], out[2]};
}

}  // namespace frontend
}  // namespace warpbeam
