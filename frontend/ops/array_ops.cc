// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/array_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output BatchMatrixBandPart(ScopeRef scope, const Input& input, const Input& num_lower,
    const Input& num_upper) {
  return BuildOutput(
      scope.scope(), "BatchMatrixBandPart", {input, num_lower, num_upper},
      OpAttrs());
}

Output BatchMatrixDiag(ScopeRef scope, const Input& diagonal) {
  return BuildOutput(
      scope.scope(), "BatchMatrixDiag", {diagonal},
      OpAttrs());
}

Output BatchMatrixDiagPart(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "BatchMatrixDiagPart", {input},
      OpAttrs());
}

Output BatchMatrixSetDiag(ScopeRef scope, const Input& input, const Input& diagonal) {
  return BuildOutput(
      scope.scope(), "BatchMatrixSetDiag", {input, diagonal},
      OpAttrs());
}

Output BatchToSpace(ScopeRef scope, const Input& input, const Input& crops, int64_t block_size) {
  return BuildOutput(
      scope.scope(), "BatchToSpace", {input, crops},
      OpAttrs()
          .Set("block_size", block_size));
}

Output BatchToSpaceND(ScopeRef scope, const Input& input, const Input& block_shape,
    const Input& crops) {
  return BuildOutput(
      scope.scope(), "BatchToSpaceND", {input, block_shape, crops},
      OpAttrs());
}

Output Bitcast(ScopeRef scope, const Input& input, DType type) {
  return BuildOutput(
      scope.scope(), "Bitcast", {input},
      OpAttrs()
          .Set("type", type));
}

Output BroadcastArgs(ScopeRef scope, const Input& s0, const Input& s1) {
  return BuildOutput(
      scope.scope(), "BroadcastArgs", {s0, s1},
      OpAttrs());
}

BroadcastGradientArgsOutputs BroadcastGradientArgs(ScopeRef scope, const Input& s0, const Input& s1) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "BroadcastGradientArgs", {s0, s1},
      OpAttrs());
  BroadcastGradientArgsOutputs outputs;
  outputs.r0 = OutputOf(here, built, "r0");
  outputs.r1 = OutputOf(here, built, "r1");
  outputs.op = built;
  return outputs;
}

Output BroadcastTo(ScopeRef scope, const Input& input, const Input& shape) {
  return BuildOutput(
      scope.scope(), "BroadcastTo", {input, shape},
      OpAttrs());
}

Output CheckNumerics(ScopeRef scope, const Input& tensor, const std::string& message) {
  return BuildOutput(
      scope.scope(), "CheckNumerics", {tensor},
      OpAttrs()
          .Set("message", message));
}

Output CheckNumericsV2(ScopeRef scope, const Input& tensor, const std::string& message) {
  return BuildOutput(
      scope.scope(), "CheckNumericsV2", {tensor},
      OpAttrs()
          .Set("message", message));
}

Output Concat(ScopeRef scope, const Input& concat_dim, const InputList& values) {
  return BuildOutput(
      scope.scope(), "Concat", {concat_dim, values},
      OpAttrs());
}

std::vector<Output> ConcatOffset(ScopeRef scope, const Input& concat_dim, const InputList& shape) {
  return BuildOutputs(
      scope.scope(), "ConcatOffset", {concat_dim, shape},
      OpAttrs());
}

Output ConcatV2(ScopeRef scope, const InputList& values, const Input& axis) {
  return BuildOutput(
      scope.scope(), "ConcatV2", {values, axis},
      OpAttrs());
}

Output ConjugateTranspose(ScopeRef scope, const Input& x, const Input& perm) {
  return BuildOutput(
      scope.scope(), "ConjugateTranspose", {x, perm},
      OpAttrs());
}

Output Const(ScopeRef scope, const Tensor& value, DType dtype) {
  return BuildOutput(
      scope.scope(), "Const", {},
      OpAttrs()
          .Set("value", value)
          .Set("dtype", dtype));
}

Output DebugGradientIdentity(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "DebugGradientIdentity", {input},
      OpAttrs());
}

Output DebugGradientRefIdentity(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "DebugGradientRefIdentity", {input},
      OpAttrs());
}

Output DeepCopy(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "DeepCopy", {x},
      OpAttrs());
}

