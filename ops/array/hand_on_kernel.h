// HandOnKernel: the kernels for CPU and GPU of an op whose output is its input under another shape,
// dtype or condition, so that no byte is looked at.
//
//   Status RunBitcast(KernelContext& ctx, const Nothing&) { … }
//   WB_KERNEL("Bitcast", HandOnKernel<FunctionOp<RunBitcast>>);
//   WB_GPU_KERNEL("Bitcast", HandOnKernelOnGpu<FunctionOp<RunBitcast>>);
//
// See ops/array/two_sided_kernel.h, for thread safety and errors too.
#ifndef WARPBEAM_OPS_ARRAY_HAND_ON_KERNEL_H_
#define WARPBEAM_OPS_ARRAY_HAND_ON_KERNEL_H_

#include "ops/array/two_sided_kernel.h"

namespace warpbeam {

// The means of an op that needs none.
struct Nothing {
  explicit Nothing(const KernelContext&) {}
  explicit Nothing(GpuStream&) {}
  static bool HasCode() { return true; }
  Status Finish() const { return OkStatus(); }
};

template <class Op>
using HandOnKernel = KernelOnHost<Op, Nothing>;
template <class Op>
using HandOnKernelOnGpu = KernelOnGpu<Op, Nothing>;

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_HAND_ON_KERNEL_H_
