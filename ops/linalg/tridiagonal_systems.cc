#include "ops/linalg/tridiagonal_systems.h"

namespace warpbeam {

StatusOr<TridiagonalOptions> TridiagonalOptions::Read(const KernelInit& init) {
  TridiagonalOptions options;
  WB_ASSIGN_OR_RETURN(options.pivoting, init.attr<bool>("partial_pivoting"));
  WB_ASSIGN_OR_RETURN(options.perturb, init.attr<bool>("perturb_singular"));
  if (options.perturb && !options.pivoting) {
    return InvalidArgument("perturb_singular needs partial_pivoting as well");
  }
  return options;
}

StatusOr<MatrixBatch> TridiagonalSystems(const KernelContext& ctx) {
  const Tensor &diagonals = ctx.input(0), &rhs = ctx.input(1);
  WB_ASSIGN_OR_RETURN(const MatrixBatch batch, MatricesOf(rhs, "rhs"));
  WB_ASSIGN_OR_RETURN(const Shape expected, BatchShape(rhs, {3, batch.rows}));
  if (diagonals.shape() == expected) return batch;
  return InvalidArgument("'diagonals' must be of shape ", expected.ToString(),
                         " to go with 'rhs'; it is of shape ", diagonals.shape().ToString());
}

}  // namespace warpbeam