Output DepthToSpace(ScopeRef scope, const Input& input, int64_t block_size,
    const DepthToSpaceAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "DepthToSpace", {input},
      OpAttrs(attrs)
          .Set("block_size", block_size));
}

Output Dequantize(ScopeRef scope, const Input& input, const Input& min_range,
    const Input& max_range, const DequantizeAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Dequantize", {input, min_range, max_range},
      attrs);
}

Output Diag(ScopeRef scope, const Input& diagonal) {
  return BuildOutput(
      scope.scope(), "Diag", {diagonal},
      OpAttrs());
}

Output DiagPart(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "DiagPart", {input},
      OpAttrs());
}

Output EditDistance(ScopeRef scope, const Input& hypothesis_indices, const Input& hypothesis_values,
    const Input& hypothesis_shape, const Input& truth_indices, const Input& truth_values,
    const Input& truth_shape, const EditDistanceAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "EditDistance", {hypothesis_indices, hypothesis_values, hypothesis_shape,
          truth_indices, truth_values, truth_shape},
      attrs);
}

Output Empty(ScopeRef scope, const Input& shape, DType dtype, const EmptyAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Empty", {shape},
      OpAttrs(attrs)
          .Set("dtype", dtype));
}

Output EnsureShape(ScopeRef scope, const Input& input, const PartialShape& shape) {
  return BuildOutput(
      scope.scope(), "EnsureShape", {input},
      OpAttrs()
          .Set("shape", shape));
}

Output ExpandDims(ScopeRef scope, const Input& input, const Input& dim) {
  return BuildOutput(
      scope.scope(), "ExpandDims", {input, dim},
      OpAttrs());
}

Output ExtractImagePatches(ScopeRef scope, const Input& images, const std::vector<int64_t>& ksizes,
    const std::vector<int64_t>& strides, const std::vector<int64_t>& rates,
    const std::string& padding) {
  return BuildOutput(
      scope.scope(), "ExtractImagePatches", {images},
      OpAttrs()
          .Set("ksizes", ksizes)
          .Set("strides", strides)
          .Set("rates", rates)
          .Set("padding", padding));
}

Output ExtractVolumePatches(ScopeRef scope, const Input& input, const std::vector<int64_t>& ksizes,
    const std::vector<int64_t>& strides, const std::string& padding) {
  return BuildOutput(
      scope.scope(), "ExtractVolumePatches", {input},
      OpAttrs()
          .Set("ksizes", ksizes)
          .Set("strides", strides)
          .Set("padding", padding));
}

Output FakeQuantWithMinMaxArgs(ScopeRef scope, const Input& inputs,
    const FakeQuantWithMinMaxArgsAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "FakeQuantWithMinMaxArgs", {inputs},
      attrs);
}

Output FakeQuantWithMinMaxArgsGradient(ScopeRef scope, const Input& gradients, const Input& inputs,
    const FakeQuantWithMinMaxArgsGradientAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "FakeQuantWithMinMaxArgsGradient", {gradients, inputs},
      attrs);
}

Output FakeQuantWithMinMaxVars(ScopeRef scope, const Input& inputs, const Input& min,
    const Input& max, const FakeQuantWithMinMaxVarsAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "FakeQuantWithMinMaxVars", {inputs, min, max},
      attrs);
}

FakeQuantWithMinMaxVarsGradientOutputs FakeQuantWithMinMaxVarsGradient(ScopeRef scope,
    const Input& gradients, const Input& inputs, const Input& min, const Input& max,
    const FakeQuantWithMinMaxVarsGradientAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "FakeQuantWithMinMaxVarsGradient", {gradients, inputs, min, max},
      attrs);
  FakeQuantWithMinMaxVarsGradientOutputs outputs;
  outputs.backprops_wrt_input = OutputOf(here, built, "backprops_wrt_input");
  outputs.backprop_wrt_min = OutputOf(here, built, "backprop_wrt_min");
  outputs.backprop_wrt_max = OutputOf(here, built, "backprop_wrt_max");
  outputs.op = built;
  return outputs;
}

Output FakeQuantWithMinMaxVarsPerChannel(ScopeRef scope, const Input& inputs, const Input& min,
    const Input& max, const FakeQuantWithMinMaxVarsPerChannelAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "FakeQuantWithMinMaxVarsPerChannel", {inputs, min, max},
      attrs);
}

