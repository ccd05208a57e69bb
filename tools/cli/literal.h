// Tensors written on the command line: 3.5, [1,2,3], [[0.5,nan],[-inf,1e-3]], ["a","b"], true.
//
//   WB_ASSIGN_OR_RETURN(Tensor t, ParseLiteral("[[1,2],[3,4]]", DType::kFloat));   // float[2,2]
//
// Lists nest, as many levels as the tensor has dimensions. Strings may stand without quotes where
// they hold none of "[],; in quotes, C's escapes count.
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for text that does not parse, lists of different
// lengths and values that are not of the dtype, with the position; UNIMPLEMENTED for dtypes that
// have no literals (complex numbers, resources).
#ifndef WARPBEAM_TOOLS_CLI_LITERAL_H_
#define WARPBEAM_TOOLS_CLI_LITERAL_H_

#include "absl/strings/string_view.h"
#include "graph/types/tensor.h"

namespace warpbeam {
namespace cli {

StatusOr<Tensor> ParseLiteral(absl::string_view text, DType dtype);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_LITERAL_H_
