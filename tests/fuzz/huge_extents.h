// ForEachHugeCase: what a conformance case becomes when one of its tensors has no elements, but
// another dimension of 2^50; or when nothing is known of one but an extent near the end of int64.
//
//   ForEachHugeCase(c, [](const std::string& wire_form) { Run(wire_form); });
//
// Such a tensor takes no memory, so nothing refuses it for its size; code that loops over one
// dimension, or makes room for it, before it looks at the others never ends or ends the process.
// Each constant and each feed is given such shapes in turn: of its first, second and last dimension
// one is huge, another 0; so do two constants that follow each other. Placeholders lose their
// shapes, so that they take them.
// Then each constant and each placeholder becomes a placeholder of its own rank that says one
// extent, 2^63 - 1 or 2^62: what shape functions make of it must not overflow.
//
// Thread safety: pure. Errors: none; what cannot be parsed or has no tensor of two dimensions gives
// no cases.
#ifndef WARPBEAM_TESTS_FUZZ_HUGE_EXTENTS_H_
#define WARPBEAM_TESTS_FUZZ_HUGE_EXTENTS_H_

#include <string>

#include "absl/functional/function_ref.h"

namespace conformance {
class Case;
}  // namespace conformance

namespace warpbeam {
namespace fuzz {

void ForEachHugeCase(const conformance::Case& c,
                     absl::FunctionRef<void(const std::string& wire_form)> fn);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_HUGE_EXTENTS_H_
