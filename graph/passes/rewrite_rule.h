// RewriteRule: a rule for two nodes of which one reads the other: a pattern, a guard and a
// replacement, for which Rewrite finds the places.
//
//   constexpr absl::string_view kSlices[] = {"Slice"}, kCasts[] = {"Cast"};
//   RewriteRule rule;                                   // Slice(Cast(x)) becomes Cast(Slice(x))
//   rule.outer = kSlices;  rule.inner = kCasts;  rule.swaps = true;
//   rule.guard = [](const RewriteMatch& m) { return m.outer_node().control_inputs().empty(); };
//   rule.replace = [](const RewriteMatch& m, GraphPart* part) {
//     return part->Edit().ReplaceNode(m.outer, NodeSpec(), {}, {}, {});     // and so on
//   };
//   WB_RETURN_IF_ERROR(Rewrite(rule, part));
//
// The pattern holds where the outer node reads output 0 of the inner one in the input that the rule
// says, both are on one site, neither is fed, and nothing else looks at the inner node: it is not
// fetched, no target, and nobody else reads it or waits for it. An inner node is in one match.
//
// Ownership: rules are constants. Thread safety: one thread a part. Errors: those of replacements.
#ifndef WARPBEAM_GRAPH_PASSES_REWRITE_RULE_H_
#define WARPBEAM_GRAPH_PASSES_REWRITE_RULE_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "graph/passes/part_bounds.h"
#include "graph/passes/pass_pipeline.h"
#include "graph/types/span.h"

namespace warpbeam {

struct RewriteMatch {
  const Graph& graph;  // as it was before the pass
  const PartBounds& bounds;
  const Consumers& consumers;
  NodeId outer, inner;
  std::vector<NodeId> shape_readers;  // who reads the shape of the inner node, and only that

  const Node& outer_node() const { return graph.node(outer); }
  const Node& inner_node() const { return graph.node(inner); }
  // Whether nothing that runs but the given input of `reader` looks at the node.
  bool IsOnlyFor(NodeId id, NodeId reader, int input) const;
};

struct RewriteRule {
  Span<const absl::string_view> outer;  // names of ops
  int input = 0;                        // of the outer node
  Span<const absl::string_view> inner;
  bool allows_shape_readers = false;
  // The inner node stands for the outer one: who read output 0 of that, or waited for it, does so
  // with this.
  bool swaps = false;
  // What the pattern does not say; true where the two are to be replaced.
  bool (*guard)(const RewriteMatch& match) = nullptr;
  // Called when the readers of all matches have been redirected, so that the nodes of `part` may
  // read others than those of `match.graph`.
  Status (*replace)(const RewriteMatch& match, GraphPart* part) = nullptr;
};

Status Rewrite(const RewriteRule& rule, GraphPart* part);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_REWRITE_RULE_H_
