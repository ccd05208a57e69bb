#include "graph/passes/slice_first.h"

#include <string>
#include <utility>
#include <vector>

#include "graph/node_roles.h"
#include "graph/passes/rewrite_rule.h"

namespace warpbeam {
namespace {

constexpr absl::string_view kSlices[] = {"Slice", "StridedSlice"};
constexpr absl::string_view kCasts[] = {"Cast"};

// Makes `id` read `x`, which is of another type than what it reads first now.
Status ReadFrom(NodeId id, OutputRef x, GraphPart* part) {
  const Node& node = part->graph->node(id);
  NodeSpec spec;
  spec.op = node.op_name();
  spec.attrs = node.attrs();
  spec.attrs.Set("T", BaseType(part->graph->node(x.node).output_type(x.index)));
  std::vector<OutputRef> inputs(node.inputs().begin(), node.inputs().end());
  inputs[0] = x;
  std::vector<NodeId> controls = node.control_inputs();
  const PartialShape shape = node.output_shape(0);
  return part->Edit().ReplaceNode(id, std::move(spec), std::move(inputs), std::move(controls),
                                  {shape});
}

// x -> cast -> slice becomes x -> slice -> cast; whoever read the slice reads the Cast by now.
Status SwapSlice(const RewriteMatch& match, GraphPart* part) {
  // As redirected: where a Cast reads another pair's slice, it reads that pair's Cast now.
  const Node& cast = part->graph->node(match.inner);
  const OutputRef x = cast.input(0);
  const PartialShape shape = match.outer_node().output_shape(0);
  for (const NodeId reader : match.shape_readers) WB_RETURN_IF_ERROR(ReadFrom(reader, x, part));
  WB_RETURN_IF_ERROR(ReadFrom(match.outer, x, part));
  NodeSpec spec;
  spec.op = cast.op_name();
  spec.attrs = cast.attrs();
  std::vector<NodeId> controls = cast.control_inputs();
  return part->Edit().ReplaceNode(match.inner, std::move(spec), {{match.outer, 0}},
                                  std::move(controls), {shape});
}

RewriteRule SliceFirstRule() {
  RewriteRule rule;
  rule.outer = kSlices;
  rule.inner = kCasts;
  rule.allows_shape_readers = true;
  rule.swaps = true;
  rule.guard = [](const RewriteMatch& m) {
    return MayBeReadLater(m.graph, m.inner_node().input(0));
  };
  rule.replace = SwapSlice;
  return rule;
}

}  // namespace

Status SliceFirst(GraphPart* part) { return Rewrite(SliceFirstRule(), part); }

}  // namespace warpbeam
