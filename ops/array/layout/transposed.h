// Transposed: what Transpose and ConjugateTranspose share, for the CPU and for GPUs.
//
//   WB_ASSIGN_OR_RETURN(Tensor y, Transposed(ctx, copier));
//
// The inputs of the kernel are a tensor and a permutation. The result shares the input's buffer
// where no element moves. Thread safety: as the copier. Errors: INVALID_ARGUMENT for what is no
// permutation; those of the copier.
#ifndef WARPBEAM_OPS_ARRAY_LAYOUT_TRANSPOSED_H_
#define WARPBEAM_OPS_ARRAY_LAYOUT_TRANSPOSED_H_

#include "ops/array/strided_copier.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

StatusOr<Tensor> Transposed(KernelContext& ctx, StridedCopier& copier);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_LAYOUT_TRANSPOSED_H_
