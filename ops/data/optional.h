// Optional: an element or none, as a scalar DT_VARIANT tensor.
//
//   ctx.set_output(0, OptionalToTensor(end ? nullptr : &element));
//   WB_ASSIGN_OR_RETURN(const Element* element, OptionalFromTensor(ctx.input(0)));   // null: none
//
// Ownership: the tensor owns the element. Thread safety: values. Errors: INVALID_ARGUMENT for a
// tensor that holds something else.
#ifndef WARPBEAM_OPS_DATA_OPTIONAL_H_
#define WARPBEAM_OPS_DATA_OPTIONAL_H_

#include "ops/data/dataset.h"

namespace warpbeam {

// Moves from `*element`; null makes an optional without a value.
Tensor OptionalToTensor(Element* element);
StatusOr<const Element*> OptionalFromTensor(const Tensor& tensor);

bool IsOptional(const Variant& variant);
// The element of a variant that is an optional; null: it has none.
const Element* ElementOf(const Variant& optional);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_OPTIONAL_H_
