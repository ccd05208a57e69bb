// What CUDA's return codes are as statuses, and the scope in which a GPU is the current one.
//
//   WB_RETURN_IF_ERROR(CudaStatus(cudaGetDeviceCount(&count), "counting GPUs"));
//   CurrentGpu on(ordinal);   // the calling thread's CUDA calls go to this GPU until the scope
//   ends
//
// Calls that may find that a GPU has failed go through CudaContext::Check (cuda_context.h) instead.
//
// Thread safety: per thread.
#ifndef WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_STATUS_H_
#define WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_STATUS_H_

#include <cuda_runtime_api.h>

#include <string>

#include "graph/types/errors.h"

namespace warpbeam {

Status CudaStatus(cudaError_t error, absl::string_view doing);

// "cudaErrorNoDevice, no CUDA-capable device is detected": the name to look for, and CUDA's words.
std::string CudaErrorText(cudaError_t error);

class CurrentGpu {
 public:
  explicit CurrentGpu(int ordinal) {
    // One that has failed may not even say that it is the current one.
    const bool is_known = cudaGetDevice(&before_) == cudaSuccess;
    const bool is_other = !is_known || before_ != ordinal;
    if (is_other) error_ = cudaSetDevice(ordinal);
    changed_ = is_known && is_other;
  }
  ~CurrentGpu() {
    if (changed_) cudaSetDevice(before_);
  }
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;
  // Where it is not cudaSuccess, calls may go to another GPU (CudaContext::Check).
  cudaError_t error() const { return error_; }

 private:
  int before_ = 0;
  bool changed_ = false;
  cudaError_t error_ = cudaSuccess;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_STATUS_H_
