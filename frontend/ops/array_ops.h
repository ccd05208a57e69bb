// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_ARRAY_OPS_H_
#define WARPBEAM_FRONTEND_OPS_ARRAY_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (input: T, num_lower: int64, num_upper: int64) -> (band: T)
// Deprecated: use MatrixBandPart
Output BatchMatrixBandPart(ScopeRef scope, const Input& input, const Input& num_lower,
    const Input& num_upper);

// (diagonal: T) -> (output: T)
// Deprecated: use MatrixDiag
Output BatchMatrixDiag(ScopeRef scope, const Input& diagonal);

// (input: T) -> (diagonal: T)
// Deprecated: use MatrixDiagPart
Output BatchMatrixDiagPart(ScopeRef scope, const Input& input);

// (input: T, diagonal: T) -> (output: T)
// Deprecated: use MatrixSetDiag
Output BatchMatrixSetDiag(ScopeRef scope, const Input& input, const Input& diagonal);

// (input: T, crops: Tidx) -> (output: T)
Output BatchToSpace(ScopeRef scope, const Input& input, const Input& crops, int64_t block_size);

// (input: T, block_shape: Tblock_shape, crops: Tcrops) -> (output: T)
Output BatchToSpaceND(ScopeRef scope, const Input& input, const Input& block_shape,
    const Input& crops);

// (input: T) -> (output: type)
Output Bitcast(ScopeRef scope, const Input& input, DType type);

// (s0: T, s1: T) -> (r0: T)
Output BroadcastArgs(ScopeRef scope, const Input& s0, const Input& s1);

struct BroadcastGradientArgsOutputs {
  Output r0;
  Output r1;
  Operation op;
};
// (s0: T, s1: T) -> (r0: T, r1: T)
BroadcastGradientArgsOutputs BroadcastGradientArgs(ScopeRef scope, const Input& s0, const Input& s1);

// (input: T, shape: Tidx) -> (output: T)
Output BroadcastTo(ScopeRef scope, const Input& input, const Input& shape);

// (tensor: T) -> (output: T)
Output CheckNumerics(ScopeRef scope, const Input& tensor, const std::string& message);

// (tensor: T) -> (output: T)
Output CheckNumericsV2(ScopeRef scope, const Input& tensor, const std::string& message);

// (concat_dim: int32, values: N * T) -> (output: T)
Output Concat(ScopeRef scope, const Input& concat_dim, const InputList& values);

// (concat_dim: int32, shape: N * shape_type) -> (offset: N * shape_type)
std::vector<Output> ConcatOffset(ScopeRef scope, const Input& concat_dim, const InputList& shape);

// (values: N * T, axis: Tidx) -> (output: T)
Output ConcatV2(ScopeRef scope, const InputList& values, const Input& axis);

// (x: T, perm: Tperm) -> (y: T)
Output ConjugateTranspose(ScopeRef scope, const Input& x, const Input& perm);

// () -> (output: dtype)
Output Const(ScopeRef scope, const Tensor& value, DType dtype);

// (input: T) -> (output: T)
Output DebugGradientIdentity(ScopeRef scope, const Input& input);

// (input: Ref(T)) -> (output: Ref(T))
Output DebugGradientRefIdentity(ScopeRef scope, const Input& input);

// (x: T) -> (y: T)
Output DeepCopy(ScopeRef scope, const Input& x);

class DepthToSpaceAttrs : public OpAttrs {
 public:
  DepthToSpaceAttrs& data_format(const std::string& value) {
    Set("data_format", value);
    return *this;
  }
};
// (input: T) -> (output: T)
Output DepthToSpace(ScopeRef scope, const Input& input, int64_t block_size,
    const DepthToSpaceAttrs& attrs = DepthToSpaceAttrs());

