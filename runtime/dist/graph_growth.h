// GraphGrowth: what of a graph that only grows has not been sent to a server yet.
//
//   GraphGrowth growth;
//   if (growth.HasNew(graph)) {
//     WB_RETURN_IF_ERROR(growth.WriteNew(graph, request.mutable_graph_def()));
//     …                                     // the server has taken it
//     growth.MarkSent(graph);
//   }
//
// New are nodes, and the functions and gradients that came with them. What happens afterwards to a
// node that was sent is not seen: the server has it as it was.
//
// Ownership: shares functions. Thread safety: as Graph. Errors: those of ExportGraphDef.
#ifndef WARPBEAM_RUNTIME_DIST_GRAPH_GROWTH_H_
#define WARPBEAM_RUNTIME_DIST_GRAPH_GROWTH_H_

#include "graph/graph.h"

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace warpbeam {

class GraphGrowth {
 public:
  bool HasNew(const Graph& graph) const { return graph.num_nodes() > num_sent_; }
  Status WriteNew(const Graph& graph, tensorflow::GraphDef* proto) const;
  void MarkSent(const Graph& graph);

 private:
  int num_sent_ = 0;
  FunctionLibrary sent_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_GRAPH_GROWTH_H_
