// Redirects: which outputs and nodes stand for others, gathered by a pass and applied in one sweep.
//
//   Redirects redirects(*part->graph);
//   redirects.Output({identity, 0}, node.input(0), node.control_inputs());
//   redirects.Control(identity, {node.input(0).node});
//   WB_RETURN_IF_ERROR(redirects.Apply(part));       // the part is changed; pruning drops the rest
//
// Whoever reads a redirected output also waits for the nodes given with it. Redirects may follow
// each other, but must not form a ring: a pass redirects to what comes before. Fed outputs must not
// be redirected: the feed stands for them.
//
// Ownership: keeps ids only. Thread safety: one thread. Errors: those of Graph::SetInput for an
// output of another type.
#ifndef WARPBEAM_GRAPH_PASSES_REDIRECTS_H_
#define WARPBEAM_GRAPH_PASSES_REDIRECTS_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

class Redirects {
 public:
  explicit Redirects(const Graph& graph) : touched_(graph.num_nodes(), false) {}

  void Output(OutputRef from, OutputRef to, std::vector<NodeId> controls = {});
  // Who waits for `from` waits for all of `to` instead.
  void Control(NodeId from, std::vector<NodeId> to);

  bool empty() const { return outputs_.empty() && controls_.empty(); }
  bool Touches(NodeId node) const { return touched_[node]; }
  // What stands for the output in the end.
  OutputRef Resolve(OutputRef output) const { return Resolve(output, nullptr); }
  // Adds to `controls`, unless null, what readers of `output` must then wait for.
  OutputRef Resolve(OutputRef output, std::vector<NodeId>* controls) const;
  absl::Status Apply(GraphPart* part) const;

 private:
  struct Stand {
    OutputRef to;
    std::vector<NodeId> controls;
  };
  void ResolveControl(NodeId node, std::vector<NodeId>* controls) const;
  absl::Status ApplyTo(const Node& node, GraphPart* part) const;

  std::vector<bool> touched_;  // nodes with an entry below
  absl::flat_hash_map<OutputRef, Stand> outputs_;
  absl::flat_hash_map<NodeId, std::vector<NodeId>> controls_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_REDIRECTS_H_
