#include "runtime/device/cuda/cuda_context.h"

#include <algorithm>
#include <map>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/device/cuda/cuda_status.h"
#include "runtime/device/cuda/driver.h"

namespace warpbeam {

// Those of which CUDA's documentation says that the process has to be restarted, and errors of the
// hardware that it could not mend.
bool BreaksContext(cudaError_t error) {
  switch (error) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
      return true;
    default:
      return false;
  }
}

CudaContext& CudaContext::Of(int ordinal) {
  static auto* const mutex = new std::mutex;
  static auto* const all = new std::map<int, std::unique_ptr<CudaContext>>;
  std::lock_guard<std::mutex> lock(*mutex);
  std::unique_ptr<CudaContext>& context = (*all)[ordinal];
  if (context == nullptr) context.reset(new CudaContext(ordinal));
  return *context;
}

Status CudaContext::Check(cudaError_t error, absl::string_view doing, absl::string_view on) {
  if (error == cudaSuccess) return OkStatus();
  const std::string what = on.empty() ? std::string(doing) : absl::StrCat(doing, " on ", on);
  if (!BreaksContext(error)) return CudaStatus(error, what);
  Break(error, what);
  return Broken();
}

Status CudaContext::Check(const CurrentGpu& current) {
  return Check(current.error(), "making a GPU the current one (cudaSetDevice)");
}

Status CudaContext::CheckDriver(CUresult result, absl::string_view doing) {
  const auto error = static_cast<cudaError_t>(result);
  return BreaksContext(error) ? Check(error, doing) : DriverStatus(result, doing);
}

void CudaContext::Break(cudaError_t error, absl::string_view doing) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!cause_.empty()) return;
  cause_ = absl::StrCat(doing, ": ", CudaErrorText(error));
  if (launches_.empty()) {
    absl::StrAppend(&cause_, " (found after it happened: run with cuda_blocking to find the node)");
  } else {
    absl::StrAppend(&cause_, " (in ", absl::StrJoin(launches_, ", or in "), ")");
  }
  is_broken_.store(true, std::memory_order_release);
}

Status CudaContext::Broken() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return Internal("the GPU ", ordinal_,
                  " cannot be used any more, the process has to be restarted: ", cause_);
}

void CudaContext::Begin(const std::string& what) {
  std::lock_guard<std::mutex> lock(mutex_);
  launches_.push_back(what);
}

void CudaContext::End(const std::string& what) {
  std::lock_guard<std::mutex> lock(mutex_);
  launches_.erase(std::find(launches_.begin(), launches_.end(), what));
}

}  // namespace warpbeam
