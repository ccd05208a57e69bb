// The products of simulated GPUs: the CPU's, on the thread of the stream alone.

#include <cstring>

#include "ops/launch/dispatch.h"
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

// `count` sums of `terms` elements each, added up in float at least.
struct FactorSums {
  int64_t count, terms;
  int64_t step, term_step;  // elements from sum to sum, and from term to term
};
void AddUp(DType dtype, const FactorSums& s, const void* factor, void* sums) {
  DispatchTypes(FloatTypeList{}, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const from = static_cast<const T*>(factor);
    for (int64_t i = 0; i < s.count; ++i) {
      ComputeType<T> sum = 0;
      for (int64_t l = 0; l < s.terms; ++l) {
        sum += ComputeType<T>(from[i * s.step + l * s.term_step]);
      }
      static_cast<T*>(sums)[i] = T(sum);
    }
    return OkStatus();
  }).IgnoreError();
}

// What goes with the product.
void Finish(const GpuProduct& x) {
  if (x.bias != nullptr) AddBias(x.dtype, {x.m, x.n, 1}, x.bias, x.relu, x.c);
  if (x.sums_of_a != nullptr) {
    AddUp(x.dtype, {x.m, x.k, x.transpose_a ? 1 : x.k, x.transpose_a ? x.m : 1}, x.a, x.sums_of_a);
  }
  if (x.sums_of_b != nullptr) {
    AddUp(x.dtype, {x.n, x.k, x.transpose_b ? x.k : 1, x.transpose_b ? 1 : x.n}, x.b, x.sums_of_b);
  }
}

class ProductsOnHost final : public GpuProducts {
 public:
  bool Has(DType dtype) const override {
    return TypeSet(kFloatingTypes | kComplexTypes).contains(dtype);
  }
  StatusOr<int64_t> WorkspaceBytes(GpuStream&, const GpuProduct& product) override {
    const bool is_alone =
        product.bias == nullptr && product.sums_of_a == nullptr && product.sums_of_b == nullptr;
    if (!is_alone && !kFloatingTypes.contains(product.dtype)) {
      return Unimplemented("products of ", DTypeName(product.dtype), " with a bias or sums");
    }
    return 0;
  }
  Status Enqueue(GpuStream& stream, const GpuProduct& product, void*, int64_t) override {
    if (!Has(product.dtype)) {
      return Unimplemented("products of ", DTypeName(product.dtype), " on a simulated GPU");
    }
    return stream.RunOnHost([product] {
      if (Multiply(product).ok()) return Finish(product);
      // All bits set are no number in any of the types.
      memset(product.c, 0xff, product.batches * product.m * product.n * DTypeSize(product.dtype));
    });
  }
};

ProductsOnHost products;
const GpuProductsRegistration registration(GpuSide::kSimulated, &products);

}  // namespace
}  // namespace warpbeam
