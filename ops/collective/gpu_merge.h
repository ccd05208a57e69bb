// Reductions of several tensors to one on a GPU, element by element, in the order of the tensors:
// every addition is rounded to their type, as on the CPU.
//
//   GpuMerge sum;
//   sum.op = MergeOp::kAdd;  sum.dtype = DType::kFloat;  sum.count = n;
//   sum.in = {a, b};  sum.out = c;
//   WB_RETURN_IF_ERROR(MergeOnGpu(stream, sum));
//
// Addresses are those of kernels. Ownership: memory is the caller's, in the order of the stream.
// Thread safety: any thread. Errors: UNIMPLEMENTED without code for the GPU; those of the driver.
#ifndef WARPBEAM_OPS_COLLECTIVE_GPU_MERGE_H_
#define WARPBEAM_OPS_COLLECTIVE_GPU_MERGE_H_

#include <cstdint>
#include <vector>

#include "graph/types/dtype.h"
#include "graph/types/errors.h"
#include "runtime/comm/collective_kind.h"
#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

struct GpuMerge {
  MergeOp op = MergeOp::kAdd;
  DType dtype = DType::kInvalid;
  std::vector<const void*> in;
  void* out = nullptr;  // may be the first of `in`
  int64_t count = 0;
};
Status MergeOnGpu(GpuStream& stream, const GpuMerge& merge);

// Divides so many elements by a number, in place, on any stream of the device.
struct GpuDivision {
  DType dtype = DType::kInvalid;
  void* data = nullptr;
  int64_t count = 0;
  int64_t by = 1;
};
Status DivideOnGpu(const Device& device, Stream& stream, const GpuDivision& division);

// Whether this build has code of real GPUs for either.
bool HasGpuMerge();

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_COLLECTIVE_GPU_MERGE_H_
