// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_ARRAY_OPS_2_H_
#define WARPBEAM_FRONTEND_OPS_ARRAY_OPS_2_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

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

class UnpackAttrs : public OpAttrs {
 public:
  UnpackAttrs& axis(int64_t value) {
    Set("axis", value);
    return *this;
  }
};
// (value: T) -> (output: num * T)
std::vector<Output> Unpack(ScopeRef scope, const Input& value, int64_t num,
    const UnpackAttrs& attrs = UnpackAttrs());

// (indices: Tidx, dims: Tidx) -> (output: Tidx)
Output UnravelIndex(ScopeRef scope, const Input& indices, const Input& dims);

class UpperBoundAttrs : public OpAttrs {
 public:
  UpperBoundAttrs& out_type(DType value) {
    Set("out_type", value);
    return *this;
  }
};
// (sorted_inputs: T, values: T) -> (output: out_type)
Output UpperBound(ScopeRef scope, const Input& sorted_inputs, const Input& values,
    const UpperBoundAttrs& attrs = UpperBoundAttrs());

// (input: T) -> (index: int64)
Output Where(ScopeRef scope, const Input& input);

// (x: T) -> (y: T)
Output ZerosLike(ScopeRef scope, const Input& x);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_ARRAY_OPS_2_H_
