#include "graph/passes/mask_first.h"

#include <utility>
#include <vector>

#include "graph/passes/rewrite_rule.h"

namespace warpbeam {
namespace {

constexpr absl::string_view kMasks[] = {"ReluGrad"};
constexpr absl::string_view kSpreads[] = {"MaxPoolGrad"};
// What a window is made of.
constexpr const char* kWindowAttrs[] = {"ksize", "strides", "padding", "explicit_paddings",
                                        "data_format"};

// Whether the mask asks for what is pooled, and the gradient's second input is that, pooled.
bool IsMaskOfPooled(const RewriteMatch& match) {
  const Node& spread = match.inner_node();
  const OutputRef y = spread.input(1);
  if (match.bounds.IsWanted(match.outer) || spread.input(0) != match.outer_node().input(1) ||
      y.node == kNoNode || match.bounds.IsFed(y.node)) {
    return false;
  }
  const Node& pool = match.graph.node(y.node);
  if (pool.op_name() != "MaxPool" || pool.input(0) != spread.input(0)) return false;
  for (const char* name : kWindowAttrs) {
    const AttrValue *of_pool = pool.attrs().Find(name), *of_spread = spread.attrs().Find(name);
    if ((of_pool == nullptr) != (of_spread == nullptr)) return false;
    if (of_pool != nullptr && !(*of_pool == *of_spread)) return false;
  }
  return true;
}

// Whoever read the masked gradient reads the spread one by now.
Status SwapMask(const RewriteMatch& match, GraphPart* part) {
  // As redirected: dy may be another pair's.
  const Node &spread = part->graph->node(match.inner), &mask = part->graph->node(match.outer);
  const OutputRef x = spread.input(0), y = spread.input(1), dy = spread.input(2);
  const PartialShape shape = spread.output_shape(0);
  NodeSpec mask_spec, spread_spec;
  mask_spec.op = mask.op_name();
  mask_spec.attrs = mask.attrs();
  spread_spec.op = spread.op_name();
  spread_spec.attrs = spread.attrs();
  std::vector<NodeId> mask_controls = mask.control_inputs();
  std::vector<NodeId> spread_controls = spread.control_inputs();
  WB_RETURN_IF_ERROR(part->Edit().ReplaceNode(match.outer, std::move(mask_spec), {dy, y},
                                              std::move(mask_controls),
                                              {match.graph.node(y.node).output_shape(y.index)}));
  return part->Edit().ReplaceNode(match.inner, std::move(spread_spec), {x, y, {match.outer, 0}},
                                  std::move(spread_controls), {shape});
}

RewriteRule MaskFirstRule() {
  RewriteRule rule;
  rule.outer = kMasks;
  rule.inner = kSpreads;
  rule.swaps = true;
  rule.guard = IsMaskOfPooled;
  rule.replace = SwapMask;
  return rule;
}

}  // namespace

Status MaskFirst(GraphPart* part) { return Rewrite(MaskFirstRule(), part); }

}  // namespace warpbeam
