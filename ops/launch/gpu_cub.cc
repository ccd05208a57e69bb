#include "ops/launch/gpu_cub.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "ops/launch/gpu_function.h"
#include "ops/launch/gpu_launch.h"

namespace warpbeam {
namespace {

template <class Call>
Status EnqueueByCub(KernelContext& ctx, GpuStream& stream, const Call& call) {
  if (stream.runs_host_code()) {
    return stream.RunOnHost([call] { call.RunOnHost(); });
  }
  static const GpuFunctionLaunch launch = FindGpuFunction(Call::kName);
  if (launch == nullptr) return Unimplemented("this build has no GPU code of ", Call::kName);
  void* const on = stream.native_handle();
  size_t bytes = 0;
  CubCall<Call> cub = {call, nullptr, &bytes};
  WB_RETURN_IF_ERROR(GpuStatus(launch(&cub, GpuGrid(), on), Call::kName));
  WB_ASSIGN_OR_RETURN(
      Tensor scratch,
      ctx.AllocateTemp(DType::kUInt8, Shape({std::max<int64_t>(1, static_cast<int64_t>(bytes))})));
  cub.scratch = scratch.raw_data();
  return GpuStatus(launch(&cub, GpuGrid(), on), Call::kName);
}

}  // namespace

void GpuSort::RunOnHost() const {
  const int bits = end_bit - first_bit;
  const uint64_t mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return (keys[a] >> first_bit & mask) < (keys[b] >> first_bit & mask);
  });
  for (int64_t i = 0; i < count; ++i) {
    sorted_keys[i] = keys[order[static_cast<size_t>(i)]];
    sorted_items[i] = items[order[static_cast<size_t>(i)]];
  }
}

void GpuSumsBefore::RunOnHost() const {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t own = counts[i];
    counts[i] = sum;
    sum += own;
  }
  counts[count] = sum;
}

Status EnqueueSort(KernelContext& ctx, GpuStream& stream, const GpuSort& sort) {
  if (sort.count == 0) return OkStatus();
  return EnqueueByCub(ctx, stream, sort);
}

Status EnqueueSumsBefore(KernelContext& ctx, GpuStream& stream, int64_t* counts, int64_t count) {
  return EnqueueByCub(ctx, stream, GpuSumsBefore{counts, count});
}

}  // namespace warpbeam
