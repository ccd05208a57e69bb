// LogMatrixDeterminant on a GPU: LU factors, and then a thread for each matrix.
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
struct LogDeterminantBlock {
  const T* lu;
  const int64_t* pivots;
  T* signs;
  T* logs;
  int64_t count, n;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      const SignedLog<T> result =
          LogDeterminant(n, lu + i * n * n, SignOfPivots(n, pivots + i * n));
      signs[i] = result.sign;
      logs[i] = T(result.log);
    });
  }
};
WB_GPU_FUNCTION(LogDeterminantBlock<float>);
WB_GPU_FUNCTION(LogDeterminantBlock<double>);
WB_GPU_FUNCTION(LogDeterminantBlock<ComplexNumber<float>>);
WB_GPU_FUNCTION(LogDeterminantBlock<ComplexNumber<double>>);

#if WB_HOST_PASS
namespace {

class LogMatrixDeterminantOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<LogMatrixDeterminantOnGpu>();
  }
  static bool HasGpuCode(const AttrMap& attrs) {
    return GpuLu::HasCode(attrs.GetOr<DType>("T", DType::kInvalid));
  }
  bool is_replayable() const override { return false; }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(x, "input"));
    WB_ASSIGN_OR_RETURN(const Shape shape, BatchShape(x, {}));
    WB_ASSIGN_OR_RETURN(Tensor * signs, ctx.Allocate(0, shape));
    WB_ASSIGN_OR_RETURN(Tensor * logs, ctx.Allocate(1, shape));
    if (batch.count == 0) return OkStatus();
    GpuLu lu;
    if (batch.rows > 0) {
      WB_ASSIGN_OR_RETURN(lu, GpuLu::Enqueue(ctx, stream, x, batch, /*adjoint=*/false));
    }
    return DispatchTypes(FieldTypes{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      LogDeterminantBlock<GpuElement<T>> block = {};
      if (batch.rows > 0) {
        block.lu = GpuData(lu.matrices.data<T>());
        block.pivots = lu.pivots.data<int64_t>();
      }
      block.signs = GpuData(signs->data<T>());
      block.logs = GpuData(logs->data<T>());
      block.count = batch.count;
      block.n = batch.rows;
      return Launch(stream, ElementGrid(batch.count), block);
    });
  }
};

}  // namespace

WB_GPU_KERNEL("LogMatrixDeterminant", LogMatrixDeterminantOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
