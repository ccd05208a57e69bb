#include "runtime/dist/cluster_spec.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace warpbeam {

absl::StatusOr<int> PortOf(absl::string_view address) {
  const size_t colon = address.rfind(':');
  int port = 0;
  if (colon == absl::string_view::npos || colon == 0 ||
      !absl::SimpleAtoi(address.substr(colon + 1), &port) || port < 1 || port > 65535) {
    return InvalidArgument("'", address, "' is not of the form host:port");
  }
  return port;
}

absl::StatusOr<ClusterSpec> ClusterSpec::Parse(absl::string_view text) {
  ClusterSpec cluster;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<std::string> halves = absl::StrSplit(part, '|');
    if (halves.size() != 2 || halves[0].empty()) {
      return InvalidArgument("'", part,
                             "' in the cluster is not of the form job|host:port;host:port");
    }
    std::vector<std::string> tasks = absl::StrSplit(halves[1], ';');
    for (const std::string& task : tasks) WB_RETURN_IF_ERROR(PortOf(task).status());
    if (!cluster.jobs.emplace(halves[0], std::move(tasks)).second) {
      return InvalidArgument("the cluster names the job '", halves[0], "' twice");
    }
  }
  return cluster;
}

absl::StatusOr<std::string> ClusterSpec::Address(const std::string& job, int task) const {
  const auto found = jobs.find(job);
  if (found == jobs.end()) return NotFound("the cluster has no job '", job, "'");
  if (task < 0 || task >= static_cast<int>(found->second.size())) {
    return NotFound("the job '", job, "' has ", found->second.size(), " tasks, but no task ", task);
  }
  return found->second[task];
}

int ClusterSpec::num_tasks() const {
  size_t tasks = 0;
  for (const auto& [job, addresses] : jobs) tasks += addresses.size();
  return static_cast<int>(tasks);
}

}  // namespace warpbeam
