// Graphs with nodes whose lists have lengths that do not go together. An op has as many tensors for
// an argument as its attributes say; where two attributes say how many of the same thing there are,
// only the maker of the graph sees to it that they agree.
//
//   ForEachListCase(c, [](const std::string& wire_form) { Run(wire_form); });
//   ForEachListCase(*OpRegistry::Global().Find("SparseCross"), run);
//
// Of a conformance case, each list of each node in turn becomes empty, one shorter and one longer;
// the inputs that are its elements go and come with it. Of an op, there are graphs with one node in
// which all lists have one length, and each list in turn another; their elements are scalars,
// vectors or matrices.
//
// Thread safety: pure. Errors: none; what cannot be parsed or has no list gives no cases.
#ifndef WARPBEAM_TESTS_FUZZ_LIST_LENGTHS_H_
#define WARPBEAM_TESTS_FUZZ_LIST_LENGTHS_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "graph/op/op_schema.h"

namespace conformance {
class Case;
}  // namespace conformance

namespace warpbeam {
namespace fuzz {

void ForEachListCase(const conformance::Case& c,
                     absl::FunctionRef<void(const std::string& wire_form)> fn);
void ForEachListCase(const OpSchema& schema,
                     absl::FunctionRef<void(const std::string& wire_form)> fn);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_LIST_LENGTHS_H_
