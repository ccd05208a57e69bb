// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/list_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output EmptyTensorList(ScopeRef scope, const Input& element_shape, const Input& max_num_elements,
    DType element_dtype) {
  return BuildOutput(
      scope.scope(), "EmptyTensorList", {element_shape, max_num_elements},
      OpAttrs()
          .Set("element_dtype", element_dtype));
}

TensorListConcatOutputs TensorListConcat(ScopeRef scope, const Input& input_handle,
    DType element_dtype, const TensorListConcatAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "TensorListConcat", {input_handle},
      OpAttrs(attrs)
          .Set("element_dtype", element_dtype));
  TensorListConcatOutputs outputs;
  outputs.tensor = OutputOf(here, built, "tensor");
  outputs.lengths = OutputOf(here, built, "lengths");
  outputs.op = built;
  return outputs;
}

Output TensorListConcatLists(ScopeRef scope, const Input& input_a, const Input& input_b,
    DType element_dtype) {
  return BuildOutput(
      scope.scope(), "TensorListConcatLists", {input_a, input_b},
      OpAttrs()
          .Set("element_dtype", element_dtype));
}

TensorListConcatV2Outputs TensorListConcatV2(ScopeRef scope, const Input& input_handle,
    const Input& element_shape, const Input& leading_dims, DType element_dtype) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "TensorListConcatV2", {input_handle, element_shape, leading_dims},
      OpAttrs()
          .Set("element_dtype", element_dtype));
  TensorListConcatV2Outputs outputs;
  outputs.tensor = OutputOf(here, built, "tensor");
  outputs.lengths = OutputOf(here, built, "lengths");
  outputs.op = built;
  return outputs;
}

Output TensorListElementShape(ScopeRef scope, const Input& input_handle, DType shape_type) {
  return BuildOutput(
      scope.scope(), "TensorListElementShape", {input_handle},
      OpAttrs()
          .Set("shape_type", shape_type));
}

Output TensorListFromTensor(ScopeRef scope, const Input& tensor, const Input& element_shape) {
  return BuildOutput(
      scope.scope(), "TensorListFromTensor", {tensor, element_shape},
      OpAttrs());
}

Output TensorListGather(ScopeRef scope, const Input& input_handle, const Input& indices,
    const Input& element_shape, DType element_dtype) {
  return BuildOutput(
      scope.scope(), "TensorListGather", {input_handle, indices, element_shape},
      OpAttrs()
          .Set("element_dtype", element_dtype));
}

Output TensorListGetItem(ScopeRef scope, const Input& input_handle, const Input& index,
    const Input& element_shape, DType element_dtype) {
  return BuildOutput(
      scope.scope(), "TensorListGetItem", {input_handle, index, element_shape},
      OpAttrs()
          .Set("element_dtype", element_dtype));
}

Output TensorListLength(ScopeRef scope, const Input& input_handle) {
  return BuildOutput(
      scope.scope(), "TensorListLength", {input_handle},
      OpAttrs());
}

TensorListPopBackOutputs TensorListPopBack(ScopeRef scope, const Input& input_handle,
    const Input& element_shape, DType element_dtype) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "TensorListPopBack", {input_handle, element_shape},
      OpAttrs()
          .Set("element_dtype", element_dtype));
  TensorListPopBackOutputs outputs;
  outputs.output_handle = OutputOf(here, built, "output_handle");
  outputs.tensor = OutputOf(here, built, "tensor");
  outputs.op = built;
  return outputs;
}

Output TensorListPushBack(ScopeRef scope, const Input& input_handle, const Input& tensor) {
  return BuildOutput(
      scope.scope(), "TensorListPushBack", {input_handle, tensor},
      OpAttrs());
}

Output TensorListPushBackBatch(ScopeRef scope, const Input& input_handles, const Input& tensor) {
  return BuildOutput(
      scope.scope(), "TensorListPushBackBatch", {input_handles, tensor},
      OpAttrs());
}

Output TensorListReserve(ScopeRef scope, const Input& element_shape, const Input& num_elements,
    DType element_dtype) {
  return BuildOutput(
      scope.scope(), "TensorListReserve", {element_shape, num_elements},
      OpAttrs()
          .Set("element_dtype", element_dtype));
}

Output TensorListResize(ScopeRef scope, const Input& input_handle, const Input& size) {
  return BuildOutput(
      scope.scope(), "TensorListResize", {input_handle, size},
      OpAttrs());
}

Output TensorListScatter(ScopeRef scope, const Input& tensor, const Input& indices,
    const Input& element_shape) {
  return BuildOutput(
      scope.scope(), "TensorListScatter", {tensor, indices, element_shape},
      OpAttrs());
}

Output TensorListScatterIntoExistingList(ScopeRef scope, const Input& input_handle,
    const Input& tensor, const Input& indices) {
  return BuildOutput(
      scope.scope(), "TensorListScatterIntoExistingList", {input_handle, tensor, indices},
      OpAttrs());
}

Output TensorListScatterV2(ScopeRef scope, const Input& tensor, const Input& indices,
    const Input& element_shape, const Input& num_elements) {
  return BuildOutput(
      scope.scope(), "TensorListScatterV2", {tensor, indices, element_shape, num_elements},
      OpAttrs());
}

Output TensorListSetItem(ScopeRef scope, const Input& input_handle, const Input& index,
    const Input& item, const TensorListSetItemAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TensorListSetItem", {input_handle, index, item},
      attrs);
}

Output TensorListSplit(ScopeRef scope, const Input& tensor, const Input& element_shape,
    const Input& lengths) {
  return BuildOutput(
      scope.scope(), "TensorListSplit", {tensor, element_shape, lengths},
      OpAttrs());
}

Output TensorListStack(ScopeRef scope, const Input& input_handle, const Input& element_shape,
    DType element_dtype, const TensorListStackAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TensorListStack", {input_handle, element_shape},
      OpAttrs(attrs)
          .Set("element_dtype", element_dtype));
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
