#include "runtime/step/failed_node.h"

#include "absl/strings/strip.h"

namespace warpbeam {

std::string FailedNode(const Status& status) {
  absl::string_view message = status.message();
  if (!absl::ConsumePrefix(&message, "node '") && !absl::ConsumePrefix(&message, "copy of '")) {
    return "";
  }
  const size_t end = message.find('\'');
  return end == absl::string_view::npos ? "" : std::string(message.substr(0, end));
}

}  // namespace warpbeam
