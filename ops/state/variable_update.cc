#include "ops/state/variable_update.h"

#include <cstring>
#include <utility>

#include "runtime/device/device.h"

namespace warpbeam {

Status CopyOnGpu(const KernelContext& ctx, GpuStream& stream, void* to, const void* from,
                 size_t bytes) {
  if (bytes == 0) return OkStatus();
  // Where kernels run on the stream themselves this one is running: what it enqueued came too late.
  if (stream.runs_host_code()) return stream.RunOnHost([=] { memcpy(to, from, bytes); });
  return ctx.device()->compute_stream()->Copy(to, from, bytes);
}

Status ZeroOnGpu(const KernelContext& ctx, GpuStream& stream, void* to, size_t bytes) {
  if (bytes == 0) return OkStatus();
  if (stream.runs_host_code()) return stream.RunOnHost([=] { memset(to, 0, bytes); });
  return ctx.device()->compute_stream()->Fill(to, 0, bytes);
}

Status ModifyOnGpu(KernelContext& ctx, GpuStream& stream, Variable& variable,
                   absl::FunctionRef<Status(Tensor& value)> change) {
  return variable.Update([&](Tensor& value) -> Status {
    WB_RETURN_IF_ERROR(CheckInitialized(variable, value));
    WB_ASSIGN_OR_RETURN(Tensor own, RoomForSuccessor(ctx, value));
    if (own.raw_data() != value.raw_data()) {
      WB_RETURN_IF_ERROR(CopyOnGpu(ctx, stream, own.raw_data(), value.raw_data(), value.bytes()));
    }
    WB_RETURN_IF_ERROR(change(own));
    value = std::move(own);
    return OkStatus();
  });
}

StatusOr<Tensor> RoomForSuccessor(const KernelContext& ctx, Tensor& value) {
  value.set_raw_data(ctx.device()->ToKernelAddress(value.raw_data()));
  if (value.IsUnique()) return value;
  return ctx.AllocateTemp(value.dtype(), value.shape());
}

StatusOr<Tensor> ValueToKeepOnGpu(const KernelContext& ctx, GpuStream& stream,
                                  const Tensor& value) {
  if (!WastesItsBuffer(value)) return value;
  WB_ASSIGN_OR_RETURN(Tensor copy, ctx.AllocateTemp(value.dtype(), value.shape()));
  WB_RETURN_IF_ERROR(CopyOnGpu(ctx, stream, copy.raw_data(), value.raw_data(), value.bytes()));
  return copy;
}

}  // namespace warpbeam
