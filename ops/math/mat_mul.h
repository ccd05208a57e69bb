// What the kernels of MatMul have in common, whatever device they are on.
//
//   WB_ASSIGN_OR_RETURN(const MatMulAttrs attrs, ReadMatMulAttrs(init));
//   WB_ASSIGN_OR_RETURN(const GemmProblem p, MatMulProblem(attrs, a.shape(), b.shape()));
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT for shapes that do not go together.
#ifndef WARPBEAM_OPS_MATH_MAT_MUL_H_
#define WARPBEAM_OPS_MATH_MAT_MUL_H_

#include "ops/math/gemm.h"
#include "runtime/kernel/kernel.h"

namespace warpbeam {

struct MatMulAttrs {
  bool transpose_a = false;
  bool transpose_b = false;
};
StatusOr<MatMulAttrs> ReadMatMulAttrs(const KernelInit& init);

// The product of matrices of these shapes; its result has shape [m, n].
StatusOr<GemmProblem> MatMulProblem(const MatMulAttrs& attrs, const Shape& a, const Shape& b);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_MAT_MUL_H_