FakeQuantWithMinMaxVarsPerChannelGradientOutputs FakeQuantWithMinMaxVarsPerChannelGradient(ScopeRef scope,
    const Input& gradients, const Input& inputs, const Input& min, const Input& max,
    const FakeQuantWithMinMaxVarsPerChannelGradientAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "FakeQuantWithMinMaxVarsPerChannelGradient", {gradients, inputs, min, max},
      attrs);
  FakeQuantWithMinMaxVarsPerChannelGradientOutputs outputs;
  outputs.backprops_wrt_input = OutputOf(here, built, "backprops_wrt_input");
  outputs.backprop_wrt_min = OutputOf(here, built, "backprop_wrt_min");
  outputs.backprop_wrt_max = OutputOf(here, built, "backprop_wrt_max");
  outputs.op = built;
  return outputs;
}

Output Fill(ScopeRef scope, const Input& dims, const Input& value) {
  return BuildOutput(
      scope.scope(), "Fill", {dims, value},
      OpAttrs());
}

Output Fingerprint(ScopeRef scope, const Input& data, const Input& method) {
  return BuildOutput(
      scope.scope(), "Fingerprint", {data, method},
      OpAttrs());
}

Output Gather(ScopeRef scope, const Input& params, const Input& indices, const GatherAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Gather", {params, indices},
      attrs);
}

Output GatherNd(ScopeRef scope, const Input& params, const Input& indices,
    const GatherNdAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "GatherNd", {params, indices},
      attrs);
}

Output GatherV2(ScopeRef scope, const Input& params, const Input& indices, const Input& axis,
    const GatherV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "GatherV2", {params, indices, axis},
      attrs);
}

Output GuaranteeConst(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "GuaranteeConst", {input},
      OpAttrs());
}

Output Identity(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "Identity", {input},
      OpAttrs());
}

std::vector<Output> IdentityN(ScopeRef scope, const InputList& input) {
  return BuildOutputs(
      scope.scope(), "IdentityN", {input},
      OpAttrs());
}

Output ImmutableConst(ScopeRef scope, DType dtype, const PartialShape& shape,
    const std::string& memory_region_name) {
  return BuildOutput(
      scope.scope(), "ImmutableConst", {},
      OpAttrs()
          .Set("dtype", dtype)
          .Set("shape", shape)
          .Set("memory_region_name", memory_region_name));
}

Output InplaceAdd(ScopeRef scope, const Input& x, const Input& i, const Input& v) {
  return BuildOutput(
      scope.scope(), "InplaceAdd", {x, i, v},
      OpAttrs());
}

Output InplaceSub(ScopeRef scope, const Input& x, const Input& i, const Input& v) {
  return BuildOutput(
      scope.scope(), "InplaceSub", {x, i, v},
      OpAttrs());
}

Output InplaceUpdate(ScopeRef scope, const Input& x, const Input& i, const Input& v) {
  return BuildOutput(
      scope.scope(), "InplaceUpdate", {x, i, v},
      OpAttrs());
}

Output InvertPermutation(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "InvertPermutation", {x},
      OpAttrs());
}

ListDiffOutputs ListDiff(ScopeRef scope, const Input& x, const Input& y, const ListDiffAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "ListDiff", {x, y},
      attrs);
  ListDiffOutputs outputs;
  outputs.out = OutputOf(here, built, "out");
  outputs.idx = OutputOf(here, built, "idx");
  outputs.op = built;
  return outputs;
}

Output LowerBound(ScopeRef scope, const Input& sorted_inputs, const Input& values,
    const LowerBoundAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "LowerBound", {sorted_inputs, values},
      attrs);
}

Output MatrixBandPart(ScopeRef scope, const Input& input, const Input& num_lower,
    const Input& num_upper) {
  return BuildOutput(
      scope.scope(), "MatrixBandPart", {input, num_lower, num_upper},
      OpAttrs());
}

Output MatrixDiag(ScopeRef scope, const Input& diagonal) {
  return BuildOutput(
      scope.scope(), "MatrixDiag", {diagonal},
      OpAttrs());
}

Output MatrixDiagPart(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "MatrixDiagPart", {input},
      OpAttrs());
}

Output MatrixDiagPartV2(ScopeRef scope, const Input& input, const Input& k,
    const Input& padding_value) {
  return BuildOutput(
      scope.scope(), "MatrixDiagPartV2", {input, k, padding_value},
      OpAttrs());
}

