// How many elements Range gives, for its shape function and its kernels on CPU and GPU.
//
//   WB_ASSIGN_OR_RETURN(const int64_t size, RangeSize(start, limit, delta));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for a delta of 0 or away from the limit, for what
// is no scalar, and for more elements than an int64 counts.
#ifndef WARPBEAM_OPS_ARRAY_RANGE_SIZE_H_
#define WARPBEAM_OPS_ARRAY_RANGE_SIZE_H_

#include "graph/types/tensor.h"
#include "ops/launch/type_list.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

using RangeTypes = TypeList<Half, BFloat16, float, double, int8_t, int16_t, int32_t, int64_t,
                            uint16_t, uint32_t, uint64_t>;

// Of scalars.
StatusOr<int64_t> RangeSize(const Tensor& start, const Tensor& limit, const Tensor& delta);
// Of the inputs of a kernel.
StatusOr<int64_t> RangeSize(const KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_RANGE_SIZE_H_
