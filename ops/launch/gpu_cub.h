// What CUB, CUDA's library of parallel algorithms, does for kernels of ours: sorting pairs, and
// adding up counts. On simulated GPUs the standard library does it, enqueued like other kernels.
//
//   WB_RETURN_IF_ERROR(EnqueueSumsBefore(ctx, stream, counts, n));     // {3, 1, 2} -> {0, 3, 4, 6}
//   GpuSort sort;
//   sort.keys = keys;    sort.sorted_keys = other_keys;                 // on the GPU
//   sort.items = items;  sort.sorted_items = order;
//   sort.count = n;  sort.end_bit = 20;                                 // keys are below 2^20
//   WB_RETURN_IF_ERROR(EnqueueSort(ctx, stream, sort));
//
// Sums and orders are the same on both sides, to the bit. The code of real GPUs is in
// ops/array/gpu/cub.cu and found by name, as functions of blocks are (gpu_function.h).
//
// Ownership: memory is the caller's, in the order of the stream. Thread safety: any thread. Errors:
// RESOURCE_EXHAUSTED for memory to work in; UNIMPLEMENTED on a real GPU in a build without the
// code; INTERNAL from CUDA.
#ifndef WARPBEAM_OPS_LAUNCH_GPU_CUB_H_
#define WARPBEAM_OPS_LAUNCH_GPU_CUB_H_

#include <cstddef>
#include <cstdint>

#include "ops/launch/pass.h"

namespace warpbeam {

// Pairs of a key and an item, by the bits [first_bit, end_bit) of their keys; equal ones stay in
// the order in which they were. No two of the arrays overlap.
struct GpuSort {
  static constexpr char kName[] = "GpuSort";

  const uint64_t* keys = nullptr;
  uint64_t* sorted_keys = nullptr;
  const int64_t* items = nullptr;
  int64_t* sorted_items = nullptr;
  int64_t count = 0;
  int first_bit = 0, end_bit = 64;

  void RunOnHost() const;
};

// Each of `count` numbers becomes the sum of those before it; the sum of all comes behind them.
struct GpuSumsBefore {
  static constexpr char kName[] = "GpuSumsBefore";

  int64_t* counts = nullptr;  // [count + 1]
  int64_t count = 0;

  void RunOnHost() const;
};

// How either is handed to the side of real GPUs: without scratch memory it is only told how much of
// it there has to be.
template <class Call>
struct CubCall {
  Call call;
  void* scratch = nullptr;
  size_t* scratch_bytes = nullptr;
};

}  // namespace warpbeam

#if WB_HOST_PASS
#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

Status EnqueueSort(KernelContext& ctx, GpuStream& stream, const GpuSort& sort);
Status EnqueueSumsBefore(KernelContext& ctx, GpuStream& stream, int64_t* counts, int64_t count);

}  // namespace warpbeam
#endif

#endif  // WARPBEAM_OPS_LAUNCH_GPU_CUB_H_
