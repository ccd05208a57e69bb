#include "ops/nn/conv/gpu_convolutions.h"

namespace warpbeam {
namespace {

GpuSides<GpuConvolutions> sides("convolutions");

}  // namespace

GpuConvolutionsRegistration::GpuConvolutionsRegistration(GpuSide side,
                                                         GpuConvolutions* convolutions) {
  sides.Register(side, convolutions);
}

StatusOr<GpuConvolutions*> GpuConvolutionsOf(const GpuStream& stream) { return sides.Of(stream); }

bool HasGpuConvolutions(DType dtype) { return sides.real() != nullptr && sides.real()->Has(dtype); }

}  // namespace warpbeam
