// OpsInUse: the ops of a graph's nodes, each once: a cheap look before every node is looked at.
//
//   for (const OpSchema* op : OpsInUse(graph, /*begin=*/0)) {
//     has_queues |= op->role == OpRole::kQueue;
//   }
//
// Thread safety: a pure function. Errors: none.
#ifndef WARPBEAM_RUNTIME_SESSION_OPS_IN_USE_H_
#define WARPBEAM_RUNTIME_SESSION_OPS_IN_USE_H_

#include <vector>

#include "graph/graph.h"

namespace warpbeam {

// Of the nodes from `begin` on.
std::vector<const OpSchema*> OpsInUse(const Graph& graph, NodeId begin);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_OPS_IN_USE_H_
