// FailedNode: which node a step's error came from, for programs. The message says it, too, in the
// form of Plan::DescribeItem.
//
//   Status s = session->Run({}, {}, {"x:0"}, {}, &out);  // "node 'x' (Div) on …: division…"
//   FailedNode(s) == "x";
//
// Thread safety: pure. Errors: none; "" for a status that no node made.
#ifndef WARPBEAM_RUNTIME_STEP_FAILED_NODE_H_
#define WARPBEAM_RUNTIME_STEP_FAILED_NODE_H_

#include <string>

#include "graph/types/errors.h"

namespace warpbeam {

// The outermost node, where it calls functions.
std::string FailedNode(const Status& status);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_FAILED_NODE_H_
