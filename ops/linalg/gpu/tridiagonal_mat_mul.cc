// TridiagonalMatMul on a GPU: a thread for each element of the products.
#include "ops/linalg/tridiagonal_mat_mul.h"

#include "ops/launch/complex_number.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct TridiagonalProductBlock {
  TridiagonalProduct<T> first;  // of a batch
  T* y;
  int64_t count;  // of the elements of all

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      const int64_t line = i / first.columns, matrix = line / first.n;
      TridiagonalProduct<T> product = first;
      product.above += matrix * first.n;
      product.on += matrix * first.n;
      product.below += matrix * first.n;
      product.x += matrix * first.n * first.columns;
      y[i] = product.At(line - matrix * first.n, i - line * first.columns);
    });
  }
};
WB_GPU_FUNCTION(TridiagonalProductBlock<float>);
WB_GPU_FUNCTION(TridiagonalProductBlock<double>);
WB_GPU_FUNCTION(TridiagonalProductBlock<ComplexNumber<float>>);
WB_GPU_FUNCTION(TridiagonalProductBlock<ComplexNumber<double>>);

#if WB_HOST_PASS
namespace {

class TridiagonalMatMulOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<TridiagonalMatMulOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<TridiagonalProductBlock<float>>();
  }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, CheckDiagonals(ctx));
    const Tensor& x = ctx.input(3);
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    if (batch.empty()) return OkStatus();
    using Types = ConcatTypes<TypeList<float, double>, ComplexTypeList>;
    return DispatchTypes(Types{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      using Element = GpuElement<T>;
      const auto data = [&](int input) { return GpuData(ctx.input(input).data<T>()); };
      const int64_t count = y->num_elements();
      return Launch(stream, ElementGrid(count),
                    TridiagonalProductBlock<Element>{
                        {batch.rows, batch.cols, data(0), data(1), data(2), data(3)},
                        GpuData(y->data<T>()),
                        count});
    });
  }
};

}  // namespace

WB_GPU_KERNEL("TridiagonalMatMul", TridiagonalMatMulOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
