#include "graph/passes/slice_first.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/node_roles.h"
#include "graph/passes/loop_frames.h"
#include "graph/passes/part_bounds.h"
#include "graph/passes/redirects.h"

namespace warpbeam {
namespace {

bool IsSlice(const std::string& op) { return op == "Slice" || op == "StridedSlice"; }

class Slicer {
 public:
  explicit Slicer(GraphPart* part)
      : part_(part),
        kept_graph_(part->graph),
        graph_(*kept_graph_),
        consumers_(part->consumers()),
        bounds_(*part) {}

  absl::Status Run() {
    Redirects redirects(graph_);
    std::vector<Pair> pairs;
    for (const NodeId id : part_->nodes) {
      Pair pair;
      if (!Matches(graph_.node(id), &pair)) continue;
      redirects.Output({pair.slice, 0}, {pair.cast, 0});
      pairs.push_back(std::move(pair));
    }
    WB_RETURN_IF_ERROR(redirects.Apply(part_));
    for (const Pair& pair : pairs) WB_RETURN_IF_ERROR(Swap(pair));
    return absl::OkStatus();
  }

 private:
  struct Pair {
    NodeId cast = kNoNode, slice = kNoNode;
    std::vector<NodeId> shapes;  // who reads the shape of the Cast
  };

  bool Matches(const Node& cast, Pair* pair) const {
    if (cast.op_name() != "Cast" || bounds_.IsFed(cast.id()) || bounds_.IsWanted(cast.id()) ||
        !MayBeReadLater(graph_, cast.input(0))) {
      return false;
    }
    pair->cast = cast.id();
    for (const Consumers::Use& use : consumers_->of(cast.id())) {
      if (!bounds_.Runs(use.node)) continue;
      const Node& reader = graph_.node(use.node);
      if (use.input != 0 || bounds_.IsFed(use.node)) return false;
      if (reader.op().reads_shapes_only) {
        pair->shapes.push_back(use.node);
      } else if (pair->slice == kNoNode && IsSlice(reader.op_name())) {
        pair->slice = use.node;
      } else {
        return false;
      }
    }
    return pair->slice != kNoNode && graph_.site(pair->slice) == graph_.site(cast.id());
  }

  // x -> cast -> slice becomes x -> slice -> cast; whoever read the slice reads the Cast by now.
  absl::Status Swap(const Pair& pair) {
    // As redirected: where a Cast reads another pair's slice, it reads that pair's Cast now.
    const Node& cast = part_->graph->node(pair.cast);
    const OutputRef x = cast.input(0);
    const PartialShape part = graph_.node(pair.slice).output_shape(0);
    for (const NodeId reader : pair.shapes) WB_RETURN_IF_ERROR(ReadFrom(reader, x));
    WB_RETURN_IF_ERROR(ReadFrom(pair.slice, x));
    NodeSpec spec;
    spec.op = cast.op_name();
    spec.attrs = cast.attrs();
    std::vector<NodeId> controls = cast.control_inputs();
    return part_->Edit().ReplaceNode(pair.cast, std::move(spec), {{pair.slice, 0}},
                                     std::move(controls), {part});
  }

  // Makes `id` read `x`, which is of another type than what it reads first now.
  absl::Status ReadFrom(NodeId id, OutputRef x) {
    const Node& node = part_->graph->node(id);
    NodeSpec spec;
    spec.op = node.op_name();
    spec.attrs = node.attrs();
    spec.attrs.Set("T", BaseType(graph_.node(x.node).output_type(x.index)));
    std::vector<OutputRef> inputs(node.inputs().begin(), node.inputs().end());
    inputs[0] = x;
    std::vector<NodeId> controls = node.control_inputs();
    const PartialShape shape = node.output_shape(0);
    return part_->Edit().ReplaceNode(id, std::move(spec), std::move(inputs), std::move(controls),
                                     {shape});
  }

  GraphPart* const part_;
  const std::shared_ptr<const Graph> kept_graph_;
  const Graph& graph_;
  const std::shared_ptr<const Consumers> consumers_;
  const PartBounds bounds_;
};

}  // namespace

absl::Status SliceFirst(GraphPart* part) {
  if (!part->HasOp("Cast")) return absl::OkStatus();
  part->Fork();
  return Slicer(part).Run();
}

}  // namespace warpbeam
