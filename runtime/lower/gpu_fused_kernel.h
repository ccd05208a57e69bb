// GpuFusedKernel: a group of elementwise nodes of a GPU, enqueued as one launch.
//
// What the launch is told is laid out when the kernel is made (runtime/kernel/gpu_program.h); a run
// fills in addresses. Chains read each of their inputs once and write what somebody reads; updates
// read and write their variables once, and their scalars are read on the device.
//
//   FusedProgram program;                          // its steps have a gpu_function
//   std::unique_ptr<Kernel> kernel = NewGpuFusedKernel(std::move(program));
//
// A run that is not what the plan expected launches its members one by one (fused_run.h).
//
// Internal to runtime/lower/. Ownership: the program's kernels must outlive the fused one. Thread
// safety: any number of steps at once. Errors: a member's, with its name; of the launch. INTERNAL
// from every step where nothing is registered that could launch it.
#ifndef WARPBEAM_RUNTIME_LOWER_GPU_FUSED_KERNEL_H_
#define WARPBEAM_RUNTIME_LOWER_GPU_FUSED_KERNEL_H_

#include <memory>

#include "runtime/lower/fused_kernel.h"

namespace warpbeam {

std::unique_ptr<Kernel> NewGpuFusedKernel(FusedProgram program);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_LOWER_GPU_FUSED_KERNEL_H_
