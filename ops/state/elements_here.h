// Elements where a kernel's tensors lie: copied, set to zero and added up in host memory at once,
// on a GPU in the order of its kernels.
//
//   WB_RETURN_IF_ERROR(CopyHere(ctx, dtype, value.raw_data(), x.raw_data(), count));
//   WB_RETURN_IF_ERROR(AddHere(ctx, value, x));
//
// Ops on lists and arrays of tensors work on what is known on the host, and only move elements, or
// add some up. With these they are the same on all devices and are registered as SameOnGpu.
//
// Ownership: the addresses are kernels'. Thread safety: uses the context's threads. Errors: those
// of launches; of AddHere, as of UpdateElementwise.
#ifndef WARPBEAM_OPS_STATE_ELEMENTS_HERE_H_
#define WARPBEAM_OPS_STATE_ELEMENTS_HERE_H_

#include "graph/types/tensor.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// `to` and `from` are of the context's device, unless the type is one of the host's only.
Status CopyHere(const KernelContext& ctx, DType dtype, void* to, const void* from, int64_t count);
Status ZeroHere(const KernelContext& ctx, DType dtype, void* to, int64_t count);
// sum += addend, whose shapes and dtypes have to be equal.
Status AddHere(const KernelContext& ctx, Tensor& sum, const Tensor& addend);

// The launch behind AddHere and the ops AssignAdd and AssignSub: to = value + delta, or less. They
// are alike, of numbers, and `to` may be `value`.
Status EnqueueSum(GpuStream& stream, bool subtracts, const Tensor& value, const Tensor& delta,
                  Tensor* to);
// Whether there is code for it.
bool HasSumsOnGpu();

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_ELEMENTS_HERE_H_
