// ReduceOnGpu: what Reduce (ops/math/reduction.h) computes, enqueued on a GPU.
//
//   WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape({x.dim(1)})));
//   return ReduceOnGpu(ctx, stream, Reduction::kSum, x, /*axes=*/uint64_t{1}, y);   // over dim 0
//
// A group of threads reduces one result: neighbouring threads read neighbouring elements of a row
// or neighbouring columns. Where there are fewer results than a GPU has threads for, each range is
// cut into pieces whose results a second launch joins. All of that depends on the shape alone, and
// so do the bits of the result.
//
// 16-bit floats are added up in float and rounded once.
//
// Thread safety: pure but for the output. Errors: UNIMPLEMENTED for an element type without the
// reduction, and for more than nine changes between reduced and other dimensions;
// RESOURCE_EXHAUSTED when there is no memory for partial results.
#ifndef WARPBEAM_OPS_MATH_GPU_GPU_REDUCTION_H_
#define WARPBEAM_OPS_MATH_GPU_GPU_REDUCTION_H_

#include <cstdint>

#include "graph/types/tensor.h"
#include "ops/launch/index_division.h"
#include "ops/math/reduction.h"
#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

Status ReduceOnGpu(KernelContext& ctx, GpuStream& stream, Reduction reduction, const Tensor& x,
                   uint64_t axes, Tensor* out);

// out[i] = the sum of all x[kept.Offset(i) + reduced.Offset(j)], of floating or complex numbers:
// with nothing to reduce, a tensor in another order.
Status SumStridedOnGpu(KernelContext& ctx, GpuStream& stream, const Tensor& x,
                       const StridedDims& kept, const StridedDims& reduced, Tensor* out);

// Whether this build has the code for real GPUs.
bool HasGpuReductions();

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_GPU_GPU_REDUCTION_H_
