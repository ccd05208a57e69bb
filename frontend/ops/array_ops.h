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

// (x: T) -> (y: T)
Output DeepCopy(ScopeRef scope, const Input& x);

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

// (dims: index_type, value: T) -> (output: T)
Output Fill(ScopeRef scope, const Input& dims, const Input& value);

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

// (input: T) -> (output: int32)
Output Rank(ScopeRef scope, const Input& input);

// (tensor: T, shape: Tshape) -> (output: T)
Output Reshape(ScopeRef scope, const Input& tensor, const Input& shape);

class ResourceStridedSliceAssignAttrs : public OpAttrs {
 public:
  ResourceStridedSliceAssignAttrs& begin_mask(int64_t value) {
    Set("begin_mask", value);
    return *this;
  }
  ResourceStridedSliceAssignAttrs& end_mask(int64_t value) {
    Set("end_mask", value);
    return *this;
  }
  ResourceStridedSliceAssignAttrs& ellipsis_mask(int64_t value) {
    Set("ellipsis_mask", value);
    return *this;
  }
  ResourceStridedSliceAssignAttrs& new_axis_mask(int64_t value) {
    Set("new_axis_mask", value);
    return *this;
  }
  ResourceStridedSliceAssignAttrs& shrink_axis_mask(int64_t value) {
    Set("shrink_axis_mask", value);
    return *this;
  }
};
// (ref: resource, begin: Index, end: Index, strides: Index, value: T) -> ()
Operation ResourceStridedSliceAssign(ScopeRef scope, const Input& ref, const Input& begin,
    const Input& end, const Input& strides, const Input& value,
    const ResourceStridedSliceAssignAttrs& attrs = ResourceStridedSliceAssignAttrs());

// (tensor: T, dims: bool) -> (output: T)
Output Reverse(ScopeRef scope, const Input& tensor, const Input& dims);

class ReverseSequenceAttrs : public OpAttrs {
 public:
  ReverseSequenceAttrs& batch_dim(int64_t value) {
    Set("batch_dim", value);
    return *this;
  }
};
// (input: T, seq_lengths: Tlen) -> (output: T)
Output ReverseSequence(ScopeRef scope, const Input& input, const Input& seq_lengths,
    int64_t seq_dim, const ReverseSequenceAttrs& attrs = ReverseSequenceAttrs());

// (tensor: T, axis: Tidx) -> (output: T)
Output ReverseV2(ScopeRef scope, const Input& tensor, const Input& axis);

