// Errors as tasks tell them to each other and to TensorFlow's clients.
//
//   return ToldBy("/job:ps/replica:0/task:0", status);
//   // "From /job:ps/replica:0/task:0:\nnode 'x' (Div) on …: division by zero\n\t [[{{node x}}]]"
//
// The task that an error comes from stays in it, however many pass it on. Thread safety: pure.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_REMOTE_STATUS_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_REMOTE_STATUS_H_

#include "absl/strings/string_view.h"
#include "graph/types/errors.h"

namespace warpbeam {

Status ToldBy(absl::string_view task, const Status& status);

// Whether a part was only let go of because that of another task was: why, the other one says.
bool IsDerived(const Status& status);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_REMOTE_STATUS_H_