Output MatrixDiagPartV3(ScopeRef scope, const Input& input, const Input& k,
    const Input& padding_value, const MatrixDiagPartV3Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "MatrixDiagPartV3", {input, k, padding_value},
      attrs);
}

Output MatrixDiagV2(ScopeRef scope, const Input& diagonal, const Input& k, const Input& num_rows,
    const Input& num_cols, const Input& padding_value) {
  return BuildOutput(
      scope.scope(), "MatrixDiagV2", {diagonal, k, num_rows, num_cols, padding_value},
      OpAttrs());
}

Output MatrixDiagV3(ScopeRef scope, const Input& diagonal, const Input& k, const Input& num_rows,
    const Input& num_cols, const Input& padding_value, const MatrixDiagV3Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "MatrixDiagV3", {diagonal, k, num_rows, num_cols, padding_value},
      attrs);
}

Output MatrixSetDiag(ScopeRef scope, const Input& input, const Input& diagonal) {
  return BuildOutput(
      scope.scope(), "MatrixSetDiag", {input, diagonal},
      OpAttrs());
}

Output MatrixSetDiagV2(ScopeRef scope, const Input& input, const Input& diagonal, const Input& k) {
  return BuildOutput(
      scope.scope(), "MatrixSetDiagV2", {input, diagonal, k},
      OpAttrs());
}

Output MatrixSetDiagV3(ScopeRef scope, const Input& input, const Input& diagonal, const Input& k,
    const MatrixSetDiagV3Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "MatrixSetDiagV3", {input, diagonal, k},
      attrs);
}

Output MirrorPad(ScopeRef scope, const Input& input, const Input& paddings, const std::string& mode) {
  return BuildOutput(
      scope.scope(), "MirrorPad", {input, paddings},
      OpAttrs()
          .Set("mode", mode));
}

Output MirrorPadGrad(ScopeRef scope, const Input& input, const Input& paddings,
    const std::string& mode) {
  return BuildOutput(
      scope.scope(), "MirrorPadGrad", {input, paddings},
      OpAttrs()
          .Set("mode", mode));
}

Output OneHot(ScopeRef scope, const Input& indices, const Input& depth, const Input& on_value,
    const Input& off_value, const OneHotAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "OneHot", {indices, depth, on_value, off_value},
      attrs);
}

Output OnesLike(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "OnesLike", {x},
      OpAttrs());
}

Output Pack(ScopeRef scope, const InputList& values, const PackAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Pack", {values},
      attrs);
}

Output Pad(ScopeRef scope, const Input& input, const Input& paddings) {
  return BuildOutput(
      scope.scope(), "Pad", {input, paddings},
      OpAttrs());
}

Output PadV2(ScopeRef scope, const Input& input, const Input& paddings, const Input& constant_values) {
  return BuildOutput(
      scope.scope(), "PadV2", {input, paddings, constant_values},
      OpAttrs());
}

Output ParallelConcat(ScopeRef scope, const InputList& values, const PartialShape& shape) {
  return BuildOutput(
      scope.scope(), "ParallelConcat", {values},
      OpAttrs()
          .Set("shape", shape));
}

Output Placeholder(ScopeRef scope, DType dtype, const PlaceholderAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Placeholder", {},
      OpAttrs(attrs)
          .Set("dtype", dtype));
}

Output PlaceholderV2(ScopeRef scope, DType dtype, const PartialShape& shape) {
  return BuildOutput(
      scope.scope(), "PlaceholderV2", {},
      OpAttrs()
          .Set("dtype", dtype)
          .Set("shape", shape));
}

Output PlaceholderWithDefault(ScopeRef scope, const Input& input, const PartialShape& shape) {
  return BuildOutput(
      scope.scope(), "PlaceholderWithDefault", {input},
      OpAttrs()
          .Set("shape", shape));
}

Output PreventGradient(ScopeRef scope, const Input& input, const PreventGradientAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "PreventGradient", {input},
      attrs);
}

Output QuantizeAndDequantize(ScopeRef scope, const Input& input,
    const QuantizeAndDequantizeAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "QuantizeAndDequantize", {input},
      attrs);
}

Output QuantizeAndDequantizeV2(ScopeRef scope, const Input& input, const Input& input_min,
    const Input& input_max, const QuantizeAndDequantizeV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "QuantizeAndDequantizeV2", {input, input_min, input_max},
      attrs);
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
