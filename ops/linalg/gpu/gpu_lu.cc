#include "ops/linalg/gpu/gpu_lu.h"

#include "ops/launch/complex_number.h"
#include "ops/launch/gpu_function.h"
#include "ops/linalg/pivot_size.h"

#if WB_HOST_PASS
#include <utility>

#include "ops/launch/dispatch.h"
#include "ops/linalg/eigen_matrix.h"
#include "ops/linalg/gpu_matrix_copy.h"
#include "ops/linalg/gpu_solver.h"
#include "ops/linalg/refusals.h"
#endif

namespace warpbeam::WB_PASS {

// A block for each matrix, whose diagonal its threads share.
template <class T>
struct FindZeroPivotsBlock {
  const T* lu;
  int32_t* info;
  int64_t count, n;

  WB_BLOCK void operator()(GpuBlock& block) const {
    for (int64_t index = block.index(); index < count; index += block.count()) {
      const T* const matrix = lu + index * n * n;
      const bool has_zero = block.Reduce(
          [&](int thread) {
            bool found = false;
            for (int64_t i = thread; i < n; i += block.threads()) {
              const auto size = PivotSize(matrix[i * (n + 1)]);
              // NaN counts as the first element alone.
              if (i == 0 ? !(size > 0) : size == 0) found = true;
            }
            return found;
          },
          [](bool a, bool b) { return a || b; });
      block.ForEach([&](int thread) {
        if (thread == 0 && has_zero && info[index] == 0) info[index] = 1;
      });
    }
  }
};
WB_GPU_FUNCTION(FindZeroPivotsBlock<float>);
WB_GPU_FUNCTION(FindZeroPivotsBlock<double>);
WB_GPU_FUNCTION(FindZeroPivotsBlock<ComplexNumber<float>>);
WB_GPU_FUNCTION(FindZeroPivotsBlock<ComplexNumber<double>>);

}  // namespace warpbeam::WB_PASS

#if WB_HOST_PASS

namespace warpbeam {
namespace {

GpuFactorisation Of(const GpuLu& lu, GpuFactorisation::Kind kind) {
  GpuFactorisation f;
  f.kind = kind;
  f.dtype = lu.matrices.dtype();
  f.count = lu.batch.count;
  f.m = f.n = lu.batch.rows;
  f.a = const_cast<void*>(lu.matrices.raw_data());
  f.pivots = const_cast<int64_t*>(lu.pivots.data<int64_t>());
  f.info = const_cast<int32_t*>(lu.info.data<int32_t>());
  return f;
}

}  // namespace

StatusOr<GpuLu> GpuLu::Enqueue(KernelContext& ctx, GpuStream& stream, const Tensor& x,
                               const MatrixBatch& batch, bool adjoint) {
  GpuLu lu;
  lu.batch = batch;
  const int64_t count = batch.count, n = batch.rows;
  WB_ASSIGN_OR_RETURN(lu.matrices, ctx.AllocateTemp(x.dtype(), Shape({count, n, n})));
  WB_ASSIGN_OR_RETURN(lu.pivots, ctx.AllocateTemp(DType::kInt64, Shape({count, n})));
  WB_ASSIGN_OR_RETURN(lu.info, ctx.AllocateTemp(DType::kInt32, Shape({count})));
  // Conjugates row by row are the adjoint column by column.
  MatrixCopy copy;
  copy.from = x.raw_data();
  copy.to = lu.matrices.raw_data();
  copy.count = count;
  copy.rows = copy.columns = n;
  copy.transpose = !adjoint;
  copy.conjugate = adjoint;
  WB_RETURN_IF_ERROR(EnqueueCopy(stream, x.dtype(), copy));
  WB_RETURN_IF_ERROR(EnqueueFactorisation(ctx, stream, Of(lu, GpuFactorisation::Kind::kLu)));
  return lu;
}

Status GpuLu::CheckInvertible(KernelContext& ctx, ReadableGpuStream& stream, Status refusal) const {
  const GpuFactorisation f = Of(*this, GpuFactorisation::Kind::kLu);
  WB_RETURN_IF_ERROR(DispatchTypes(FieldTypes{}, f.dtype, [&](auto tag) {
    using T = host_pass::GpuElement<typename decltype(tag)::type>;
    GpuGrid grid;
    grid.blocks = GpuBlocksFor(f.count);
    return host_pass::Launch(
        stream, grid,
        host_pass::FindZeroPivotsBlock<T>{static_cast<const T*>(f.a), f.info, f.count, f.n});
  }));
  WB_ASSIGN_OR_RETURN(const int64_t first, FirstFailed(ctx, stream, f.count, f.info, nullptr));
  return first == f.count ? OkStatus() : OfMatrix(std::move(refusal), first, f.count);
}

Status GpuLu::EnqueueSolve(KernelContext& ctx, GpuStream& stream, int64_t columns, bool transpose,
                           void* b) const {
  GpuFactorisation f = Of(*this, GpuFactorisation::Kind::kLuSolve);
  WB_ASSIGN_OR_RETURN(Tensor own_info, ctx.AllocateTemp(DType::kInt32, info.shape()));
  f.info = own_info.data<int32_t>();
  f.b = b;
  f.columns = columns;
  f.transpose = transpose;
  return EnqueueFactorisation(ctx, stream, f);
}

bool GpuLu::HasCode(DType dtype) { return HasMatrixCopies() && HasGpuSolver(dtype); }

}  // namespace warpbeam

#endif
