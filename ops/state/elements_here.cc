#include "ops/state/elements_here.h"

#include "ops/array/strided_copy.h"
#include "ops/state/elementwise_update.h"
#include "ops/state/variable_update.h"
#include "runtime/device/device.h"

namespace warpbeam {
namespace {

// Kernels of a device that runs those of GPUs are enqueued: they may not touch its memory.
bool IsEnqueued(const KernelContext& ctx, DType dtype) {
  return ctx.device() != nullptr && ctx.device()->type() == DeviceType::kGpu &&
         ctx.device()->runs_gpu_kernels() && !IsHostOnly(dtype);
}

}  // namespace

Status CopyHere(const KernelContext& ctx, DType dtype, void* to, const void* from, int64_t count) {
  if (IsEnqueued(ctx, dtype)) {
    GpuStream stream(*ctx.device());
    return CopyOnGpu(ctx, stream, to, from, static_cast<size_t>(count) * DTypeSize(dtype));
  }
  CopyRange(ctx, dtype, to, from, count);
  return OkStatus();
}

Status ZeroHere(const KernelContext& ctx, DType dtype, void* to, int64_t count) {
  if (IsEnqueued(ctx, dtype)) {
    GpuStream stream(*ctx.device());
    return ZeroOnGpu(ctx, stream, to, static_cast<size_t>(count) * DTypeSize(dtype));
  }
  ZeroRange(ctx, dtype, to, count);
  return OkStatus();
}

Status AddHere(const KernelContext& ctx, Tensor& sum, const Tensor& addend) {
  if (!IsEnqueued(ctx, sum.dtype())) return UpdateElementwise(ctx, ScatterOp::kAdd, sum, addend);
  WB_RETURN_IF_ERROR(CheckElementwiseUpdate(sum, addend));
  GpuStream stream(*ctx.device());
  return EnqueueSum(stream, /*subtracts=*/false, sum, addend, &sum);
}

}  // namespace warpbeam
