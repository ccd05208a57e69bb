// Names of tasks: "/job:ps/replica:0/task:1", the beginning of the names of its devices.
//
//   TaskName("ps", 1) == "/job:ps/replica:0/task:1"
//   TaskOfDevice("/job:ps/replica:0/task:1/device:CPU:0") == "/job:ps/replica:0/task:1"
//
// Thread safety: pure functions. Errors: none; "" for a device's name that is not full.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_TASK_NAME_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_TASK_NAME_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace warpbeam {

inline std::string TaskName(absl::string_view job, int task) {
  return absl::StrCat("/job:", job, "/replica:0/task:", task);
}

inline absl::string_view TaskOfDevice(absl::string_view device) {
  const size_t end = device.find("/device:");
  return end == absl::string_view::npos ? absl::string_view() : device.substr(0, end);
}

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_TASK_NAME_H_
