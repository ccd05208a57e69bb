// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_LIST_OPS_H_
#define WARPBEAM_FRONTEND_OPS_LIST_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (element_shape: shape_type, max_num_elements: int32) -> (handle: variant)
Output EmptyTensorList(ScopeRef scope, const Input& element_shape, const Input& max_num_elements,
    DType element_dtype);

class TensorListConcatAttrs : public OpAttrs {
 public:
  TensorListConcatAttrs& element_shape(const PartialShape& value) {
    Set("element_shape", value);
    return *this;
  }
};
struct TensorListConcatOutputs {
  Output tensor;
  Output lengths;
  Operation op;
};
// (input_handle: variant) -> (tensor: element_dtype, lengths: int64)
TensorListConcatOutputs TensorListConcat(ScopeRef scope, const Input& input_handle,
    DType element_dtype, const TensorListConcatAttrs& attrs = TensorListConcatAttrs());

// (input_a: variant, input_b: variant) -> (output: variant)
Output TensorListConcatLists(ScopeRef scope, const Input& input_a, const Input& input_b,
    DType element_dtype);

struct TensorListConcatV2Outputs {
  Output tensor;
  Output lengths;
  Operation op;
};
// (input_handle: variant, element_shape: shape_type, leading_dims: int64) -> (tensor:
//     element_dtype, lengths: int64)
TensorListConcatV2Outputs TensorListConcatV2(ScopeRef scope, const Input& input_handle,
    const Input& element_shape, const Input& leading_dims, DType element_dtype);

// (input_handle: variant) -> (element_shape: shape_type)
Output TensorListElementShape(ScopeRef scope, const Input& input_handle, DType shape_type);

// (tensor: element_dtype, element_shape: shape_type) -> (output_handle: variant)
Output TensorListFromTensor(ScopeRef scope, const Input& tensor, const Input& element_shape);

// (input_handle: variant, indices: int32, element_shape: int32) -> (values: element_dtype)
Output TensorListGather(ScopeRef scope, const Input& input_handle, const Input& indices,
    const Input& element_shape, DType element_dtype);

// (input_handle: variant, index: int32, element_shape: Tshape) -> (item: element_dtype)
Output TensorListGetItem(ScopeRef scope, const Input& input_handle, const Input& index,
    const Input& element_shape, DType element_dtype);

// (input_handle: variant) -> (length: int32)
Output TensorListLength(ScopeRef scope, const Input& input_handle);

struct TensorListPopBackOutputs {
  Output output_handle;
  Output tensor;
  Operation op;
};
// (input_handle: variant, element_shape: int32) -> (output_handle: variant, tensor: element_dtype)
TensorListPopBackOutputs TensorListPopBack(ScopeRef scope, const Input& input_handle,
    const Input& element_shape, DType element_dtype);

// (input_handle: variant, tensor: element_dtype) -> (output_handle: variant)
Output TensorListPushBack(ScopeRef scope, const Input& input_handle, const Input& tensor);

// (input_handles: variant, tensor: element_dtype) -> (output_handles: variant)
Output TensorListPushBackBatch(ScopeRef scope, const Input& input_handles, const Input& tensor);

// (element_shape: shape_type, num_elements: int32) -> (handle: variant)
Output TensorListReserve(ScopeRef scope, const Input& element_shape, const Input& num_elements,
    DType element_dtype);

// (input_handle: variant, size: int32) -> (output_handle: variant)
Output TensorListResize(ScopeRef scope, const Input& input_handle, const Input& size);

// (tensor: element_dtype, indices: int32, element_shape: shape_type) -> (output_handle: variant)
Output TensorListScatter(ScopeRef scope, const Input& tensor, const Input& indices,
    const Input& element_shape);

// (input_handle: variant, tensor: element_dtype, indices: int32) -> (output_handle: variant)
Output TensorListScatterIntoExistingList(ScopeRef scope, const Input& input_handle,
    const Input& tensor, const Input& indices);

// (tensor: element_dtype, indices: int32, element_shape: shape_type, num_elements: int32) ->
//     (output_handle: variant)
Output TensorListScatterV2(ScopeRef scope, const Input& tensor, const Input& indices,
    const Input& element_shape, const Input& num_elements);

class TensorListSetItemAttrs : public OpAttrs {
 public:
  TensorListSetItemAttrs& resize_if_index_out_of_bounds(bool value) {
    Set("resize_if_index_out_of_bounds", value);
    return *this;
  }
};
// (input_handle: variant, index: int32, item: element_dtype) -> (output_handle: variant)
Output TensorListSetItem(ScopeRef scope, const Input& input_handle, const Input& index,
    const Input& item, const TensorListSetItemAttrs& attrs = TensorListSetItemAttrs());

// (tensor: element_dtype, element_shape: shape_type, lengths: int64) -> (output_handle: variant)
Output TensorListSplit(ScopeRef scope, const Input& tensor, const Input& element_shape,
    const Input& lengths);

class TensorListStackAttrs : public OpAttrs {
 public:
  TensorListStackAttrs& num_elements(int64_t value) {
    Set("num_elements", value);
    return *this;
  }
};
// (input_handle: variant, element_shape: int32) -> (tensor: element_dtype)
Output TensorListStack(ScopeRef scope, const Input& input_handle, const Input& element_shape,
    DType element_dtype, const TensorListStackAttrs& attrs = TensorListStackAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_LIST_OPS_H_
