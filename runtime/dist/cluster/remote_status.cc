#include "runtime/dist/cluster/remote_status.h"

#include <string>

#include "absl/strings/match.h"
#include "graph/types/quoted_string.h"
#include "runtime/step/failed_node.h"

namespace warpbeam {
namespace {

constexpr char kFrom[] = "From /job:";

}  // namespace

bool IsDerived(const Status& status) {
  // The part's own task is told of at the beginning.
  return IsCancelled(status) && status.message().find(kFrom, 1) != absl::string_view::npos;
}

Status ToldBy(absl::string_view task, const Status& status) {
  if (status.ok() || absl::StartsWith(status.message(), kFrom)) return status;
  std::string text = absl::StrCat("From ", task, ":\n", EscapedText(status.message()));
  // TensorFlow's Python client finds the node by this form.
  if (const std::string node = FailedNode(status); !node.empty()) {
    absl::StrAppend(&text, "\n\t [[{{node ", node, "}}]]");
  }
  return Status(status.code(), text);
}

}  // namespace warpbeam
