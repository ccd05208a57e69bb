// What the kernels of SparseToDense have in common, whatever device they are on.
//
//   WB_ASSIGN_OR_RETURN(const DensePlan plan, MakeDensePlan(ctx));
//
// Thread safety: a pure function. Errors: INVALID_ARGUMENT for shapes that do not fit; the indices
// are not looked at.
#ifndef WARPBEAM_OPS_SPARSE_SPARSE_TO_DENSE_H_
#define WARPBEAM_OPS_SPARSE_SPARSE_TO_DENSE_H_

#include <cstdint>

#include "graph/types/errors.h"
#include "graph/types/shape.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct DensePlan {
  Shape shape;        // of the result
  int64_t count = 0;  // of index tuples
  int64_t rank = 0;   // of entries of each
};
// The shape and the value for all other places (inputs 1 and 3) are in host memory.
StatusOr<DensePlan> MakeDensePlan(const KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SPARSE_SPARSE_TO_DENSE_H_
