// Zeros in a GPU's memory, for what a kernel does not compute or adds to.
//
//   WB_RETURN_IF_ERROR(LaunchZeros(stream, y->data<float>(), y->num_elements()));
//
// Thread safety: any thread. Errors: those of a launch.
#ifndef WARPBEAM_OPS_NN_GPU_LOOPS_ZEROS_H_
#define WARPBEAM_OPS_NN_GPU_LOOPS_ZEROS_H_

#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

// `bytes` is even.
Status LaunchZeroBytes(GpuStream& stream, void* to, int64_t bytes);

// Elements whose zero has no bit set.
template <class T>
Status LaunchZeros(GpuStream& stream, T* to, int64_t count) {
  static_assert(sizeof(T) % 2 == 0);
  return LaunchZeroBytes(stream, to, count * static_cast<int64_t>(sizeof(T)));
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_GPU_LOOPS_ZEROS_H_
