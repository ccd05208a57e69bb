// FailedNode: which node a step's error came from, for those who do not want to read it out of the
// message.
//
//   absl::Status s = session->Run(…);   // "node 'x' (Div) on …: division by zero"
//   FailedNode(s)                       // "x"
//
// Thread safety: pure. Errors: none; "" for a status that no node made.
#ifndef WARPBEAM_RUNTIME_EXECUTOR_FAILED_NODE_H_
#define WARPBEAM_RUNTIME_EXECUTOR_FAILED_NODE_H_

#include <string>

#include "graph/types/status.h"

namespace warpbeam {

std::string FailedNode(const absl::Status& status);
// The same status, known to be of `node`: the outermost one, where it calls functions.
absl::Status WithFailedNode(absl::Status status, absl::string_view node);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EXECUTOR_FAILED_NODE_H_
