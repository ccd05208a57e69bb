// What the kernels of TridiagonalSolve have in common, whatever device they are on.
//
//   WB_ASSIGN_OR_RETURN(const MatrixBatch systems, TridiagonalSystems(ctx));
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT for right-hand sides that are no
// matrices, for diagonals that do not go with them, and for options that do not go together.
#ifndef WARPBEAM_OPS_LINALG_TRIDIAGONAL_SYSTEMS_H_
#define WARPBEAM_OPS_LINALG_TRIDIAGONAL_SYSTEMS_H_

#include "ops/linalg/matrix_batch.h"
#include "runtime/kernel/kernel.h"

namespace warpbeam {

struct TridiagonalOptions {
  bool pivoting, perturb;
  static StatusOr<TridiagonalOptions> Read(const KernelInit& init);
};

// The right-hand sides, input 1, by the shapes of both inputs.
StatusOr<MatrixBatch> TridiagonalSystems(const KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LINALG_TRIDIAGONAL_SYSTEMS_H_
