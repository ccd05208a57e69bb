// DnnlProducts: products of float matrices by oneDNN's code for their very size (dnnl_matmul.h).
//
// The library takes operands that lie dense. So a result's rows are shared out among the threads;
// where there are too few rows for that, the depth is: every thread multiplies a range of a's
// columns with the rows of b that belong to them, and the partial results are added up.
//
//   const DnnlCut cut = DnnlCutOf(problem, batches, ctx.width());
//   if (cut != DnnlCut::kNone) return DnnlProducts(ctx, cut, problem, operands);
//
// The sizes at which this is chosen were measured against dnnl_sgemm, on two threads with AVX-512.
// With rows cut it takes 0.91 of the time, 0.76 with transposed `b` (geometric means over 375 and
// 785 sizes). The library lays `b` out anew where its rows are a power of two apart, which costs up
// to a fifth with the fewest rows that are taken here; dnnl_sgemm would first spend 30 ms on
// generating its code, which many models served one request at a time then never need.
//
// Thread safety: pure but for the result. Errors: those of dnnl_primitive.h, and
// RESOURCE_EXHAUSTED when there is no memory to work in.
#ifndef WARPBEAM_OPS_MATH_DNNL_PRODUCTS_H_
#define WARPBEAM_OPS_MATH_DNNL_PRODUCTS_H_

#include "ops/math/gemm.h"

namespace warpbeam {

// From here on every thread takes whole products of a batch.
inline constexpr int64_t kManyBatches = 8;

enum class DnnlCut {
  kNone,   // these products are not for DnnlProducts
  kRows,   // every thread computes rows, or whole products of many
  kDepth,  // every thread computes a partial result
};

// Depends on nothing but its arguments and the processor, so that a product is computed the same
// way whenever it comes.
DnnlCut DnnlCutOf(const GemmProblem& problem, int64_t batches, int width);

struct DnnlOperands {
  int64_t batches;
  absl::FunctionRef<void(int64_t batch, int64_t* a, int64_t* b)> offsets;  // as for BatchGemm
  const float* a;
  const float* b;
  float* c;
  const ProductEpilogue* epilogue;  // null for none; only of a single product
};
Status DnnlProducts(const KernelContext& ctx, DnnlCut cut, const GemmProblem& problem,
                    const DnnlOperands& operands);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_DNNL_PRODUCTS_H_
