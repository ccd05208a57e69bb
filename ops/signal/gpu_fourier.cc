#include "ops/signal/gpu_fourier.h"

#include "ops/array/gpu_copier.h"

namespace warpbeam {
namespace {

// Initialised at compile time: registrations in other files may run before anything here.
GpuFourierTransforms* real_side = nullptr;
GpuFourierTransforms* simulated_side = nullptr;

}  // namespace

GpuFourierRegistration::GpuFourierRegistration(GpuSide side, GpuFourierTransforms* transforms) {
  (side == GpuSide::kReal ? real_side : simulated_side) = transforms;
}

StatusOr<GpuFourierTransforms*> GpuFourierTransformsOf(const GpuStream& stream) {
  GpuFourierTransforms* const side =
      GpuSideOf(stream) == GpuSide::kReal ? real_side : simulated_side;
  if (side == nullptr) return Unimplemented("this build has no Fourier transforms for this GPU");
  return side;
}

bool HasGpuFourier() { return real_side != nullptr && GpuCopier::HasCode(); }

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
