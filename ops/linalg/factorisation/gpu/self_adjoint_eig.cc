// SelfAdjointEigV2 on a GPU.
#include <memory>

#include "ops/linalg/gpu_matrix_copy.h"
#include "ops/linalg/gpu_solver.h"
#include "ops/linalg/refusals.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class SelfAdjointEigV2OnGpu final : public ReadBackKernel {
 public:
  explicit SelfAdjointEigV2OnGpu(bool with_vectors) : with_vectors_(with_vectors) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool with_vectors, init.attr<bool>("compute_v"));
    return std::make_unique<SelfAdjointEigV2OnGpu>(with_vectors);
  }
  static bool HasGpuCode(const AttrMap& attrs) {
    return HasMatrixCopies() && HasGpuSolver(attrs.GetOr<DType>("T", DType::kInvalid));
  }
  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(x, "input"));
    const int64_t count = batch.count, n = batch.rows;
    WB_ASSIGN_OR_RETURN(const Shape values_shape, BatchShape(x, {n}));
    WB_ASSIGN_OR_RETURN(Tensor * e, ctx.Allocate(0, values_shape));
    WB_ASSIGN_OR_RETURN(Tensor * v, ctx.Allocate(1, with_vectors_ ? x.shape() : Shape({0})));
    if (batch.empty()) return OkStatus();
    WB_ASSIGN_OR_RETURN(Tensor work, ctx.AllocateTemp(x.dtype(), Shape({count, n, n})));
    WB_ASSIGN_OR_RETURN(Tensor values, ctx.AllocateTemp(RealTypeOf(x.dtype()), Shape({count, n})));
    WB_ASSIGN_OR_RETURN(Tensor failed, ctx.AllocateTemp(DType::kInt32, Shape({2, count})));
    int32_t* const info = failed.data<int32_t>();
    // What is not finite is not looked for in a single number, which is its own eigenvalue.
    int32_t* const not_finite = n > 1 ? info + count : nullptr;
    // The lower triangle's conjugates row by row are the upper triangle column by column.
    MatrixCopy copy;
    copy.from = x.raw_data();
    copy.to = work.raw_data();
    copy.count = count;
    copy.rows = copy.columns = n;
    copy.conjugate = copy.lower = true;
    WB_RETURN_IF_ERROR(not_finite == nullptr
                           ? EnqueueCopy(stream, x.dtype(), copy)
                           : EnqueueFiniteCopy(stream, x.dtype(), copy, not_finite));
    GpuFactorisation eigen;
    eigen.kind = GpuFactorisation::Kind::kEigen;
    eigen.dtype = x.dtype();
    eigen.count = count;
    eigen.m = eigen.n = n;
    eigen.a = work.raw_data();
    eigen.info = info;
    eigen.values = values.raw_data();
    eigen.vectors = with_vectors_;
    WB_RETURN_IF_ERROR(EnqueueFactorisation(ctx, stream, eigen));
    WB_ASSIGN_OR_RETURN(const int64_t first, FirstFailed(ctx, stream, count, info, not_finite));
    if (first != count) return OfMatrix(EigenvaluesNotFound(), first, count);
    WB_RETURN_IF_ERROR(
        EnqueueFromReal(stream, x.dtype(), count * n, values.raw_data(), e->raw_data()));
    if (!with_vectors_) return OkStatus();
    copy = MatrixCopy();
    copy.from = work.raw_data();
    copy.to = v->raw_data();
    copy.count = count;
    copy.rows = copy.columns = n;
    copy.transpose = true;
    return EnqueueCopy(stream, x.dtype(), copy);
  }

 private:
  const bool with_vectors_;
};

WB_GPU_KERNEL("SelfAdjointEigV2", SelfAdjointEigV2OnGpu);

}  // namespace
}  // namespace warpbeam
