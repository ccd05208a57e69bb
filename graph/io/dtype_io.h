// Element types by their wire numbers.
//
//   WB_ASSIGN_OR_RETURN(DType t, DTypeFromNumber(proto.dtype()));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for a number that is no type.
#ifndef WARPBEAM_GRAPH_IO_DTYPE_IO_H_
#define WARPBEAM_GRAPH_IO_DTYPE_IO_H_

#include "graph/types/dtype.h"
#include "graph/types/errors.h"

namespace warpbeam {

// The type of a wire number, reference types included. 0 is kInvalid, which is fine only where a
// value may be missing; the caller knows.
StatusOr<DType> DTypeFromNumber(int number);

// The wire number of a type.
inline int NumberOf(DType type) { return static_cast<int>(type); }

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_DTYPE_IO_H_
