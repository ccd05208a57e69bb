#include "runtime/device/cuda/driver.h"

#include <cuda_runtime_api.h>

#include <mutex>

#include "absl/strings/str_cat.h"
#include "runtime/device/cuda/cuda_status.h"

namespace warpbeam {
namespace {

template <class Function>
Status Find(const char* name, Function* function) {
  constexpr unsigned kVersion = 12000;  // the oldest driver that has all of them in today's form
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  WB_RETURN_IF_ERROR(CudaStatus(
      cudaGetDriverEntryPointByVersion(name, &found, kVersion, cudaEnableDefault, &result),
      absl::StrCat("asking the driver for ", name, " (cudaGetDriverEntryPointByVersion)")));
  if (result != cudaDriverEntryPointSuccess || found == nullptr) {
    return Unavailable("the CUDA driver has no ", name, ": it is too old");
  }
  *function = reinterpret_cast<Function>(found);
  return OkStatus();
}

StatusOr<Driver> Load() {
  Driver driver;
  WB_RETURN_IF_ERROR(Find("cuDeviceGetAttribute", &driver.device_get_attribute));
  WB_RETURN_IF_ERROR(Find("cuMemGetAllocationGranularity", &driver.mem_get_allocation_granularity));
  WB_RETURN_IF_ERROR(Find("cuMemAddressReserve", &driver.mem_address_reserve));
  WB_RETURN_IF_ERROR(Find("cuMemAddressFree", &driver.mem_address_free));
  WB_RETURN_IF_ERROR(Find("cuMemCreate", &driver.mem_create));
  WB_RETURN_IF_ERROR(Find("cuMemRelease", &driver.mem_release));
  WB_RETURN_IF_ERROR(Find("cuMemMap", &driver.mem_map));
  WB_RETURN_IF_ERROR(Find("cuMemUnmap", &driver.mem_unmap));
  WB_RETURN_IF_ERROR(Find("cuMemSetAccess", &driver.mem_set_access));
  return driver;
}

}  // namespace

// What went wrong once need not go wrong again: who asks next looks anew.
StatusOr<const Driver*> Driver::Get() {
  static std::mutex* const mutex = new std::mutex;
  static const Driver* loaded = nullptr;
  std::lock_guard<std::mutex> lock(*mutex);
  if (loaded == nullptr) {
    WB_ASSIGN_OR_RETURN(Driver driver, Load());
    loaded = new Driver(driver);
  }
  return loaded;
}

Status DriverStatus(CUresult result, absl::string_view doing) {
  if (result == CUDA_SUCCESS) return OkStatus();
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return ResourceExhausted(doing, ": out of memory");
  // The driver and the runtime library have the same numbers.
  return Internal(doing, ": ", CudaErrorText(static_cast<cudaError_t>(result)), " (CUDA's driver)");
}

}  // namespace warpbeam
