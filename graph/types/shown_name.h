// ShownName: a name as it stands in messages and logs, where a graph's may have megabytes.
//
//   return InvalidArgument("the feed '", ShownName(name), "' names no node of the graph");
//
// At most kLongestShownName bytes of the name are shown, never half of a UTF-8 sequence, with "…"
// after them; ShownMessage does the same for a whole text. Thread safety: pure functions.
#ifndef WARPBEAM_GRAPH_TYPES_SHOWN_NAME_H_
#define WARPBEAM_GRAPH_TYPES_SHOWN_NAME_H_

#include <string>

#include "absl/strings/string_view.h"
#include "graph/types/errors.h"

namespace warpbeam {

constexpr size_t kLongestShownName = 200;
constexpr size_t kLongestShownMessage = 4000;

std::string ShownName(absl::string_view name);
// The message of one problem, which may name several things.
std::string ShownMessage(absl::string_view message);
// The status with such a message, and all else that it holds.
Status ShownStatus(const Status& status);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_SHOWN_NAME_H_
