#include "runtime/device/cuda/cuda_status.h"

namespace warpbeam {

Status CudaStatus(cudaError_t error, absl::string_view doing) {
  switch (error) {
    case cudaSuccess:
      return OkStatus();
    case cudaErrorMemoryAllocation:
      return ResourceExhausted(doing, ": ", CudaErrorText(error));
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorDevicesUnavailable:
      return Unavailable(doing, ": ", CudaErrorText(error));
    default:
      return Internal(doing, ": ", CudaErrorText(error));
  }
}

std::string CudaErrorText(cudaError_t error) {
  return absl::StrCat(cudaGetErrorName(error), ", ", cudaGetErrorString(error));
}

}  // namespace warpbeam
