// SparseTensorDenseMatMul on a GPU: each entry of the sparse matrix adds its multiple of a row to
// the product. Entries outside of the matrix are left out: nobody can refuse them without waiting.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"

#if WB_HOST_PASS
#include <complex>
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/sparse/sparse_product.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// Numbers are one real part each, or a real and an imaginary one. Sums of 16-bit floats stand in
// memory of their own until they are rounded.
template <class T, class Index, int kParts>
struct SparseProductBlock {
  using C = ComputeType<T>;
  const Index* indices;  // [entries, 2]
  const T* values;
  const T* b;
  C* sums;  // [m, n]
  int64_t entries, m, n, k;
  int row;                          // which index is the product's row
  bool conjugate_a;                 // the values
  int64_t inner_step, column_step;  // op(b)[inner, j] is b[inner * inner_step + j * column_step]
  bool conjugate_b;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, entries * n, [&](int64_t i) {
      const int64_t entry = i / n, j = i - entry * n;
      const int64_t to = indices[2 * entry + row], inner = indices[2 * entry + 1 - row];
      if (to < 0 || to >= m || inner < 0 || inner >= k) return;
      Add(values + entry * kParts, b + (inner * inner_step + j * column_step) * kParts,
          sums + (to * n + j) * kParts);
    });
  }

 private:
  WB_BLOCK void Add(const T* x, const T* y, C* sum) const {
    const C re = static_cast<C>(x[0]), of_b = static_cast<C>(y[0]);
    if constexpr (kParts == 1) {
      AtomicAdd(sum, re * of_b);
    } else {
      const C im = conjugate_a ? -x[1] : x[1], imaginary = conjugate_b ? -y[1] : y[1];
      AtomicAdd(sum, re * of_b - im * imaginary);
      AtomicAdd(sum + 1, re * imaginary + im * of_b);
    }
  }
};

// y = x, or zero where there is no x.
template <class T>
struct SparseSumsBlock {
  const ComputeType<T>* x;
  T* y;
  int64_t count;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count,
                   [&](int64_t i) { y[i] = x == nullptr ? T(0) : static_cast<T>(x[i]); });
  }
};

WB_GPU_FUNCTION(SparseSumsBlock<Half>);
WB_GPU_FUNCTION(SparseSumsBlock<float>);
WB_GPU_FUNCTION(SparseSumsBlock<double>);
#define WB_SPARSE_PRODUCT_BLOCKS(T, parts)                \
  WB_GPU_FUNCTION(SparseProductBlock<T, int32_t, parts>); \
  WB_GPU_FUNCTION(SparseProductBlock<T, int64_t, parts>)
WB_SPARSE_PRODUCT_BLOCKS(Half, 1);
WB_SPARSE_PRODUCT_BLOCKS(float, 1);
WB_SPARSE_PRODUCT_BLOCKS(double, 1);
WB_SPARSE_PRODUCT_BLOCKS(float, 2);
WB_SPARSE_PRODUCT_BLOCKS(double, 2);

#if WB_HOST_PASS
namespace {

class SparseProductOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool adjoint_a, init.attr<bool>("adjoint_a"));
    WB_ASSIGN_OR_RETURN(const bool adjoint_b, init.attr<bool>("adjoint_b"));
    return std::make_unique<SparseProductOnGpu>(adjoint_a, adjoint_b);
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<SparseProductBlock<float, int64_t, 1>>();
  }
  SparseProductOnGpu(bool adjoint_a, bool adjoint_b)
      : adjoint_a_(adjoint_a), adjoint_b_(adjoint_b) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const SparseProduct product,
                        ReadSparseProduct(ctx, adjoint_a_, adjoint_b_));
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({product.m, product.n}));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (y->num_elements() == 0) return OkStatus();
    switch (y->dtype()) {
      case DType::kHalf:
        return Multiply<Half, 1>(ctx, stream, product, y);
      case DType::kFloat:
        return Multiply<float, 1>(ctx, stream, product, y);
      case DType::kDouble:
        return Multiply<double, 1>(ctx, stream, product, y);
      case DType::kComplex64:
        return Multiply<float, 2>(ctx, stream, product, y);
      case DType::kComplex128:
        return Multiply<double, 2>(ctx, stream, product, y);
      default:
        return Unimplemented("a sparse product of ", DTypeName(y->dtype()), " on a GPU");
    }
  }

 private:
  template <class T, int kParts>
  Status Multiply(KernelContext& ctx, GpuStream& stream, const SparseProduct& p, Tensor* y) const {
    using C = ComputeType<T>;
    const Tensor& indices = ctx.input(0);
    const int64_t size = y->num_elements() * kParts;
    T* const out = static_cast<T*>(y->raw_data());
    C* sums = reinterpret_cast<C*>(out);
    Tensor temporary;
    if constexpr (!std::is_same_v<C, T>) {
      WB_ASSIGN_OR_RETURN(temporary, ctx.AllocateTemp(DTypeOf<C>::value, Shape({size})));
      sums = temporary.data<C>();
    }
    const GpuGrid over_sums = ElementGrid(size);
    WB_RETURN_IF_ERROR(Launch(stream, over_sums, SparseSumsBlock<C>{nullptr, sums, size}));
    if (indices.dim(0) > 0) {
      WB_RETURN_IF_ERROR(DispatchIndex(indices.dtype(), [&](auto tag) {
        using Index = typename decltype(tag)::type;
        SparseProductBlock<T, Index, kParts> block = {};
        block.indices = indices.data<Index>();
        block.values = static_cast<const T*>(ctx.input(1).raw_data());
        block.b = static_cast<const T*>(ctx.input(3).raw_data());
        block.sums = sums;
        block.entries = indices.dim(0);
        block.m = p.m, block.n = p.n, block.k = p.k;
        block.row = adjoint_a_ ? 1 : 0;
        block.conjugate_a = adjoint_a_;
        block.conjugate_b = adjoint_b_;
        block.inner_step = adjoint_b_ ? 1 : p.n;
        block.column_step = adjoint_b_ ? p.k : 1;
        return Launch(stream, ElementGrid(block.entries * p.n), block);
      }));
    }
    if constexpr (std::is_same_v<C, T>) return OkStatus();
    return Launch(stream, over_sums, SparseSumsBlock<T>{sums, out, size});
  }

  const bool adjoint_a_, adjoint_b_;
};

}  // namespace

WB_GPU_KERNEL("SparseTensorDenseMatMul", SparseProductOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