class DequantizeAttrs : public OpAttrs {
 public:
  DequantizeAttrs& mode(const std::string& value) {
    Set("mode", value);
    return *this;
  }
  DequantizeAttrs& narrow_range(bool value) {
    Set("narrow_range", value);
    return *this;
  }
  DequantizeAttrs& axis(int64_t value) {
    Set("axis", value);
    return *this;
  }
  DequantizeAttrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (input: T, min_range: float, max_range: float) -> (output: dtype)
Output Dequantize(ScopeRef scope, const Input& input, const Input& min_range,
    const Input& max_range, const DequantizeAttrs& attrs = DequantizeAttrs());

// (diagonal: T) -> (output: T)
Output Diag(ScopeRef scope, const Input& diagonal);

// (input: T) -> (diagonal: T)
Output DiagPart(ScopeRef scope, const Input& input);

class EditDistanceAttrs : public OpAttrs {
 public:
  EditDistanceAttrs& normalize(bool value) {
    Set("normalize", value);
    return *this;
  }
};
// (hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, truth_indices: int64,
//     truth_values: T, truth_shape: int64) -> (output: float)
Output EditDistance(ScopeRef scope, const Input& hypothesis_indices, const Input& hypothesis_values,
    const Input& hypothesis_shape, const Input& truth_indices, const Input& truth_values,
    const Input& truth_shape, const EditDistanceAttrs& attrs = EditDistanceAttrs());

class EmptyAttrs : public OpAttrs {
 public:
  EmptyAttrs& init(bool value) {
    Set("init", value);
    return *this;
  }
};
// (shape: int32) -> (output: dtype)
Output Empty(ScopeRef scope, const Input& shape, DType dtype, const EmptyAttrs& attrs = EmptyAttrs());

// (input: T) -> (output: T)
Output EnsureShape(ScopeRef scope, const Input& input, const PartialShape& shape);

// (input: T, dim: Tdim) -> (output: T)
Output ExpandDims(ScopeRef scope, const Input& input, const Input& dim);

// (images: T) -> (patches: T)
Output ExtractImagePatches(ScopeRef scope, const Input& images, const std::vector<int64_t>& ksizes,
    const std::vector<int64_t>& strides, const std::vector<int64_t>& rates,
    const std::string& padding);

// (input: T) -> (patches: T)
Output ExtractVolumePatches(ScopeRef scope, const Input& input, const std::vector<int64_t>& ksizes,
    const std::vector<int64_t>& strides, const std::string& padding);

class FakeQuantWithMinMaxArgsAttrs : public OpAttrs {
 public:
  FakeQuantWithMinMaxArgsAttrs& min(float value) {
    Set("min", value);
    return *this;
  }
  FakeQuantWithMinMaxArgsAttrs& max(float value) {
    Set("max", value);
    return *this;
  }
  FakeQuantWithMinMaxArgsAttrs& num_bits(int64_t value) {
    Set("num_bits", value);
    return *this;
  }
  FakeQuantWithMinMaxArgsAttrs& narrow_range(bool value) {
    Set("narrow_range", value);
    return *this;
  }
};
// (inputs: float) -> (outputs: float)
Output FakeQuantWithMinMaxArgs(ScopeRef scope, const Input& inputs,
    const FakeQuantWithMinMaxArgsAttrs& attrs = FakeQuantWithMinMaxArgsAttrs());

class FakeQuantWithMinMaxArgsGradientAttrs : public OpAttrs {
 public:
  FakeQuantWithMinMaxArgsGradientAttrs& min(float value) {
    Set("min", value);
    return *this;
  }
  FakeQuantWithMinMaxArgsGradientAttrs& max(float value) {
    Set("max", value);
    return *this;
  }
  FakeQuantWithMinMaxArgsGradientAttrs& num_bits(int64_t value) {
    Set("num_bits", value);
    return *this;
  }
  FakeQuantWithMinMaxArgsGradientAttrs& narrow_range(bool value) {
    Set("narrow_range", value);
    return *this;
  }
};
// (gradients: float, inputs: float) -> (backprops: float)
Output FakeQuantWithMinMaxArgsGradient(ScopeRef scope, const Input& gradients, const Input& inputs,
    const FakeQuantWithMinMaxArgsGradientAttrs& attrs = FakeQuantWithMinMaxArgsGradientAttrs());

class FakeQuantWithMinMaxVarsAttrs : public OpAttrs {
 public:
  FakeQuantWithMinMaxVarsAttrs& num_bits(int64_t value) {
    Set("num_bits", value);
    return *this;
  }
  FakeQuantWithMinMaxVarsAttrs& narrow_range(bool value) {
    Set("narrow_range", value);
    return *this;
  }
};
// (inputs: float, min: float, max: float) -> (outputs: float)
Output FakeQuantWithMinMaxVars(ScopeRef scope, const Input& inputs, const Input& min,
    const Input& max, const FakeQuantWithMinMaxVarsAttrs& attrs = FakeQuantWithMinMaxVarsAttrs());

class FakeQuantWithMinMaxVarsGradientAttrs : public OpAttrs {
 public:
  FakeQuantWithMinMaxVarsGradientAttrs& num_bits(int64_t value) {
    Set("num_bits", value);
    return *this;
  }
  FakeQuantWithMinMaxVarsGradientAttrs& narrow_range(bool value) {
    Set("narrow_range", value);
    return *this;
  }
};
struct FakeQuantWithMinMaxVarsGradientOutputs {
  Output backprops_wrt_input;
  Output backprop_wrt_min;
  Output backprop_wrt_max;
  Operation op;
};
// (gradients: float, inputs: float, min: float, max: float) -> (backprops_wrt_input: float,
//     backprop_wrt_min: float, backprop_wrt_max: float)
FakeQuantWithMinMaxVarsGradientOutputs FakeQuantWithMinMaxVarsGradient(ScopeRef scope,
    const Input& gradients, const Input& inputs, const Input& min, const Input& max,
    const FakeQuantWithMinMaxVarsGradientAttrs& attrs = FakeQuantWithMinMaxVarsGradientAttrs());

class FakeQuantWithMinMaxVarsPerChannelAttrs : public OpAttrs {
 public:
  FakeQuantWithMinMaxVarsPerChannelAttrs& num_bits(int64_t value) {
    Set("num_bits", value);
    return *this;
  }
  FakeQuantWithMinMaxVarsPerChannelAttrs& narrow_range(bool value) {
    Set("narrow_range", value);
    return *this;
  }
};
// (inputs: float, min: float, max: float) -> (outputs: float)
Output FakeQuantWithMinMaxVarsPerChannel(ScopeRef scope, const Input& inputs, const Input& min,
    const Input& max,
    const FakeQuantWithMinMaxVarsPerChannelAttrs& attrs = FakeQuantWithMinMaxVarsPerChannelAttrs());

class FakeQuantWithMinMaxVarsPerChannelGradientAttrs : public OpAttrs {
 public:
  FakeQuantWithMinMaxVarsPerChannelGradientAttrs& num_bits(int64_t value) {
    Set("num_bits", value);
    return *this;
  }
  FakeQuantWithMinMaxVarsPerChannelGradientAttrs& narrow_range(bool value) {
    Set("narrow_range", value);
    return *this;
  }
};
struct FakeQuantWithMinMaxVarsPerChannelGradientOutputs {
  Output backprops_wrt_input;
  Output backprop_wrt_min;
  Output backprop_wrt_max;
  Operation op;
};
// (gradients: float, inputs: float, min: float, max: float) -> (backprops_wrt_input: float,
//     backprop_wrt_min: float, backprop_wrt_max: float)
FakeQuantWithMinMaxVarsPerChannelGradientOutputs FakeQuantWithMinMaxVarsPerChannelGradient(ScopeRef scope,
    const Input& gradients, const Input& inputs, const Input& min, const Input& max,
    const FakeQuantWithMinMaxVarsPerChannelGradientAttrs& attrs = FakeQuantWithMinMaxVarsPerChannelGradientAttrs());

// (dims: index_type, value: T) -> (output: T)
Output Fill(ScopeRef scope, const Input& dims, const Input& value);

// (data: T, method: string) -> (fingerprint: uint8)
Output Fingerprint(ScopeRef scope, const Input& data, const Input& method);

class GatherAttrs : public OpAttrs {
 public:
  GatherAttrs& validate_indices(bool value) {
    Set("validate_indices", value);
    return *this;
  }
};
// (params: Tparams, indices: Tindices) -> (output: Tparams)
Output Gather(ScopeRef scope, const Input& params, const Input& indices,
    const GatherAttrs& attrs = GatherAttrs());

class GatherNdAttrs : public OpAttrs {
 public:
  GatherNdAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (params: Tparams, indices: Tindices) -> (output: Tparams)
Output GatherNd(ScopeRef scope, const Input& params, const Input& indices,
    const GatherNdAttrs& attrs = GatherNdAttrs());

class GatherV2Attrs : public OpAttrs {
 public:
  GatherV2Attrs& batch_dims(int64_t value) {
    Set("batch_dims", value);
    return *this;
  }
};
// (params: Tparams, indices: Tindices, axis: Taxis) -> (output: Tparams)
Output GatherV2(ScopeRef scope, const Input& params, const Input& indices, const Input& axis,
    const GatherV2Attrs& attrs = GatherV2Attrs());

// (input: T) -> (output: T)
Output GuaranteeConst(ScopeRef scope, const Input& input);

// (input: T) -> (output: T)
Output Identity(ScopeRef scope, const Input& input);

// (input: T) -> (output: T)
std::vector<Output> IdentityN(ScopeRef scope, const InputList& input);

// () -> (tensor: dtype)
Output ImmutableConst(ScopeRef scope, DType dtype, const PartialShape& shape,
    const std::string& memory_region_name);

// (x: T, i: int32, v: T) -> (y: T)
Output InplaceAdd(ScopeRef scope, const Input& x, const Input& i, const Input& v);

// (x: T, i: int32, v: T) -> (y: T)
Output InplaceSub(ScopeRef scope, const Input& x, const Input& i, const Input& v);

// (x: T, i: int32, v: T) -> (y: T)
Output InplaceUpdate(ScopeRef scope, const Input& x, const Input& i, const Input& v);

// (x: T) -> (y: T)
Output InvertPermutation(ScopeRef scope, const Input& x);

class ListDiffAttrs : public OpAttrs {
 public:
  ListDiffAttrs& out_idx(DType value) {
    Set("out_idx", value);
    return *this;
  }
};
struct ListDiffOutputs {
  Output out;
  Output idx;
  Operation op;
};
// (x: T, y: T) -> (out: T, idx: out_idx)
ListDiffOutputs ListDiff(ScopeRef scope, const Input& x, const Input& y,
    const ListDiffAttrs& attrs = ListDiffAttrs());

class LowerBoundAttrs : public OpAttrs {
 public:
  LowerBoundAttrs& out_type(DType value) {
    Set("out_type", value);
    return *this;
  }
};
// (sorted_inputs: T, values: T) -> (output: out_type)
Output LowerBound(ScopeRef scope, const Input& sorted_inputs, const Input& values,
    const LowerBoundAttrs& attrs = LowerBoundAttrs());

// (input: T, num_lower: Tindex, num_upper: Tindex) -> (band: T)
Output MatrixBandPart(ScopeRef scope, const Input& input, const Input& num_lower,
    const Input& num_upper);

// (diagonal: T) -> (output: T)
Output MatrixDiag(ScopeRef scope, const Input& diagonal);

// (input: T) -> (diagonal: T)
Output MatrixDiagPart(ScopeRef scope, const Input& input);

// (input: T, k: int32, padding_value: T) -> (diagonal: T)
Output MatrixDiagPartV2(ScopeRef scope, const Input& input, const Input& k,
    const Input& padding_value);

class MatrixDiagPartV3Attrs : public OpAttrs {
 public:
  MatrixDiagPartV3Attrs& align(const std::string& value) {
    Set("align", value);
    return *this;
  }
};
// (input: T, k: int32, padding_value: T) -> (diagonal: T)
Output MatrixDiagPartV3(ScopeRef scope, const Input& input, const Input& k,
    const Input& padding_value, const MatrixDiagPartV3Attrs& attrs = MatrixDiagPartV3Attrs());

// (diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T) -> (output: T)
Output MatrixDiagV2(ScopeRef scope, const Input& diagonal, const Input& k, const Input& num_rows,
    const Input& num_cols, const Input& padding_value);

class MatrixDiagV3Attrs : public OpAttrs {
 public:
  MatrixDiagV3Attrs& align(const std::string& value) {
    Set("align", value);
    return *this;
  }
};
// (diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T) -> (output: T)
Output MatrixDiagV3(ScopeRef scope, const Input& diagonal, const Input& k, const Input& num_rows,
    const Input& num_cols, const Input& padding_value,
    const MatrixDiagV3Attrs& attrs = MatrixDiagV3Attrs());

// (input: T, diagonal: T) -> (output: T)
Output MatrixSetDiag(ScopeRef scope, const Input& input, const Input& diagonal);

// (input: T, diagonal: T, k: int32) -> (output: T)
Output MatrixSetDiagV2(ScopeRef scope, const Input& input, const Input& diagonal, const Input& k);

class MatrixSetDiagV3Attrs : public OpAttrs {
 public:
  MatrixSetDiagV3Attrs& align(const std::string& value) {
    Set("align", value);
    return *this;
  }
};
// (input: T, diagonal: T, k: int32) -> (output: T)
Output MatrixSetDiagV3(ScopeRef scope, const Input& input, const Input& diagonal, const Input& k,
    const MatrixSetDiagV3Attrs& attrs = MatrixSetDiagV3Attrs());

// (input: T, paddings: Tpaddings) -> (output: T)
Output MirrorPad(ScopeRef scope, const Input& input, const Input& paddings, const std::string& mode);

// (input: T, paddings: Tpaddings) -> (output: T)
Output MirrorPadGrad(ScopeRef scope, const Input& input, const Input& paddings,
    const std::string& mode);

class OneHotAttrs : public OpAttrs {
 public:
  OneHotAttrs& axis(int64_t value) {
    Set("axis", value);
    return *this;
  }
};
// (indices: TI, depth: int32, on_value: T, off_value: T) -> (output: T)
Output OneHot(ScopeRef scope, const Input& indices, const Input& depth, const Input& on_value,
    const Input& off_value, const OneHotAttrs& attrs = OneHotAttrs());

// (x: T) -> (y: T)
Output OnesLike(ScopeRef scope, const Input& x);

class PackAttrs : public OpAttrs {
 public:
  PackAttrs& axis(int64_t value) {
    Set("axis", value);
    return *this;
  }
};
// (values: N * T) -> (output: T)
Output Pack(ScopeRef scope, const InputList& values, const PackAttrs& attrs = PackAttrs());

// (input: T, paddings: Tpaddings) -> (output: T)
Output Pad(ScopeRef scope, const Input& input, const Input& paddings);

// (input: T, paddings: Tpaddings, constant_values: T) -> (output: T)
Output PadV2(ScopeRef scope, const Input& input, const Input& paddings, const Input& constant_values);

// (values: N * T) -> (output: T)
Output ParallelConcat(ScopeRef scope, const InputList& values, const PartialShape& shape);

class PlaceholderAttrs : public OpAttrs {
 public:
  PlaceholderAttrs& shape(const PartialShape& value) {
    Set("shape", value);
    return *this;
  }
};
// () -> (output: dtype)
Output Placeholder(ScopeRef scope, DType dtype, const PlaceholderAttrs& attrs = PlaceholderAttrs());

// () -> (output: dtype)
// Deprecated: Placeholder now behaves the same as PlaceholderV2.
Output PlaceholderV2(ScopeRef scope, DType dtype, const PartialShape& shape);

// (input: dtype) -> (output: dtype)
Output PlaceholderWithDefault(ScopeRef scope, const Input& input, const PartialShape& shape);

class PreventGradientAttrs : public OpAttrs {
 public:
  PreventGradientAttrs& message(const std::string& value) {
    Set("message", value);
    return *this;
  }
};
// (input: T) -> (output: T)
Output PreventGradient(ScopeRef scope, const Input& input,
    const PreventGradientAttrs& attrs = PreventGradientAttrs());

class QuantizeAndDequantizeAttrs : public OpAttrs {
 public:
  QuantizeAndDequantizeAttrs& signed_input(bool value) {
    Set("signed_input", value);
    return *this;
  }
  QuantizeAndDequantizeAttrs& num_bits(int64_t value) {
    Set("num_bits", value);
    return *this;
  }
  QuantizeAndDequantizeAttrs& range_given(bool value) {
    Set("range_given", value);
    return *this;
  }
  QuantizeAndDequantizeAttrs& input_min(float value) {
    Set("input_min", value);
    return *this;
  }
  QuantizeAndDequantizeAttrs& input_max(float value) {
    Set("input_max", value);
    return *this;
  }
};
// (input: T) -> (output: T)
// Deprecated: use QuantizeAndDequantizeV2
Output QuantizeAndDequantize(ScopeRef scope, const Input& input,
    const QuantizeAndDequantizeAttrs& attrs = QuantizeAndDequantizeAttrs());

class QuantizeAndDequantizeV2Attrs : public OpAttrs {
 public:
  QuantizeAndDequantizeV2Attrs& signed_input(bool value) {
    Set("signed_input", value);
    return *this;
  }
  QuantizeAndDequantizeV2Attrs& num_bits(int64_t value) {
    Set("num_bits", value);
    return *this;
  }
  QuantizeAndDequantizeV2Attrs& range_given(bool value) {
    Set("range_given", value);
    return *this;
  }
  QuantizeAndDequantizeV2Attrs& round_mode(const std::string& value) {
    Set("round_mode", value);
    return *this;
  }
  QuantizeAndDequantizeV2Attrs& narrow_range(bool value) {
    Set("narrow_range", value);
    return *this;
  }
  QuantizeAndDequantizeV2Attrs& axis(int64_t value) {
    Set("axis", value);
    return *this;
  }
};
// (input: T, input_min: T, input_max: T) -> (output: T)
Output QuantizeAndDequantizeV2(ScopeRef scope, const Input& input, const Input& input_min,
    const Input& input_max,
    const QuantizeAndDequantizeV2Attrs& attrs = QuantizeAndDequantizeV2Attrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_ARRAY_OPS_H_
