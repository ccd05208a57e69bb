#include "runtime/session/ops_in_use.h"

namespace warpbeam {

std::vector<const OpSchema*> OpsInUse(const Graph& graph, NodeId begin) {
  absl::flat_hash_set<const OpSchema*> seen;
  std::vector<const OpSchema*> ops;
  for (NodeId id = begin; id < graph.num_nodes(); ++id) {
    const OpSchema* const op = &graph.node(id).op();
    if (seen.insert(op).second) ops.push_back(op);
  }
  return ops;
}

}  // namespace warpbeam
