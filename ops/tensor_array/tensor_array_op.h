// What the ops on tensor arrays share: dtypes of their kernels, handles, shapes, gradients.
//
//   WB_ASSIGN_OR_RETURN(auto array, FindInStep<TensorArray>(ctx, 0));
//   WB_ASSIGN_OR_RETURN(int64_t index, ReadElementIndex(ctx.input(1)));
//   …
//   GradientArray g = GradientArrayOf(c, /*flow=*/c.x(2), /*source_of=*/c.dy(0));
//
// Every op comes in three generations that differ in their handle: a reference to a vector of two
// strings, such a vector, a resource. The flow is a scalar without meaning: passing it from op to
// op orders them.
//
// Ownership: none. Thread safety: pure. Errors: INVALID_ARGUMENT for arguments of a wrong shape.
#ifndef WARPBEAM_OPS_TENSOR_ARRAY_TENSOR_ARRAY_OP_H_
#define WARPBEAM_OPS_TENSOR_ARRAY_TENSOR_ARRAY_OP_H_

#include "graph/gradients/gradient_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/kernel_types.h"
#include "ops/state/step_resource.h"
#include "ops/tensor_array/tensor_array.h"

namespace warpbeam {

inline constexpr char kOldHandles[] = "handles are resources now: use the op with the suffix V3";

// What can be put into an array, and what can be joined to one tensor.
inline constexpr TypeSet kArrayTypes = kPlainTypes | kObjectTypes;
inline constexpr TypeSet kJoinableTypes =
    kPlainTypes | TypeSet{DType::kString, DType::kQInt8, DType::kQUInt8, DType::kQInt32};
inline constexpr TypeSet kArrayGpuTypes = kFloatingTypes | kComplexTypes;

StatusOr<int64_t> ReadElementIndex(const Tensor& index);

// A single element of an array as output 0; zeros where it has no value.
Status SetToElement(KernelContext& ctx, TensorArray::Element element);

// Every output a scalar: the flow, or a size.
Status FlowShape(ShapeContext& c);
// The element shape behind the handle, when it is known.
PartialShape ElementShapeOfHandle(const ShapeContext& c);
PartialShape WithRows(const PartialShape& element, int64_t rows);

// The array of the gradients of the forward node's array (its input 0), of the same generation.
struct GradientArray {
  OutputRef handle;
  OutputRef flow;
};
// Made after `flow`. Arrays of one call of the gradient walk are the same: its name, the first part
// of `source_of`'s name that begins with "gradients", is the array's.
GradientArray GradientArrayOf(GradContext& c, OutputRef flow, OutputRef source_of);
// "TensorArrayRead" and the forward node's "V3".
std::string SameGeneration(const GradContext& c, absl::string_view op);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_TENSOR_ARRAY_TENSOR_ARRAY_OP_H_
