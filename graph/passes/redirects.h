// Redirects: which outputs and nodes stand for others, gathered by a pass and applied in one sweep.
//
//   Redirects redirects(*part->graph);
//   redirects.Output({identity, 0}, node.input(0), node.control_inputs());
//   redirects.Control(identity, {node.input(0).node});
//   WB_RETURN_IF_ERROR(redirects.Apply(part));       // the part is changed; pruning drops the rest
//
// Whoever reads a redirected output also waits for the nodes given with it. Redirects may follow
// each other, but must not form a ring: a pass redirects to what comes before. Fed outputs must not
// be redirected: the feed stands for them. A node that `Control` is called for is given up: all of
// its outputs that anybody reads are redirected too.
//
// The edges that come of it are at most a small multiple of those that there were, whatever follows
// what: a node that stands for many others and has several waiters becomes a NoOp that gathers
// them, and stays. Otherwise layers of nodes that wait for all of the layer before would have every
// waiter wait for every path.
//
// Ownership: keeps ids only. Thread safety: one thread. Errors: those of Graph::SetInput for an
// output of another type.
#ifndef WARPBEAM_GRAPH_PASSES_REDIRECTS_H_
#define WARPBEAM_GRAPH_PASSES_REDIRECTS_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/passes/pass_pipeline.h"
#include "graph/types/span.h"

namespace warpbeam {

class Redirects {
 public:
  // A set of nodes this small is given to each waiter as it is; a larger one costs a node.
  static constexpr size_t kFew = 4;

  explicit Redirects(const Graph& graph) : touched_(graph.num_nodes(), false) {}

  void Output(OutputRef from, OutputRef to, std::vector<NodeId> controls = {});
  // Who waits for `from` waits for all of `to` instead.
  void Control(NodeId from, std::vector<NodeId> to);

  bool empty() const { return outputs_.empty() && controls_.empty(); }
  bool Touches(NodeId node) const { return touched_[node]; }
  // What stands for the output in the end.
  OutputRef Resolve(OutputRef output) const;
  // What was given with the redirect of this output; none where it is not redirected.
  Span<const NodeId> Waits(OutputRef output) const;
  Status Apply(GraphPart* part) const;

 private:
  struct Stand {
    OutputRef to;
    std::vector<NodeId> controls;
  };
  class Settled;
  const Stand* Find(OutputRef output) const;

  std::vector<bool> touched_;  // nodes with an entry below
  absl::flat_hash_map<OutputRef, Stand> outputs_;
  absl::flat_hash_map<NodeId, std::vector<NodeId>> controls_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_REDIRECTS_H_
