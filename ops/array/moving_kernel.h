// MovingKernel: the kernels for CPU and GPU of an op that only moves elements.
//
//   Status RunSlice(KernelContext& ctx, StridedCopier& copier) { … }
//   WB_KERNEL("Slice", MovingKernel<FunctionOp<RunSlice>>);
//   WB_GPU_KERNEL("Slice", MovingKernelOnGpu<FunctionOp<RunSlice>>);
//
// See ops/array/two_sided_kernel.h, for thread safety and errors too.
#ifndef WARPBEAM_OPS_ARRAY_MOVING_KERNEL_H_
#define WARPBEAM_OPS_ARRAY_MOVING_KERNEL_H_

#include "ops/array/gpu_copier.h"
#include "ops/array/strided_copier.h"
#include "ops/array/two_sided_kernel.h"

namespace warpbeam {

template <class Op>
using MovingKernel = KernelOnHost<Op, HostCopier>;
template <class Op>
using MovingKernelOnGpu = KernelOnGpu<Op, GpuCopier>;

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_MOVING_KERNEL_H_
