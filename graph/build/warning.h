// Warn: one line in the log for what is odd about an input and yet no reason to refuse it.
//
//   Warn("the shape that node 'x' was written with is not used");   // "warning: the shape …"
//
// The log is stderr. A line is cut to kMostWarningBytes, for its text comes from strangers; control
// characters in it become '?', so that it stays one line. Thread safety: lines of several threads
// do not mix. Errors: none.
#ifndef WARPBEAM_GRAPH_BUILD_WARNING_H_
#define WARPBEAM_GRAPH_BUILD_WARNING_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace warpbeam {

constexpr size_t kMostWarningBytes = 1000;

void Warn(absl::string_view text);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_BUILD_WARNING_H_
