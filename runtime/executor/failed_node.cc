#include "runtime/executor/failed_node.h"

namespace warpbeam {
namespace {

constexpr char kPayload[] = "warpbeam/failed_node";

}  // namespace

std::string FailedNode(const absl::Status& status) {
  const auto node = status.GetPayload(kPayload);
  return node.has_value() ? std::string(*node) : "";
}

absl::Status WithFailedNode(absl::Status status, absl::string_view node) {
  status.SetPayload(kPayload, absl::Cord(node));
  return status;
}

}  // namespace warpbeam
