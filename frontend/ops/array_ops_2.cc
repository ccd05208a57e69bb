// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/array_ops_2.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output Squeeze(ScopeRef scope, const Input& input, const SqueezeAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Squeeze", {input},
      attrs);
}

Output StopGradient(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "StopGradient", {input},
      OpAttrs());
}

Output StridedSlice(ScopeRef scope, const Input& input, const Input& begin, const Input& end,
    const Input& strides, const StridedSliceAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StridedSlice", {input, begin, end, strides},
      attrs);
}

Output StridedSliceAssign(ScopeRef scope, const Input& ref, const Input& begin, const Input& end,
    const Input& strides, const Input& value, const StridedSliceAssignAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StridedSliceAssign", {ref, begin, end, strides, value},
      attrs);
}

Output StridedSliceGrad(ScopeRef scope, const Input& shape, const Input& begin, const Input& end,
    const Input& strides, const Input& dy, const StridedSliceGradAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StridedSliceGrad", {shape, begin, end, strides, dy},
      attrs);
}

Output TensorScatterAdd(ScopeRef scope, const Input& tensor, const Input& indices,
    const Input& updates, const TensorScatterAddAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TensorScatterAdd", {tensor, indices, updates},
      attrs);
}

Output TensorScatterMax(ScopeRef scope, const Input& tensor, const Input& indices,
    const Input& updates, const TensorScatterMaxAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TensorScatterMax", {tensor, indices, updates},
      attrs);
}

Output TensorScatterMin(ScopeRef scope, const Input& tensor, const Input& indices,
    const Input& updates, const TensorScatterMinAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TensorScatterMin", {tensor, indices, updates},
      attrs);
}

Output TensorScatterSub(ScopeRef scope, const Input& tensor, const Input& indices,
    const Input& updates, const TensorScatterSubAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TensorScatterSub", {tensor, indices, updates},
      attrs);
}

Output TensorScatterUpdate(ScopeRef scope, const Input& tensor, const Input& indices,
    const Input& updates, const TensorScatterUpdateAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TensorScatterUpdate", {tensor, indices, updates},
      attrs);
}

Output TensorStridedSliceUpdate(ScopeRef scope, const Input& input, const Input& begin,
    const Input& end, const Input& strides, const Input& value,
    const TensorStridedSliceUpdateAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TensorStridedSliceUpdate", {input, begin, end, strides, value},
      attrs);
}

Output Tile(ScopeRef scope, const Input& input, const Input& multiples) {
  return BuildOutput(
      scope.scope(), "Tile", {input, multiples},
      OpAttrs());
}

Output Transpose(ScopeRef scope, const Input& x, const Input& perm) {
  return BuildOutput(
      scope.scope(), "Transpose", {x, perm},
      OpAttrs());
}

UniqueOutputs Unique(ScopeRef scope, const Input& x, const UniqueAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "Unique", {x},
      attrs);
  UniqueOutputs outputs;
  outputs.y = OutputOf(here, built, "y");
  outputs.idx = OutputOf(here, built, "idx");
  outputs.op = built;
  return outputs;
}

UniqueV2Outputs UniqueV2(ScopeRef scope, const Input& x, const Input& axis,
    const UniqueV2Attrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "UniqueV2", {x, axis},
      attrs);
  UniqueV2Outputs outputs;
  outputs.y = OutputOf(here, built, "y");
  outputs.idx = OutputOf(here, built, "idx");
  outputs.op = built;
  return outputs;
}

UniqueWithCountsOutputs UniqueWithCounts(ScopeRef scope, const Input& x,
    const UniqueWithCountsAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "UniqueWithCounts", {x},
      attrs);
  UniqueWithCountsOutputs outputs;
  outputs.y = OutputOf(here, built, "y");
  outputs.idx = OutputOf(here, built, "idx");
  outputs.count = OutputOf(here, built, "count");
  outputs.op = built;
  return outputs;
}

UniqueWithCountsV2Outputs UniqueWithCountsV2(ScopeRef scope, const Input& x, const Input& axis,
    const UniqueWithCountsV2Attrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "UniqueWithCountsV2", {x, axis},
      attrs);
  UniqueWithCountsV2Outputs outputs;
  outputs.y = OutputOf(here, built, "y");
  outputs.idx = OutputOf(here, built, "idx");
  outputs.count = OutputOf(here, built, "count");
  outputs.op = built;
  return outputs;
}

std::vector<Output> Unpack(ScopeRef scope, const Input& value, int64_t num, const UnpackAttrs& attrs) {
  return BuildOutputs(
      scope.scope(), "Unpack", {value},
      OpAttrs(attrs)
          .Set("num", num));
}

Output UnravelIndex(ScopeRef scope, const Input& indices, const Input& dims) {
  return BuildOutput(
      scope.scope(), "UnravelIndex", {indices, dims},
      OpAttrs());
}

Output UpperBound(ScopeRef scope, const Input& sorted_inputs, const Input& values,
    const UpperBoundAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "UpperBound", {sorted_inputs, values},
      attrs);
}

Output Where(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "Where", {input},
      OpAttrs());
}

Output ZerosLike(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "ZerosLike", {x},
      OpAttrs());
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
