#include "runtime/dist/cluster/remote_status.h"

#include <string>

#include "absl/strings/match.h"
#include "graph/types/quoted_string.h"
#include "runtime/step/failed_node.h"

namespace warpbeam {

absl::Status ToldBy(absl::string_view task, const absl::Status& status) {
  if (status.ok() || absl::StartsWith(status.message(), "From /job:")) return status;
  std::string text = absl::StrCat("From ", task, ":\n", EscapedText(status.message()));
  // TensorFlow's Python client finds the node by this form.
  if (const std::string node = FailedNode(status); !node.empty()) {
    absl::StrAppend(&text, "\n\t [[{{node ", node, "}}]]");
  }
  return absl::Status(status.code(), text);
}

}  // namespace warpbeam
