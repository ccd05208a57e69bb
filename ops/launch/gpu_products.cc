#include "ops/launch/gpu_products.h"

namespace warpbeam {
namespace {

// Initialised at compile time: registrations in other files may run before anything here.
GpuProducts* real = nullptr;
GpuProducts* simulated = nullptr;

}  // namespace

GpuProductsRegistration::GpuProductsRegistration(GpuSide side, GpuProducts* products) {
  (side == GpuSide::kReal ? real : simulated) = products;
}

StatusOr<GpuProducts*> GpuProductsOf(const GpuStream& stream) {
  GpuProducts* const products = GpuSideOf(stream) == GpuSide::kReal ? real : simulated;
  if (products == nullptr) return Unimplemented("this build has no matrix products for this GPU");
  return products;
}

bool HasGpuProducts(DType dtype) { return real != nullptr && real->Has(dtype); }

}  // namespace warpbeam
