// What the kernels of Bincount have in common, whatever device they are on.
//
//   WB_ASSIGN_OR_RETURN(const int64_t size, BincountSize(ctx));
//
// Thread safety: a pure function. Errors: INVALID_ARGUMENT for a size that is none and for weights
// that do not fit.
#ifndef WARPBEAM_OPS_ARRAY_INDEX_BINCOUNT_H_
#define WARPBEAM_OPS_ARRAY_INDEX_BINCOUNT_H_

#include <cstdint>

#include "graph/types/errors.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// How many bins there are, by the size (input 1, in host memory); the weights (input 2) have been
// checked against the numbers (input 0).
StatusOr<int64_t> BincountSize(const KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_INDEX_BINCOUNT_H_
