// Shape functions of list ops: what is known of a list travels beside its handle as the dtype and
// the shape of an element.
//
//   WB_ASSIGN_OR_RETURN(PartialShape element, ListElementShape(c, /*list=*/0));
//   c.set_output_handle(0, c.input_handle(0));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for an element that cannot be the list's.
#ifndef WARPBEAM_OPS_LIST_LIST_SHAPES_H_
#define WARPBEAM_OPS_LIST_LIST_SHAPES_H_

#include "graph/op/shape_context.h"
#include "graph/types/dtype.h"
#include "ops/array/kernel_types.h"

namespace warpbeam {

// The dtypes that lists can join to tensors, on CPUs and on GPUs.
inline constexpr TypeSet kListTypes =
    kPlainTypes | kQuantizedTypes | TypeSet{DType::kString, DType::kVariant};
inline constexpr TypeSet kListGpuTypes =
    kFloatingTypes | kComplexTypes | kIndexTypes | TypeSet{DType::kBool};

// The element shape that the list's handle tells; unknown where it tells nothing or of elements of
// another type than the op's "element_dtype". Checks the handle to be a scalar.
StatusOr<PartialShape> ListElementShape(const ShapeContext& c, int list);
// The same, with what input `shape` says.
StatusOr<PartialShape> ListElementShape(const ShapeContext& c, int list, int shape);
// Output 0 is a list with elements of "element_dtype" and this shape.
Status SetListOutput(ShapeContext& c, PartialShape element_shape);
// Output 0 is a list like input 0.
Status SameList(ShapeContext& c);
// The shape of a row of input `i`, which must have a first dimension.
StatusOr<PartialShape> RowShape(const ShapeContext& c, int i);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LIST_LIST_SHAPES_H_
