#include "ops/signal/gpu_fourier.h"

#include "ops/array/gpu_copier.h"

namespace warpbeam {
namespace {

GpuSides<GpuFourierTransforms> sides("Fourier transforms");

}  // namespace

GpuFourierRegistration::GpuFourierRegistration(GpuSide side, GpuFourierTransforms* transforms) {
  sides.Register(side, transforms);
}

StatusOr<GpuFourierTransforms*> GpuFourierTransformsOf(const GpuStream& stream) {
  return sides.Of(stream);
}

bool HasGpuFourier() { return sides.real() != nullptr && GpuCopier::HasCode(); }

Status EnqueueFourier(KernelContext& ctx, GpuStream& stream, const GpuFourierTransform& transform) {
  WB_ASSIGN_OR_RETURN(GpuFourierTransforms * side, GpuFourierTransformsOf(stream));
  WB_ASSIGN_OR_RETURN(const int64_t bytes, side->WorkspaceBytes(stream, transform));
  WB_ASSIGN_OR_RETURN(Tensor workspace, ctx.AllocateTemp(DType::kUInt8, Shape({bytes})));
  return side->Enqueue(stream, transform, workspace.raw_data(), bytes);
}

Status EnqueueZeros(GpuStream& stream, Tensor* y) {
  GpuCopier copier(stream);
  WB_RETURN_IF_ERROR(copier.Zero(y->dtype(), y->raw_data(), y->num_elements()));
  return copier.Finish();
}

}  // namespace warpbeam
