// The nodes that save and restore variables, as TensorFlow's Saver adds them to a graph.
//
//   std::vector<SavedVariable> saved = SavedVariables(std::map<std::string, Variable>{{"w", w}});
//   SaverNames names = BuildSaverNodes(scope, "save", saved, /*sharded=*/false);
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_SAVER_SAVER_NODES_H_
#define WARPBEAM_FRONTEND_SAVER_SAVER_NODES_H_

#include <string>
#include <vector>

#include "frontend/saver/saved_variable.h"
#include "frontend/saver/saver.h"

namespace warpbeam {
namespace frontend {
namespace train {

SaverNames BuildSaverNodes(const Scope& scope, const std::string& name,
                           const std::vector<SavedVariable>& variables, bool sharded);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVER_SAVER_NODES_H_
