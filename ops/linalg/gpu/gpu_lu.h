// LU factors of a batch of matrices on a GPU: what Lu, determinants, solutions and inverses are
// made of there.
//
//   WB_ASSIGN_OR_RETURN(const GpuLu lu, GpuLu::Enqueue(ctx, stream, x, batch, adjoint));
//   WB_RETURN_IF_ERROR(lu.CheckInvertible(ctx, stream, NotInvertible()));
//   WB_RETURN_IF_ERROR(lu.EnqueueSolve(ctx, stream, columns, /*transpose=*/false, b));
//
// Ownership: values that own memory of the GPU, in the order of the stream. Thread safety: as
// tensors. Errors: those of the library (ops/linalg/gpu_solver.h) and of reading.
#ifndef WARPBEAM_OPS_LINALG_GPU_GPU_LU_H_
#define WARPBEAM_OPS_LINALG_GPU_GPU_LU_H_

#include <cstdint>

#include "ops/launch/pass.h"
#if WB_HOST_PASS
#include "graph/types/tensor.h"
#include "ops/linalg/matrix_batch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/read_back_kernel.h"

namespace warpbeam {

struct GpuLu {
  MatrixBatch batch;
  Tensor matrices;  // [count, n, n], each column by column: L below the diagonal, and U
  Tensor pivots;    // [count, n]: row i was exchanged with row pivots[i] - 1, in order
  Tensor info;      // [count]: not 0 where U has a zero on its diagonal

  // Of matrices or their adjoints; the batch is not empty.
  static StatusOr<GpuLu> Enqueue(KernelContext& ctx, GpuStream& stream, const Tensor& x,
                                 const MatrixBatch& batch, bool adjoint);
  // Waits for the GPU; `refusal` with the number of the first matrix that has no inverse, as
  // IsInvertible (ops/linalg/lu_factors.h) has it.
  Status CheckInvertible(KernelContext& ctx, ReadableGpuStream& stream, Status refusal) const;
  // b, of n rows and `columns`, column by column, becomes x, such that (the matrix) x = b, or its
  // transpose.
  Status EnqueueSolve(KernelContext& ctx, GpuStream& stream, int64_t columns, bool transpose,
                      void* b) const;
  // Whether this build has all of it for real GPUs.
  static bool HasCode(DType dtype);
};

}  // namespace warpbeam
#endif

namespace warpbeam::WB_PASS {

// Of the order in which the exchanges leave the rows: 1 or -1.
WB_HD inline int SignOfPivots(int64_t n, const int64_t* pivots) {
  int sign = 1;
  for (int64_t i = 0; i < n; ++i) {
    if (pivots[i] != i + 1) sign = -sign;
  }
  return sign;
}

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_LINALG_GPU_GPU_LU_H_
