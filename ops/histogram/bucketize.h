// What the kernels of Bucketize have in common, whatever device they are on.
//
//   WB_ASSIGN_OR_RETURN(const std::vector<float> boundaries, ReadBoundaries(init));
//
// Thread safety: a pure function. Errors: INVALID_ARGUMENT for boundaries that are not sorted.
#ifndef WARPBEAM_OPS_HISTOGRAM_BUCKETIZE_H_
#define WARPBEAM_OPS_HISTOGRAM_BUCKETIZE_H_

#include <vector>

#include "graph/types/errors.h"
#include "runtime/kernel/kernel.h"

namespace warpbeam {

// The attribute of this name.
StatusOr<std::vector<float>> ReadBoundaries(const KernelInit& init);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_HISTOGRAM_BUCKETIZE_H_
