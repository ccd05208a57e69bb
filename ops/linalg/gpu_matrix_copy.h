// Copies of matrices on a GPU: the transposition between our order of elements and the libraries',
// conjugates, triangles, and NaN in the place of what has no factors.
//
//   MatrixCopy to_columns;                             // as a library has them
//   to_columns.from = x.raw_data();
//   to_columns.to = a.raw_data();
//   to_columns.count = batch.count;
//   to_columns.rows = batch.rows;
//   to_columns.columns = batch.cols;
//   to_columns.transpose = true;
//   WB_RETURN_IF_ERROR(EnqueueCopy(stream, DType::kFloat, to_columns));
//
// Element types: float, double and both complex types.
//
// Thread safety and errors: those of Launch (ops/launch/gpu_function.h).
#ifndef WARPBEAM_OPS_LINALG_GPU_MATRIX_COPY_H_
#define WARPBEAM_OPS_LINALG_GPU_MATRIX_COPY_H_

#include <cstdint>

#include "ops/launch/pass.h"
#if WB_HOST_PASS
#include "graph/types/dtype.h"
#include "graph/types/errors.h"
#include "ops/linalg/matrix_batch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/read_back_kernel.h"
#endif

namespace warpbeam {

// `count` matrices that stand one after another. Elements are read row by row, and written so, or
// column by column. Nothing is copied onto itself but in place, which transposes nothing.
struct MatrixCopy {
  const void* from = nullptr;
  void* to = nullptr;
  int64_t count = 0, rows = 0, columns = 0;
  bool transpose = false;
  bool conjugate = false;
  bool lower = false;  // what is above the diagonal becomes zero
  // By matrix, null for none: where one of them is not 0, the matrix becomes NaN.
  const int32_t* failed = nullptr;
  const int32_t* also_failed = nullptr;
};

#if WB_HOST_PASS

Status EnqueueCopy(GpuStream& stream, DType dtype, const MatrixCopy& copy);
// The same of matrices that a library shall see: `not_finite` is set for those that hold NaN or
// infinity, of which it gets zeros.
Status EnqueueFiniteCopy(GpuStream& stream, DType dtype, const MatrixCopy& copy,
                         int32_t* not_finite);
// Ones on the diagonals, zeros elsewhere.
Status EnqueueIdentity(GpuStream& stream, DType dtype, const MatrixBatch& batch, void* to);
// Numbers of an element type from those of its real one, which may be the same type.
Status EnqueueFromReal(GpuStream& stream, DType dtype, int64_t count, const void* from, void* to);
// The first matrix that has failed, or `count`. Waits for the GPU; `also_failed` may be null.
StatusOr<int64_t> FirstFailed(KernelContext& ctx, ReadableGpuStream& stream, int64_t count,
                              const int32_t* failed, const int32_t* also_failed);
// Whether this build has the code of these for real GPUs.
bool HasMatrixCopies();

#endif

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LINALG_GPU_MATRIX_COPY_H_
