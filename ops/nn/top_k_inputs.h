// What TopK, TopKV2 and ApproxTopK ask of their attributes and inputs, on every device.
//
//   WB_ASSIGN_OR_RETURN(const int64_t attr, ReadTopKAttrs(init));     // in Create
//   WB_ASSIGN_OR_RETURN(const int64_t k, ReadTopK(ctx, attr));        // in Compute
//   WB_ASSIGN_OR_RETURN(const Shape shape, TopKOutputShape(x.shape(), k));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for rows with fewer than k elements, UNIMPLEMENTED
// for an ApproxTopK of the least elements, or along another dimension than the last.
#ifndef WARPBEAM_OPS_NN_TOP_K_INPUTS_H_
#define WARPBEAM_OPS_NN_TOP_K_INPUTS_H_

#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// k, or -1 where it is an input.
StatusOr<int64_t> ReadTopKAttrs(const KernelInit& init);
StatusOr<int64_t> ReadTopK(const KernelContext& ctx, int64_t attr);
StatusOr<Shape> TopKOutputShape(const Shape& input, int64_t k);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_TOP_K_INPUTS_H_
