// What the kernels of SparseTensorDenseMatMul have in common, whatever device they are on.
//
//   WB_ASSIGN_OR_RETURN(const SparseProduct product, ReadSparseProduct(ctx, false, false));
//
// Thread safety: a pure function. Errors: INVALID_ARGUMENT for shapes that do not go together.
#ifndef WARPBEAM_OPS_SPARSE_SPARSE_PRODUCT_H_
#define WARPBEAM_OPS_SPARSE_SPARSE_PRODUCT_H_

#include <cstdint>

#include "graph/types/errors.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// op(a) is a sparse [m, k], op(b) a dense [k, n].
struct SparseProduct {
  int64_t m = 0, n = 0, k = 0;
};
StatusOr<SparseProduct> ReadSparseProduct(const KernelContext& ctx, bool adjoint_a, bool adjoint_b);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SPARSE_SPARSE_PRODUCT_H_
