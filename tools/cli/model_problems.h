// What would keep a model from running on this machine, and what to do about it; found without
// running anything of it.
//
//   std::vector<std::string> problems = GraphProblems(graph, options);
//   AppendCheckpointProblems("/m/variables/variables", &problems);
//
// Thread safety: as Graph. Errors: the problems themselves; none: it runs, as far as can be told.
#ifndef WARPBEAM_TOOLS_CLI_MODEL_PROBLEMS_H_
#define WARPBEAM_TOOLS_CLI_MODEL_PROBLEMS_H_

#include <memory>
#include <string>
#include <vector>

#include "runtime/session/session.h"

namespace warpbeam {
namespace cli {

// Ops without a kernel for their dtypes, in function bodies too, and nodes that cannot be placed.
std::vector<std::string> GraphProblems(const std::shared_ptr<Graph>& graph,
                                       const SessionOptions& options);

// Files that are missing or too short.
void AppendCheckpointProblems(const std::string& prefix, std::vector<std::string>* problems);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_MODEL_PROBLEMS_H_
