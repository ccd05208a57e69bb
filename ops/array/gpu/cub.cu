// The side of real GPUs of ops/launch/gpu_cub.h.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "ops/launch/gpu_cub.h"
#include "ops/launch/gpu_function.h"

namespace warpbeam::cuda_pass {
namespace {

int LaunchSort(const void* functor, const GpuGrid&, void* stream) {
  const auto& call = *static_cast<const CubCall<GpuSort>*>(functor);
  const GpuSort& sort = call.call;
  return cub::DeviceRadixSort::SortPairs(
      call.scratch, *call.scratch_bytes, sort.keys, sort.sorted_keys, sort.items, sort.sorted_items,
      sort.count, sort.first_bit, sort.end_bit, static_cast<cudaStream_t>(stream));
}

// What stands behind the last number is added to no sum.
int LaunchSumsBefore(const void* functor, const GpuGrid&, void* stream) {
  const auto& call = *static_cast<const CubCall<GpuSumsBefore>*>(functor);
  return cub::DeviceScan::ExclusiveSum(call.scratch, *call.scratch_bytes, call.call.counts,
                                       call.call.counts, call.call.count + 1,
                                       static_cast<cudaStream_t>(stream));
}

GpuFunctionRegistration sort(GpuSort::kName, &LaunchSort);
GpuFunctionRegistration sums_before(GpuSumsBefore::kName, &LaunchSumsBefore);

}  // namespace
}  // namespace warpbeam::cuda_pass
