#include "runtime/device/cuda/cuda_status.h"

namespace warpbeam {

Status CudaStatus(cudaError_t error, absl::string_view doing) {
  switch (error) {
    case cudaSuccess:
      return OkStatus();
    case cudaErrorMemoryAllocation:
      return ResourceExhausted(doing, ": ", cudaGetErrorString(error));
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorDevicesUnavailable:
      return Unavailable(doing, ": ", cudaGetErrorString(error));
    default:
      return Internal(doing, ": ", cudaGetErrorName(error), ", ", cudaGetErrorString(error));
  }
}

}  // namespace warpbeam
