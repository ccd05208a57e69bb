// GpuCopier: strided copies enqueued on a GPU; the other side of HostCopier.
//
//   GpuCopier copier(stream);
//   WB_RETURN_IF_ERROR(copier.Copy(x.dtype(), to, from, dims));
//   return copier.Finish();                                  // enqueues what is still planned
//
// Copies are planned (ops/array/copy_plan.h) and launched several at a time, so that the parts
// of a concatenation are one launch.
//
// Ownership: the stream outlives it. Thread safety: one thread. Errors: see StridedCopier.
#ifndef WARPBEAM_OPS_ARRAY_GPU_COPIER_H_
#define WARPBEAM_OPS_ARRAY_GPU_COPIER_H_

#include "ops/array/copy_plan.h"
#include "ops/array/strided_copier.h"
#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

class GpuCopier final : public StridedCopier {
 public:
  explicit GpuCopier(GpuStream& stream) : stream_(stream) {}

  // Whether this build has code of real GPUs for it.
  static bool HasCode();

  using StridedCopier::Copy;
  Status Copy(DType dtype, void* to, const void* from, Span<const CopyDim> dims) override;
  Status Fill(DType dtype, void* to, const void* value, int64_t count) override;
  Status Zero(DType dtype, void* to, int64_t count) override;
  Status Then() override;
  // Values of the host's memory, which may go when this returns: they travel with the launches. For
  // some hundred numbers, not for tensors.
  Status CopyFromHost(void* to, const void* values, int64_t bytes);
  Status Finish() { return Then(); }

 private:
  GpuStream& stream_;
  CopyPlans plans_;
};

// Output 0 with the elements of input 0, to be changed there: the input's own memory where nobody
// else needs it, else a copy.
StatusOr<Tensor*> ForwardOrCopy(KernelContext& ctx, GpuStream& stream);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_GPU_COPIER_H_
