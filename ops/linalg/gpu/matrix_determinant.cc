// MatrixDeterminant on a GPU: LU factors, and then a thread for each matrix.
#include "ops/launch/complex_number.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/linalg/determinant.h"
#include "ops/linalg/gpu/gpu_lu.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/linalg/eigen_matrix.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct DeterminantBlock {
  const T* lu;
  const int64_t* pivots;
  T* y;
  int64_t count, n;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      y[i] = Determinant(n, lu + i * n * n, SignOfPivots(n, pivots + i * n));
    });
  }
};
WB_GPU_FUNCTION(DeterminantBlock<float>);
WB_GPU_FUNCTION(DeterminantBlock<double>);
WB_GPU_FUNCTION(DeterminantBlock<ComplexNumber<float>>);
WB_GPU_FUNCTION(DeterminantBlock<ComplexNumber<double>>);

#if WB_HOST_PASS
namespace {

class MatrixDeterminantOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<MatrixDeterminantOnGpu>();
  }
  static bool HasGpuCode(const AttrMap& attrs) {
    return GpuLu::HasCode(attrs.GetOr<DType>("T", DType::kInvalid));
  }
  bool is_replayable() const override { return false; }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(x, "input"));
    WB_ASSIGN_OR_RETURN(const Shape shape, BatchShape(x, {}));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (batch.count == 0) return OkStatus();
    GpuLu lu;
    if (batch.rows > 0) {
      WB_ASSIGN_OR_RETURN(lu, GpuLu::Enqueue(ctx, stream, x, batch, /*adjoint=*/false));
    }
    return DispatchTypes(FieldTypes{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      DeterminantBlock<GpuElement<T>> block = {};
      if (batch.rows > 0) {
        block.lu = GpuData(lu.matrices.data<T>());
        block.pivots = lu.pivots.data<int64_t>();
      }
      block.y = GpuData(y->data<T>());
      block.count = batch.count;
      block.n = batch.rows;
      return Launch(stream, ElementGrid(batch.count), block);
    });
  }
};

}  // namespace

WB_GPU_KERNEL("MatrixDeterminant", MatrixDeterminantOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
