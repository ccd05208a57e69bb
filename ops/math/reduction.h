// Reduce: sums, products, extrema and norms over some dimensions of a tensor.
//
// Neighbouring dimensions of one kind are merged, so that what is left is a matrix whose rows or
// whose columns are reduced, and seldom more. Rows are reduced in vector registers, columns by
// adding rows to a block of partial results that stays in the first-level cache. Long reductions
// are split into pieces whose borders depend on the shape alone, so that results are the same for
// any number of threads.
//
//   WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape({x.dim(1)})));
//   WB_RETURN_IF_ERROR(Reduce(ctx, Reduction::kSum, x, /*axes=*/uint64_t{1}, y));   // over dim 0
//
// Sums of 16-bit floats run in float and are rounded once; integers wrap around, but for means,
// which are taken in 64 bits. NaN wins in kMax and kMin. What an empty range gives: 0 for kSum and
// kNorm, 1 for kProd, the type's least and greatest value for kMax and kMin, NaN (integers: 0) for
// kMean.
//
// Thread safety: pure but for the output. Errors: UNIMPLEMENTED for an element type without the
// reduction; RESOURCE_EXHAUSTED when there is no memory for partial results.
#ifndef WARPBEAM_OPS_MATH_REDUCTION_H_
#define WARPBEAM_OPS_MATH_REDUCTION_H_

#include <cstdint>

#include "graph/types/errors.h"
#include "graph/types/tensor.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

enum class Reduction {
  kSum,
  kMean,
  kProd,
  kMax,
  kMin,
  kAny,
  kAll,
  kNorm,      // the square root of the sum of |x|^2
  kHalfNorm,  // half the sum of x^2: L2Loss
};

// The loops of one reduction of one element type. Accumulators stand one after another in memory;
// their type is the loops' own affair.
struct ReductionLoops {
  int accumulator_bytes = 0;
  // accumulators[0, n) = the neutral element
  void (*init)(void* accumulators, int64_t n) = nullptr;
  // accumulators[i] takes in x[i * stride + 0 … n), for i < rows
  void (*rows)(const void* x, int64_t rows, int64_t stride, int64_t n,
               void* accumulators) = nullptr;
  // accumulators[j] takes in x[i * stride + j] for i < rows, for j < n
  void (*columns)(const void* x, int64_t rows, int64_t stride, int64_t n,
                  void* accumulators) = nullptr;
  // accumulators[i] takes in others[i]
  void (*merge)(void* accumulators, const void* others, int64_t n) = nullptr;
  // out[i] = the result of accumulators[i], which has taken in `count` elements
  void (*finish)(const void* accumulators, int64_t n, int64_t count, void* out) = nullptr;
};

StatusOr<ReductionLoops> FindReductionLoops(Reduction reduction, DType dtype);

// Reduces the dimensions of `x` whose bit is set in `axes` into `out`, which has as many elements
// as the other dimensions have.
Status Reduce(KernelContext& ctx, Reduction reduction, const Tensor& x, uint64_t axes, Tensor* out);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_REDUCTION_H_
