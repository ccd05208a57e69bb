#include "ops/launch/gpu_products.h"

namespace warpbeam {
namespace {

GpuSides<GpuProducts> sides("matrix products");

}  // namespace

GpuProductsRegistration::GpuProductsRegistration(GpuSide side, GpuProducts* products) {
  sides.Register(side, products);
}

StatusOr<GpuProducts*> GpuProductsOf(const GpuStream& stream) { return sides.Of(stream); }

bool HasGpuProducts(DType dtype) { return sides.real() != nullptr && sides.real()->Has(dtype); }

}  // namespace warpbeam
