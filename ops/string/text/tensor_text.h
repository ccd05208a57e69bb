// How Assert, Print and StringFormat write tensors: as TensorFlow does, whose users match the
// texts.
//
//   ElementText(Tensor::Scalar(0.1f), 0)                     // 0.1
//   SummarizeValues(matrix, 3)                               // [1 2 3...]...
//
// Numbers have as few digits as tell them apart; truth values are 1 and 0; what has no text is '?'.
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_STRING_TEXT_TENSOR_TEXT_H_
#define WARPBEAM_OPS_STRING_TEXT_TENSOR_TEXT_H_

#include <cstdint>
#include <string>

#include "graph/types/tensor.h"

namespace warpbeam {

// Element `i` in row-major order; strings are escaped, without quotes.
std::string ElementText(const Tensor& tensor, int64_t i);

// The first `limit` values (all where it is negative), rows in brackets, dots for the rest.
std::string SummarizeValues(const Tensor& tensor, int64_t limit);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STRING_TEXT_TENSOR_TEXT_H_
