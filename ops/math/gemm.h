// Gemm: matrix products of all element types, on the device's own threads.
//
// float goes to oneDNN, called at a width of one thread on blocks of the result that
// KernelContext::ParallelFor hands out, so that the library's thread pool never starts: to its code
// for one size (dnnl_products.h) where that is faster, else to dnnl_sgemm. Products with a vector,
// double and complex types go to Eigen, 16-bit floats are computed in float, integers wrap around.
//
//   GemmProblem p{.m = 32, .n = 500, .k = 784, .transpose_b = true};
//   WB_RETURN_IF_ERROR(Gemm(ctx, DType::kFloat, p, a, b, c));   // c[m,n] = op(a) op(b), row-major
//
// Thread safety: pure but for the output. Errors: UNIMPLEMENTED for an element type without a
// product, RESOURCE_EXHAUSTED when there is no memory for converted operands.
#ifndef WARPBEAM_OPS_MATH_GEMM_H_
#define WARPBEAM_OPS_MATH_GEMM_H_

#include <cstdint>

#include "graph/types/dtype.h"
#include "graph/types/errors.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/product/product_kernel.h"

namespace warpbeam {

struct GemmProblem {
  int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false;  // a is stored as [k, m]
  bool transpose_b = false;  // b is stored as [n, k]
  bool conjugate_a = false;  // complex types only
  bool conjugate_b = false;
};

// `epilogue`, unless null, finishes every strip of the result
// (runtime/kernel/product/product_kernel.h).
Status Gemm(const KernelContext& ctx, DType dtype, const GemmProblem& problem, const void* a,
            const void* b, void* c, const ProductEpilogue* epilogue = nullptr);

// Adds a bias to a result of 16-bit floats, float or double that is written already and stands as
// [outer, channels, inner], and with `relu` makes 0 of what is negative: on the calling thread,
// with the bits of BiasAdd and Relu that are nodes of their own.
struct BiasedExtents {
  int64_t outer, channels, inner;
};
void AddBias(DType dtype, const BiasedExtents& extents, const void* bias, bool relu, void* result);

// Has oneDNN generate the code of dnnl_sgemm, once in a process: for ops whose products are small,
// many or transposed.
void WarmUpGemm();

// Batches of products: element offsets of batch i's matrices come from `offsets(i, &a, &b)`; the
// results stand one after another. Many small products share the threads, a few large ones are
// split.
Status BatchGemm(const KernelContext& ctx, DType dtype, const GemmProblem& problem, int64_t batches,
                 absl::FunctionRef<void(int64_t batch, int64_t* a, int64_t* b)> offsets,
                 const void* a, const void* b, void* c);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_GEMM_H_
