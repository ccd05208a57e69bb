// Changes the pipeline's inputs, which are serialized conformance cases (a graph, and what is run
// of it), and puts two together.
//
//   std::string changed = MutateCase(random, wire_form, /*max_size=*/1 << 16);
//
// Thread safety: pure. Errors: none. What is no case is changed as bytes; a result beyond
// `max_size` is thrown away for the input.
#ifndef WARPBEAM_TESTS_FUZZ_CASE_MUTATOR_H_
#define WARPBEAM_TESTS_FUZZ_CASE_MUTATOR_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tests/fuzz/random_source.h"

namespace warpbeam {
namespace fuzz {

std::string MutateCase(RandomSource& random, absl::string_view input, size_t max_size);
// The graph of `donor` becomes part of the one of `input`.
std::string CrossCases(RandomSource& random, absl::string_view input, absl::string_view donor,
                       size_t max_size);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_CASE_MUTATOR_H_
