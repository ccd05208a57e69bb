// RaggedVariant: a ragged tensor as one value, an element of a DT_VARIANT tensor, so that functions
// over single tensors (map, while loops, lists) can take rows of ragged tensors.
//
//   out->data<Variant>()[i] = Variant::Of(RaggedVariant{{}, values});
//   WB_ASSIGN_OR_RETURN(const RaggedVariant* r, RaggedInput(ctx.input(0), i));
//
// Ownership: shares the buffers. Thread safety: a value. Errors: INVALID_ARGUMENT for a variant
// that holds something else.
#ifndef WARPBEAM_OPS_RAGGED_RAGGED_VARIANT_H_
#define WARPBEAM_OPS_RAGGED_RAGGED_VARIANT_H_

#include <vector>

#include "graph/types/errors.h"
#include "graph/types/tensor.h"

namespace warpbeam {

struct RaggedVariant {
  std::vector<Tensor> splits;  // outermost first; none: a dense tensor
  Tensor values;
};

// Element i of a tensor of variants.
inline StatusOr<const RaggedVariant*> RaggedInput(const Tensor& variants, int64_t i) {
  const Variant& variant = variants.data<Variant>()[i];
  const RaggedVariant* ragged = variant.get<RaggedVariant>();
  if (ragged != nullptr) return ragged;
  return InvalidArgument("Input Variant element at index ", i,
                         " doesn't hold a RaggedTensorVariant: it holds ", variant.type_name());
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RAGGED_RAGGED_VARIANT_H_
