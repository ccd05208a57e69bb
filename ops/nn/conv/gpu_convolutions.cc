#include "ops/nn/conv/gpu_convolutions.h"

namespace warpbeam {
namespace {

// Initialised at compile time: registrations in other files may run before anything here.
GpuConvolutions* real = nullptr;
GpuConvolutions* simulated = nullptr;

}  // namespace

GpuConvolutionsRegistration::GpuConvolutionsRegistration(GpuSide side,
                                                         GpuConvolutions* convolutions) {
  (side == GpuSide::kReal ? real : simulated) = convolutions;
}

StatusOr<GpuConvolutions*> GpuConvolutionsOf(const GpuStream& stream) {
  GpuConvolutions* const convolutions = GpuSideOf(stream) == GpuSide::kReal ? real : simulated;
  if (convolutions == nullptr) return Unimplemented("this build has no convolutions for this GPU");
  return convolutions;
}

bool HasGpuConvolutions(DType dtype) { return real != nullptr && real->Has(dtype); }

}  // namespace warpbeam
