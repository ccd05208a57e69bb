// ClusterSpec: the tasks of a cluster by job, with their addresses.
//
//   WB_ASSIGN_OR_RETURN(ClusterSpec c, ClusterSpec::Parse("ps|a:1;a:2,worker|b:1"));
//   WB_ASSIGN_OR_RETURN(std::string address, c.Address("ps", 1));        // "a:2"
//
// Thread safety: values. Errors: INVALID_ARGUMENT quoting what is wrong; NOT_FOUND for a task that
// is not in it.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_SPEC_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_SPEC_H_

#include <map>
#include <string>
#include <vector>

#include "graph/types/status.h"

namespace warpbeam {

struct ClusterSpec {
  std::map<std::string, std::vector<std::string>> jobs;  // "host:port" of each task

  // Jobs with commas between, tasks with semicolons.
  static absl::StatusOr<ClusterSpec> Parse(absl::string_view text);

  absl::StatusOr<std::string> Address(const std::string& job, int task) const;
  int num_tasks() const;
};

// The port of "host:port".
absl::StatusOr<int> PortOf(absl::string_view address);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_SPEC_H_
