// Lists of hosts and of tasks, as Slurm and MPI write them.
//
//   WB_ASSIGN_OR_RETURN(const auto hosts, ExpandHostList("n[01-02],m5"));       // n01, n02, m5
//   WB_ASSIGN_OR_RETURN(const auto tasks, ExpandTasksPerNode("2(x2),1"));       // 2, 2, 1
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT quoting the list and what is wrong in it.
#ifndef WARPBEAM_RUNTIME_DIST_HOST_LIST_H_
#define WARPBEAM_RUNTIME_DIST_HOST_LIST_H_

#include <string>
#include <utility>
#include <vector>

#include "graph/types/errors.h"

namespace warpbeam {

// Numbers have as many digits as the first of their range. Of several ranges in one name the last
// counts up first: "r[1-2]n[1-2]" is r1n1, r1n2, r2n1, r2n2.
StatusOr<std::vector<std::string>> ExpandHostList(absl::string_view list);
StatusOr<std::vector<int>> ExpandTasksPerNode(absl::string_view list);

// "a:2,b" with `num_tasks` tasks: how many of them each host has, one after the other. Where no
// host says how many it takes, all have as many.
using HostTasks = std::vector<std::pair<std::string, int>>;
StatusOr<HostTasks> ExpandHostSlots(absl::string_view list, int num_tasks);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_HOST_LIST_H_
