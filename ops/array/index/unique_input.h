// What the kernels of Unique have in common, whatever device they are on.
//
//   WB_RETURN_IF_ERROR(CheckUniqueInput(ctx.input(0)));
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT for what is no vector, and for more
// elements than the output's type can number.
#ifndef WARPBEAM_OPS_ARRAY_INDEX_UNIQUE_INPUT_H_
#define WARPBEAM_OPS_ARRAY_INDEX_UNIQUE_INPUT_H_

#include <cstdint>
#include <limits>

#include "graph/types/errors.h"
#include "graph/types/tensor.h"

namespace warpbeam {

inline Status CheckUniqueInput(const Tensor& x) {
  if (x.rank() == 1) return OkStatus();
  return InvalidArgument("unique expects a vector, not a tensor of shape ", x.shape().ToString());
}

inline Status CheckUniqueNumbers(int64_t count, DType numbers) {
  if (numbers != DType::kInt32 || count <= std::numeric_limits<int32_t>::max()) return OkStatus();
  return InvalidArgument("an int32 output cannot number ", count,
                         " slices; ask for int64 by out_idx");
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_INDEX_UNIQUE_INPUT_H_
