// The products of simulated GPUs: the CPU's, on the thread of the stream alone.

#include <cstring>

#include "ops/launch/gpu_products.h"
#include "ops/math/gemm.h"

namespace warpbeam {
namespace {

// A context without device and step: memory comes from the host, nothing is shared out.
Status Multiply(const GpuProduct& x) {
  static constexpr KernelContext::NodeInfo kNoNode = {};
  const KernelContext host(nullptr, kNoNode, nullptr, nullptr);
  GemmProblem p;
  p.m = x.m;
  p.n = x.n;
  p.k = x.k;
  p.transpose_a = x.transpose_a;
  p.transpose_b = x.transpose_b;
  p.conjugate_a = x.conjugate && x.transpose_a;
  p.conjugate_b = x.conjugate && x.transpose_b;
  if (x.batches == 1) return Gemm(host, x.dtype, p, x.a, x.b, x.c);
  const auto offsets = [&](int64_t i, int64_t* a, int64_t* b) {
    *a = i * x.stride_a;
    *b = i * x.stride_b;
  };
  return BatchGemm(host, x.dtype, p, x.batches, offsets, x.a, x.b, x.c);
}

class ProductsOnHost final : public GpuProducts {
 public:
  bool Has(DType dtype) const override {
    return TypeSet(kFloatingTypes | kComplexTypes).contains(dtype);
  }
  StatusOr<int64_t> WorkspaceBytes(GpuStream&, const GpuProduct&) override { return 0; }
  Status Enqueue(GpuStream& stream, const GpuProduct& product, void*, int64_t) override {
    if (!Has(product.dtype)) {
      return Unimplemented("products of ", DTypeName(product.dtype), " on a simulated GPU");
    }
    return stream.RunOnHost([product] {
      if (Multiply(product).ok()) return;
      // All bits set are no number in any of the types.
      memset(product.c, 0xff, product.batches * product.m * product.n * DTypeSize(product.dtype));
    });
  }
};

ProductsOnHost products;
const GpuProductsRegistration registration(GpuSide::kSimulated, &products);

}  // namespace
}  // namespace warpbeam
