// The nodes that save and restore variables, as TensorFlow's Saver adds them to a graph.
//
//   SaverNames names = BuildSaverNodes(scope, "save", {{"w", w}}, /*sharded=*/false);
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_SAVER_SAVER_NODES_H_
#define WARPBEAM_FRONTEND_SAVER_SAVER_NODES_H_

#include <map>
#include <string>

#include "frontend/saver/saver.h"

namespace warpbeam {
namespace frontend {
namespace train {

SaverNames BuildSaverNodes(const Scope& scope, const std::string& name,
                           const std::map<std::string, Variable>& variables, bool sharded);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVER_SAVER_NODES_H_
