// Driver: the functions of CUDA's driver that the runtime library does not offer.
//
// They are looked up when first asked for, so that a program starts where there is no driver.
//
//   WB_ASSIGN_OR_RETURN(const Driver* driver, Driver::Get());
//   WB_RETURN_IF_ERROR(DriverStatus(driver->mem_unmap(at, bytes), "giving memory back"));
//
// Ownership: static. Thread safety: any thread. Errors: UNAVAILABLE without a driver, or with one
// that is too old.
#ifndef WARPBEAM_RUNTIME_DEVICE_CUDA_DRIVER_H_
#define WARPBEAM_RUNTIME_DEVICE_CUDA_DRIVER_H_

#include <cuda.h>

#include "graph/types/errors.h"

namespace warpbeam {

struct Driver {
  static StatusOr<const Driver*> Get();

  decltype(&cuDeviceGetAttribute) device_get_attribute = nullptr;
  decltype(&cuMemGetAllocationGranularity) mem_get_allocation_granularity = nullptr;
  decltype(&cuMemAddressReserve) mem_address_reserve = nullptr;
  decltype(&cuMemAddressFree) mem_address_free = nullptr;
  decltype(&cuMemCreate) mem_create = nullptr;
  decltype(&cuMemRelease) mem_release = nullptr;
  decltype(&cuMemMap) mem_map = nullptr;
  decltype(&cuMemUnmap) mem_unmap = nullptr;
  decltype(&cuMemSetAccess) mem_set_access = nullptr;
};

Status DriverStatus(CUresult result, absl::string_view doing);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_CUDA_DRIVER_H_
