// PositionText: where element `i` of a tensor stands, for messages: "1,0,2", or "" in a scalar.
//
//   InvalidArgument("indices[", PositionText(indices.shape().dims(), i), "] = ", …)
//
// Thread safety: pure. Errors: none; `i` must be an element's number in row-major order.
#ifndef WARPBEAM_OPS_ARRAY_INDEX_ELEMENT_POSITION_H_
#define WARPBEAM_OPS_ARRAY_INDEX_ELEMENT_POSITION_H_

#include <cstdint>
#include <string>

#include "graph/types/span.h"

namespace warpbeam {

std::string PositionText(Span<const int64_t> dims, int64_t i);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_INDEX_ELEMENT_POSITION_H_