class ScatterNdAttrs : public OpAttrs {
 public:
  ScatterNdAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (indices: Tindices, updates: T, shape: Tindices) -> (output: T)
Output ScatterNd(ScopeRef scope, const Input& indices, const Input& updates, const Input& shape,
    const ScatterNdAttrs& attrs = ScatterNdAttrs());

class ScatterNdNonAliasingAddAttrs : public OpAttrs {
 public:
  ScatterNdNonAliasingAddAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (input: T, indices: Tindices, updates: T) -> (output: T)
Output ScatterNdNonAliasingAdd(ScopeRef scope, const Input& input, const Input& indices,
    const Input& updates, const ScatterNdNonAliasingAddAttrs& attrs = ScatterNdNonAliasingAddAttrs());

class ShapeAttrs : public OpAttrs {
 public:
  ShapeAttrs& out_type(DType value) {
    Set("out_type", value);
    return *this;
  }
};
// (input: T) -> (output: out_type)
Output Shape(ScopeRef scope, const Input& input, const ShapeAttrs& attrs = ShapeAttrs());

class ShapeNAttrs : public OpAttrs {
 public:
  ShapeNAttrs& out_type(DType value) {
    Set("out_type", value);
    return *this;
  }
};
// (input: N * T) -> (output: N * out_type)
std::vector<Output> ShapeN(ScopeRef scope, const InputList& input,
    const ShapeNAttrs& attrs = ShapeNAttrs());

class SizeAttrs : public OpAttrs {
 public:
  SizeAttrs& out_type(DType value) {
    Set("out_type", value);
    return *this;
  }
};
// (input: T) -> (output: out_type)
Output Size(ScopeRef scope, const Input& input, const SizeAttrs& attrs = SizeAttrs());

// (input: T, begin: Index, size: Index) -> (output: T)
Output Slice(ScopeRef scope, const Input& input, const Input& begin, const Input& size);

// (input: T) -> (output: T)
Output Snapshot(ScopeRef scope, const Input& input);

// (split_dim: int32, value: T) -> (output: num_split * T)
std::vector<Output> Split(ScopeRef scope, const Input& split_dim, const Input& value,
    int64_t num_split);

// (value: T, size_splits: Tlen, split_dim: int32) -> (output: num_split * T)
std::vector<Output> SplitV(ScopeRef scope, const Input& value, const Input& size_splits,
    const Input& split_dim, int64_t num_split);

class SqueezeAttrs : public OpAttrs {
 public:
  SqueezeAttrs& squeeze_dims(const std::vector<int64_t>& value) {
    Set("squeeze_dims", value);
    return *this;
  }
};
// (input: T) -> (output: T)
Output Squeeze(ScopeRef scope, const Input& input, const SqueezeAttrs& attrs = SqueezeAttrs());

// (input: T) -> (output: T)
Output StopGradient(ScopeRef scope, const Input& input);

class StridedSliceAttrs : public OpAttrs {
 public:
  StridedSliceAttrs& begin_mask(int64_t value) {
    Set("begin_mask", value);
    return *this;
  }
  StridedSliceAttrs& end_mask(int64_t value) {
    Set("end_mask", value);
    return *this;
  }
  StridedSliceAttrs& ellipsis_mask(int64_t value) {
    Set("ellipsis_mask", value);
    return *this;
  }
  StridedSliceAttrs& new_axis_mask(int64_t value) {
    Set("new_axis_mask", value);
    return *this;
  }
  StridedSliceAttrs& shrink_axis_mask(int64_t value) {
    Set("shrink_axis_mask", value);
    return *this;
  }
};
// (input: T, begin: Index, end: Index, strides: Index) -> (output: T)
Output StridedSlice(ScopeRef scope, const Input& input, const Input& begin, const Input& end,
    const Input& strides, const StridedSliceAttrs& attrs = StridedSliceAttrs());

class StridedSliceAssignAttrs : public OpAttrs {
 public:
  StridedSliceAssignAttrs& begin_mask(int64_t value) {
    Set("begin_mask", value);
    return *this;
  }
  StridedSliceAssignAttrs& end_mask(int64_t value) {
    Set("end_mask", value);
    return *this;
  }
  StridedSliceAssignAttrs& ellipsis_mask(int64_t value) {
    Set("ellipsis_mask", value);
    return *this;
  }
  StridedSliceAssignAttrs& new_axis_mask(int64_t value) {
    Set("new_axis_mask", value);
    return *this;
  }
  StridedSliceAssignAttrs& shrink_axis_mask(int64_t value) {
    Set("shrink_axis_mask", value);
    return *this;
  }
};
// (ref: Ref(T), begin: Index, end: Index, strides: Index, value: T) -> (output_ref: Ref(T))
Output StridedSliceAssign(ScopeRef scope, const Input& ref, const Input& begin, const Input& end,
    const Input& strides, const Input& value,
    const StridedSliceAssignAttrs& attrs = StridedSliceAssignAttrs());

class StridedSliceGradAttrs : public OpAttrs {
 public:
  StridedSliceGradAttrs& begin_mask(int64_t value) {
    Set("begin_mask", value);
    return *this;
  }
  StridedSliceGradAttrs& end_mask(int64_t value) {
    Set("end_mask", value);
    return *this;
  }
  StridedSliceGradAttrs& ellipsis_mask(int64_t value) {
    Set("ellipsis_mask", value);
    return *this;
  }
  StridedSliceGradAttrs& new_axis_mask(int64_t value) {
    Set("new_axis_mask", value);
    return *this;
  }
  StridedSliceGradAttrs& shrink_axis_mask(int64_t value) {
    Set("shrink_axis_mask", value);
    return *this;
  }
};
// (shape: Index, begin: Index, end: Index, strides: Index, dy: T) -> (output: T)
Output StridedSliceGrad(ScopeRef scope, const Input& shape, const Input& begin, const Input& end,
    const Input& strides, const Input& dy,
    const StridedSliceGradAttrs& attrs = StridedSliceGradAttrs());

class TensorScatterAddAttrs : public OpAttrs {
 public:
  TensorScatterAddAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (tensor: T, indices: Tindices, updates: T) -> (output: T)
Output TensorScatterAdd(ScopeRef scope, const Input& tensor, const Input& indices,
    const Input& updates, const TensorScatterAddAttrs& attrs = TensorScatterAddAttrs());

class TensorScatterMaxAttrs : public OpAttrs {
 public:
  TensorScatterMaxAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (tensor: T, indices: Tindices, updates: T) -> (output: T)
Output TensorScatterMax(ScopeRef scope, const Input& tensor, const Input& indices,
    const Input& updates, const TensorScatterMaxAttrs& attrs = TensorScatterMaxAttrs());

class TensorScatterMinAttrs : public OpAttrs {
 public:
  TensorScatterMinAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (tensor: T, indices: Tindices, updates: T) -> (output: T)
Output TensorScatterMin(ScopeRef scope, const Input& tensor, const Input& indices,
    const Input& updates, const TensorScatterMinAttrs& attrs = TensorScatterMinAttrs());

class TensorScatterSubAttrs : public OpAttrs {
 public:
  TensorScatterSubAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (tensor: T, indices: Tindices, updates: T) -> (output: T)
Output TensorScatterSub(ScopeRef scope, const Input& tensor, const Input& indices,
    const Input& updates, const TensorScatterSubAttrs& attrs = TensorScatterSubAttrs());

class TensorScatterUpdateAttrs : public OpAttrs {
 public:
  TensorScatterUpdateAttrs& bad_indices_policy(const std::string& value) {
    Set("bad_indices_policy", value);
    return *this;
  }
};
// (tensor: T, indices: Tindices, updates: T) -> (output: T)
Output TensorScatterUpdate(ScopeRef scope, const Input& tensor, const Input& indices,
    const Input& updates, const TensorScatterUpdateAttrs& attrs = TensorScatterUpdateAttrs());

class TensorStridedSliceUpdateAttrs : public OpAttrs {
 public:
  TensorStridedSliceUpdateAttrs& begin_mask(int64_t value) {
    Set("begin_mask", value);
    return *this;
  }
  TensorStridedSliceUpdateAttrs& end_mask(int64_t value) {
    Set("end_mask", value);
    return *this;
  }
  TensorStridedSliceUpdateAttrs& ellipsis_mask(int64_t value) {
    Set("ellipsis_mask", value);
    return *this;
  }
  TensorStridedSliceUpdateAttrs& new_axis_mask(int64_t value) {
    Set("new_axis_mask", value);
    return *this;
  }
  TensorStridedSliceUpdateAttrs& shrink_axis_mask(int64_t value) {
    Set("shrink_axis_mask", value);
    return *this;
  }
};
// (input: T, begin: Index, end: Index, strides: Index, value: T) -> (output: T)
Output TensorStridedSliceUpdate(ScopeRef scope, const Input& input, const Input& begin,
    const Input& end, const Input& strides, const Input& value,
    const TensorStridedSliceUpdateAttrs& attrs = TensorStridedSliceUpdateAttrs());

// (input: T, multiples: Tmultiples) -> (output: T)
Output Tile(ScopeRef scope, const Input& input, const Input& multiples);

// (x: T, perm: Tperm) -> (y: T)
Output Transpose(ScopeRef scope, const Input& x, const Input& perm);

class UniqueAttrs : public OpAttrs {
 public:
  UniqueAttrs& out_idx(DType value) {
    Set("out_idx", value);
    return *this;
  }
};
struct UniqueOutputs {
  Output y;
  Output idx;
  Operation op;
};
// (x: T) -> (y: T, idx: out_idx)
UniqueOutputs Unique(ScopeRef scope, const Input& x, const UniqueAttrs& attrs = UniqueAttrs());

class UniqueV2Attrs : public OpAttrs {
 public:
  UniqueV2Attrs& out_idx(DType value) {
    Set("out_idx", value);
    return *this;
  }
};
struct UniqueV2Outputs {
  Output y;
  Output idx;
  Operation op;
};
// (x: T, axis: Taxis) -> (y: T, idx: out_idx)
UniqueV2Outputs UniqueV2(ScopeRef scope, const Input& x, const Input& axis,
    const UniqueV2Attrs& attrs = UniqueV2Attrs());

class UniqueWithCountsAttrs : public OpAttrs {
 public:
  UniqueWithCountsAttrs& out_idx(DType value) {
    Set("out_idx", value);
    return *this;
  }
};
struct UniqueWithCountsOutputs {
  Output y;
  Output idx;
  Output count;
  Operation op;
};
// (x: T) -> (y: T, idx: out_idx, count: out_idx)
UniqueWithCountsOutputs UniqueWithCounts(ScopeRef scope, const Input& x,
    const UniqueWithCountsAttrs& attrs = UniqueWithCountsAttrs());

class UniqueWithCountsV2Attrs : public OpAttrs {
 public:
  UniqueWithCountsV2Attrs& out_idx(DType value) {
    Set("out_idx", value);
    return *this;
  }
};
struct UniqueWithCountsV2Outputs {
  Output y;
  Output idx;
  Output count;
  Operation op;
};
// (x: T, axis: Taxis) -> (y: T, idx: out_idx, count: out_idx)
UniqueWithCountsV2Outputs UniqueWithCountsV2(ScopeRef scope, const Input& x, const Input& axis,
    const UniqueWithCountsV2Attrs& attrs = UniqueWithCountsV2Attrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_ARRAY_OPS_H_
