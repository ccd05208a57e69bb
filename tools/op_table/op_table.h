// OpTable: docs/ops.md, a table of every op that is linked into the program.
//
//   WB_ASSIGN_OR_RETURN(std::string text, OpTable(facts));
//
// Each row says what the registries say: the dtypes of the kernels on CPU and GPU, the gradient,
// and what differs from TensorFlow. Ops stand under the name of their family.
//
// Ownership: values. Thread safety: any thread. Errors: INVALID_ARGUMENT for a line of the facts
// that is not "op<TAB>text".
#ifndef WARPBEAM_TOOLS_OP_TABLE_OP_TABLE_H_
#define WARPBEAM_TOOLS_OP_TABLE_OP_TABLE_H_

#include <string>

#include "graph/types/errors.h"

namespace warpbeam {

// The texts of files of lines "op<TAB>value"; lines that begin with '#' are comments.
struct OpFacts {
  std::string families;              // frontend/gen/families.tsv
  std::string kernel_differences;    // tests/golden/kernel_differences.tsv
  std::string gradient_differences;  // tests/golden/gradient_differences.tsv
  std::string deviations;            // docs/op_deviations.tsv
};

// The files of those names under the working directory.
StatusOr<OpFacts> ReadOpFacts();

StatusOr<std::string> OpTable(const OpFacts& facts);

}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_OP_TABLE_OP_TABLE_H_
