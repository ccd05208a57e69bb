// The checks of LowerBound and UpperBound, for the CPU and for GPUs.
//
//   WB_RETURN_IF_ERROR(CheckSortedSearch(sorted.shape(), values.shape(), DType::kInt32));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for what are no matrices of as many rows, and for
// rows that are longer than the result's type counts.
#ifndef WARPBEAM_OPS_ARRAY_INDEX_SORTED_SEARCH_H_
#define WARPBEAM_OPS_ARRAY_INDEX_SORTED_SEARCH_H_

#include <cstdint>

#include "graph/types/dtype.h"
#include "graph/types/errors.h"
#include "graph/types/shape.h"

namespace warpbeam {

inline Status CheckSortedSearch(const Shape& sorted, const Shape& values, DType result) {
  if (sorted.rank() != 2 || values.rank() != 2 || sorted.dim(0) != values.dim(0)) {
    return InvalidArgument(
        "sorted inputs and values must be matrices with one "
        "number of rows, not ",
        sorted.ToString(), " and ", values.ToString());
  }
  if (result == DType::kInt32 && sorted.dim(1) > INT32_MAX) {
    return InvalidArgument("rows of ", sorted.dim(1), " elements need an out_type of int64");
  }
  return OkStatus();
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_INDEX_SORTED_SEARCH_H_
