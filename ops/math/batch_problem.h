// What the kernels of BatchMatMul have in common, whatever device they are on.
//
//   WB_ASSIGN_OR_RETURN(const BatchMatMulAttrs attrs, ReadBatchMatMulAttrs(init));
//   WB_ASSIGN_OR_RETURN(const BatchProblem p, BatchMatMulProblem(attrs, a.shape(), b.shape()));
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT for shapes that do not go together.
#ifndef WARPBEAM_OPS_MATH_BATCH_PROBLEM_H_
#define WARPBEAM_OPS_MATH_BATCH_PROBLEM_H_

#include "ops/launch/broadcast.h"
#include "ops/math/gemm.h"
#include "runtime/kernel/kernel.h"

namespace warpbeam {

struct BatchMatMulAttrs {
  bool adj_x = false;
  bool adj_y = false;
  bool broadcasts = false;  // the leading dimensions; the first version's must be equal
};
StatusOr<BatchMatMulAttrs> ReadBatchMatMulAttrs(const KernelInit& init);

struct BatchProblem {
  GemmProblem product;
  Broadcast batches;  // of matrices of both inputs
  Shape result;
};
StatusOr<BatchProblem> BatchMatMulProblem(const BatchMatMulAttrs& attrs, const Shape& x,
                                          const Shape& y);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_BATCH_PROBLEM_H_
