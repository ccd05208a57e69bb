#include "graph/passes/mask_first.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/part_bounds.h"
#include "graph/passes/redirects.h"

namespace warpbeam {
namespace {

// What a window is made of.
constexpr const char* kWindowAttrs[] = {"ksize", "strides", "padding", "explicit_paddings",
                                        "data_format"};

class Masker {
 public:
  explicit Masker(GraphPart* part)
      : part_(part),
        kept_graph_(part->graph),
        graph_(*kept_graph_),
        consumers_(part->consumers()),
        bounds_(*part) {}

  absl::Status Run() {
    Redirects redirects(graph_);
    std::vector<Pair> pairs;
    for (const NodeId id : part_->nodes) {
      const Node& mask = graph_.node(id);
      if (!Matches(mask)) continue;
      const NodeId spread = mask.input(0).node;
      redirects.Output({id, 0}, {spread, 0});
      redirects.Control(id, {spread});
      pairs.push_back({id, spread});
    }
    WB_RETURN_IF_ERROR(redirects.Apply(part_));
    for (const Pair& pair : pairs) WB_RETURN_IF_ERROR(Swap(pair));
    return absl::OkStatus();
  }

 private:
  struct Pair {
    NodeId mask, spread;  // ReluGrad and MaxPoolGrad
  };

  bool Matches(const Node& mask) const {
    if (mask.op_name() != "ReluGrad" || bounds_.IsFed(mask.id()) || bounds_.IsWanted(mask.id()) ||
        !mask.control_inputs().empty() || mask.input(0).node == kNoNode) {
      return false;
    }
    const Node& spread = graph_.node(mask.input(0).node);
    return spread.op_name() == "MaxPoolGrad" && spread.input(0) == mask.input(1) &&
           graph_.site(spread.id()) == graph_.site(mask.id()) && !bounds_.IsFed(spread.id()) &&
           !bounds_.IsWanted(spread.id()) && IsOnlyFor(spread.id(), mask.id()) && IsPooled(spread);
  }

  bool IsOnlyFor(NodeId id, NodeId reader) const {
    for (const Consumers::Use& use : consumers_->of(id)) {
      if (bounds_.Runs(use.node) && (use.node != reader || use.input != 0)) return false;
    }
    return true;
  }

  // Whether the gradient's second input is the pooled first one.
  bool IsPooled(const Node& spread) const {
    const OutputRef y = spread.input(1);
    if (y.node == kNoNode || bounds_.IsFed(y.node)) return false;
    const Node& pool = graph_.node(y.node);
    if (pool.op_name() != "MaxPool" || pool.input(0) != spread.input(0)) return false;
    for (const char* name : kWindowAttrs) {
      const AttrValue *of_pool = pool.attrs().Find(name), *of_spread = spread.attrs().Find(name);
      if ((of_pool == nullptr) != (of_spread == nullptr)) return false;
      if (of_pool != nullptr && !(*of_pool == *of_spread)) return false;
    }
    return true;
  }

  // Whoever read the masked gradient reads the spread one by now.
  absl::Status Swap(const Pair& pair) {
    // As redirected: dy may be another pair's.
    const Node& spread = part_->graph->node(pair.spread);
    const OutputRef x = spread.input(0), y = spread.input(1), dy = spread.input(2);
    const PartialShape shape = spread.output_shape(0);
    NodeSpec mask_spec, spread_spec;
    mask_spec.op = "ReluGrad";
    mask_spec.attrs = part_->graph->node(pair.mask).attrs();
    spread_spec.op = "MaxPoolGrad";
    spread_spec.attrs = spread.attrs();
    std::vector<NodeId> controls = spread.control_inputs();
    WB_RETURN_IF_ERROR(part_->Edit().ReplaceNode(pair.mask, std::move(mask_spec), {dy, y}, {},
                                                 {graph_.node(y.node).output_shape(y.index)}));
    return part_->Edit().ReplaceNode(pair.spread, std::move(spread_spec), {x, y, {pair.mask, 0}},
                                     std::move(controls), {shape});
  }

  GraphPart* const part_;
  const std::shared_ptr<const Graph> kept_graph_;
  const Graph& graph_;
  const std::shared_ptr<const Consumers> consumers_;
  const PartBounds bounds_;
};

}  // namespace

absl::Status MaskFirst(GraphPart* part) {
  if (!part->HasOp("MaxPoolGrad")) return absl::OkStatus();
  part->Fork();
  return Masker(part).Run();
}

}  // namespace warpbeam
