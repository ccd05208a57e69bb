// Scripts of calls to a server: those that run a conformance case as a client would, and what
// becomes of them.
//
//   calls::Script script = ScriptOf(c, Flavour::kCallables);
//   std::string changed = MutateScript(random, WireForm(script), /*max_size=*/1 << 16);
//
// Thread safety: pure. Errors: none. What is no script is changed as bytes; a result beyond
// `max_size` is thrown away for the input.
#ifndef WARPBEAM_TESTS_FUZZ_CALL_SCRIPT_MUTATOR_H_
#define WARPBEAM_TESTS_FUZZ_CALL_SCRIPT_MUTATOR_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tests/fuzz/random_source.h"

namespace conformance {
class Case;
}  // namespace conformance

namespace calls {
class Script;
}  // namespace calls

namespace warpbeam {
namespace fuzz {

// How a script runs the steps of its case: as clients do, or as another task of a cluster does.
enum class Flavour { kSteps, kCallables, kPartialRuns, kWorker };
inline constexpr int kNumFlavours = 4;

calls::Script ScriptOf(const conformance::Case& c, Flavour flavour);
std::string MutateScript(RandomSource& random, absl::string_view input, size_t max_size);
// The calls of both, among each other, each with sessions of its own.
std::string CrossScripts(RandomSource& random, absl::string_view input, absl::string_view donor,
                         size_t max_size);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_CALL_SCRIPT_MUTATOR_H_
