// Svd and BatchSvd on a GPU. The library wants no fewer rows than columns: a wide matrix's factors
// are those of its adjoint, in each other's place.
#include <algorithm>
#include <memory>

#include "ops/linalg/gpu_matrix_copy.h"
#include "ops/linalg/gpu_solver.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class SvdOnGpu final : public GpuKernel {
 public:
  SvdOnGpu(bool with_vectors, bool full) : with_vectors_(with_vectors), full_(full) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool with_vectors, init.attr<bool>("compute_uv"));
    WB_ASSIGN_OR_RETURN(const bool full, init.attr<bool>("full_matrices"));
    return std::make_unique<SvdOnGpu>(with_vectors, full);
  }
  static bool HasGpuCode(const AttrMap& attrs) {
    return HasMatrixCopies() && HasGpuSolver(attrs.GetOr<DType>("T", DType::kInvalid));
  }
  bool is_replayable() const override { return false; }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, MatricesOf(x, "input"));
    const int64_t m = batch.rows, n = batch.cols, least = std::min(m, n);
    WB_ASSIGN_OR_RETURN(const Shape s_shape, BatchShape(x, {least}));
    WB_ASSIGN_OR_RETURN(Shape u_shape, BatchShape(x, {m, full_ ? m : least}));
    WB_ASSIGN_OR_RETURN(Shape v_shape, BatchShape(x, {n, full_ ? n : least}));
    if (!with_vectors_) u_shape = v_shape = Shape({0});
    WB_ASSIGN_OR_RETURN(Tensor * s, ctx.Allocate(0, s_shape));
    WB_ASSIGN_OR_RETURN(Tensor * u, ctx.Allocate(1, u_shape));
    WB_ASSIGN_OR_RETURN(Tensor * v, ctx.Allocate(2, v_shape));
    if (!batch.empty()) return Decompose(ctx, stream, batch, s, u, v);
    for (Tensor* const factor : {u, v}) {
      if (factor->num_elements() == 0) continue;
      WB_ASSIGN_OR_RETURN(const MatrixBatch identities, MatricesOf(*factor, "factor"));
      WB_RETURN_IF_ERROR(EnqueueIdentity(stream, x.dtype(), identities, factor->raw_data()));
    }
    return OkStatus();
  }

 private:
  Status Decompose(KernelContext& ctx, GpuStream& stream, const MatrixBatch& batch, Tensor* s,
                   Tensor* u, Tensor* v) const {
    const Tensor& x = ctx.input(0);
    const bool is_tall = batch.rows >= batch.cols;
    GpuFactorisation svd;
    svd.kind = GpuFactorisation::Kind::kSingularValues;
    svd.dtype = x.dtype();
    svd.count = batch.count;
    svd.m = std::max(batch.rows, batch.cols);
    svd.n = std::min(batch.rows, batch.cols);
    svd.vectors = with_vectors_;
    svd.full = full_;
    const int64_t u_columns = !with_vectors_ ? 0 : full_ ? svd.m : svd.n;
    const int64_t vh_rows = with_vectors_ ? svd.n : 0;
    WB_ASSIGN_OR_RETURN(Tensor work, ctx.AllocateTemp(x.dtype(), Shape({x.num_elements()})));
    WB_ASSIGN_OR_RETURN(Tensor values,
                        ctx.AllocateTemp(RealTypeOf(x.dtype()), Shape({svd.count, svd.n})));
    WB_ASSIGN_OR_RETURN(Tensor left,
                        ctx.AllocateTemp(x.dtype(), Shape({svd.count, u_columns, svd.m})));
    WB_ASSIGN_OR_RETURN(Tensor right,
                        ctx.AllocateTemp(x.dtype(), Shape({svd.count, svd.n, vh_rows})));
    WB_ASSIGN_OR_RETURN(Tensor failed, ctx.AllocateTemp(DType::kInt32, Shape({2, svd.count})));
    svd.a = work.raw_data();
    svd.values = values.raw_data();
    svd.info = failed.data<int32_t>();
    if (with_vectors_) {
      svd.u = left.raw_data();
      svd.vh = right.raw_data();
    }
    // Column by column; conjugates row by row are the adjoint so.
    MatrixCopy load;
    load.from = x.raw_data();
    load.to = svd.a;
    load.count = svd.count;
    load.rows = batch.rows;
    load.columns = batch.cols;
    load.transpose = is_tall;
    load.conjugate = !is_tall;
    WB_RETURN_IF_ERROR(EnqueueFiniteCopy(stream, svd.dtype, load, svd.info + svd.count));
    WB_RETURN_IF_ERROR(EnqueueFactorisation(ctx, stream, svd));
    WB_RETURN_IF_ERROR(StoreValues(stream, svd, s));
    if (!with_vectors_) return OkStatus();
    return StoreVectors(stream, svd, u_columns, is_tall ? u : v, is_tall ? v : u);
  }

  static MatrixCopy StoreFrom(const GpuFactorisation& svd, const void* from, Tensor* to) {
    MatrixCopy store;
    store.from = from;
    store.to = to->raw_data();
    store.count = svd.count;
    store.failed = svd.info;
    store.also_failed = svd.info + svd.count;
    return store;
  }
  static Status StoreValues(GpuStream& stream, const GpuFactorisation& svd, Tensor* s) {
    WB_RETURN_IF_ERROR(
        EnqueueFromReal(stream, svd.dtype, svd.count * svd.n, svd.values, s->raw_data()));
    MatrixCopy store = StoreFrom(svd, s->raw_data(), s);
    store.rows = 1;
    store.columns = svd.n;
    return EnqueueCopy(stream, svd.dtype, store);
  }
  // U stands column by column; V^H so is V's conjugates row by row.
  static Status StoreVectors(GpuStream& stream, const GpuFactorisation& svd, int64_t u_columns,
                             Tensor* u, Tensor* v) {
    MatrixCopy store = StoreFrom(svd, svd.u, u);
    store.rows = u_columns;
    store.columns = svd.m;
    store.transpose = true;
    WB_RETURN_IF_ERROR(EnqueueCopy(stream, svd.dtype, store));
    store = StoreFrom(svd, svd.vh, v);
    store.rows = store.columns = svd.n;
    store.conjugate = true;
    return EnqueueCopy(stream, svd.dtype, store);
  }

  const bool with_vectors_, full_;
};

WB_GPU_KERNEL("Svd", SvdOnGpu);
WB_GPU_KERNEL("BatchSvd", SvdOnGpu);

}  // namespace
}  // namespace warpbeam
