#include <cudnn.h>

#include "ops/nn/conv/cudnn_status.h"

namespace warpbeam {

Status CudnnStatus(int status, absl::string_view doing) {
  if (status == CUDNN_STATUS_SUCCESS) return OkStatus();
  const auto code = static_cast<cudnnStatus_t>(status);
  char reason[1024] = "";
  cudnnGetLastErrorString(reason, sizeof(reason));
  if (code == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
      code == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED) {
    return ResourceExhausted(doing, ": ", cudnnGetErrorString(code), ", ", reason);
  }
  if (CUDNN_STATUS_CATEGORY(code) == CUDNN_STATUS_NOT_SUPPORTED) {
    return Unimplemented(doing, ": ", cudnnGetErrorString(code), ", ", reason);
  }
  return Internal(doing, ": ", cudnnGetErrorString(code), ", ", reason);
}

}  // namespace warpbeam
