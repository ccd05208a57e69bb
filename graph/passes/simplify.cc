#include "graph/passes/simplify.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "graph/passes/constant_node.h"
#include "graph/passes/loop_frames.h"
#include "graph/passes/part_order.h"
#include "graph/passes/redirects.h"

namespace warpbeam {
namespace {

using Names = absl::flat_hash_set<std::string>;

const Names& HandOnOps() {
  static const auto* const ops = new Names{"Identity", "Snapshot", "StopGradient",
                                           "PreventGradient", "PlaceholderWithDefault"};
  return *ops;
}
// What keeps the elements in their order where it keeps their number.
const Names& RegroupingOps() {
  static const auto* const ops =
      new Names{"Reshape", "ExpandDims", "Squeeze", "Tile", "BroadcastTo", "Slice", "Sum",
                "Mean",    "Max",        "Min",     "Prod", "All",         "Any"};
  return *ops;
}

class Simplifier {
 public:
  explicit Simplifier(GraphPart* part)
      : part_(part), graph_(*part->graph), redirects_(graph_), uses_(graph_.num_nodes(), 0) {
    for (const OutputRef feed : part->feeds) fed_.insert(feed.node);
    for (const OutputRef fetch : part->fetches) ++uses_[fetch.node];
    for (const NodeId id : part->nodes) {
      for (const NodeId c : graph_.node(id).control_inputs()) ++uses_[c];
    }
    for (const NodeId target : part->targets) uses_[target] += 2;
  }

  absl::Status Run() {
    WB_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                        OrderNodes(graph_, part_->nodes, part_->feeds));
    follows_feeds_ = part_->ShapesFollowFeeds(order);
    for (const NodeId id : order) {
      const Node& node = graph_.node(id);
      if (fed_.contains(id)) continue;
      if (node.op_name() == "NoOp") {
        const size_t inputs = node.control_inputs().size();
        if (inputs == 1 || (inputs > 1 && uses_[id] == 1)) {
          redirects_.Control(id, node.control_inputs());
        }
        continue;
      }
      waits_ = node.control_inputs();
      const OutputRef source = StandIn(node);
      if (source.node != kNoNode) HandOn(node, source);
    }
    return redirects_.Apply(part_);
  }

 private:
  // The node's only output is `source`.
  void HandOn(const Node& node, OutputRef source) {
    redirects_.Output({node.id(), 0}, source, waits_);
    waits_.push_back(source.node);
    redirects_.Control(node.id(), std::move(waits_));
  }

  // What is the same as the node's result, or nothing.
  OutputRef StandIn(const Node& node) {
    if (node.num_outputs() != 1 || node.num_inputs() == 0 || IsRef(node.output_type(0))) return {};
    const std::string& op = node.op_name();
    if (RegroupingOps().contains(op) || IsOfOne(node)) return BeforeRegrouping(node);
    const bool hands_on = HandOnOps().contains(op) ||
                          (op == "Cast" && BaseType(node.input_type(0)) == node.output_type(0));
    return hands_on ? Plain(node.input(0)) : WithoutNeutral(node);
  }

  // What stands for `r`, if it is plain; its readers then wait for what lies between.
  OutputRef Plain(OutputRef r) {
    std::vector<NodeId> waits;
    const OutputRef to = redirects_.Resolve(r, &waits);
    if (!IsPlain(to)) return {};
    waits_.insert(waits_.end(), waits.begin(), waits.end());
    return to;
  }

  // A value that may be read later, or by somebody else, without a difference.
  bool IsPlain(OutputRef r) const {
    if (r.node == kNoNode) return false;
    const Node& producer = graph_.node(r.node);
    // The readers of a variable's reading are told apart by when they run.
    const bool reads_reference =
        producer.op_name() == "Identity" && producer.input(0).node != kNoNode &&
        IsRef(graph_.node(producer.input(0).node).output_type(producer.input(0).index));
    return !reads_reference && !IsRef(producer.output_type(r.index)) && !IsControlFlow(producer);
  }

  static bool IsOfOne(const Node& node) {
    return (node.op_name() == "Pack" || node.op_name() == "AddN") && node.num_inputs() == 1;
  }

  bool Regroups(const Node& node) const {
    if (!RegroupingOps().contains(node.op_name()) && !IsOfOne(node)) return false;
    const int64_t before = ShapeOf(node.input(0)).num_elements();
    return before >= 0 && before == node.output_shape(0).num_elements();
  }

  bool Waits(OutputRef r) const {
    return r.node == kNoNode || !graph_.node(r.node).control_inputs().empty();
  }

  const PartialShape& ShapeOf(OutputRef r) const {
    return graph_.node(r.node).output_shape(r.index);
  }

  // The first tensor of a chain of regroupings that has the node's shape.
  OutputRef BeforeRegrouping(const Node& node) {
    const PartialShape& shape = node.output_shape(0);
    if (!shape.IsFullyDefined() || node.output_type(0) == DType::kVariant ||
        follows_feeds_[node.id()]) {
      return {};
    }
    OutputRef at{node.id(), 0};
    OutputRef best;
    constexpr int kLongest = 16;
    for (int i = 0; i < kLongest; ++i) {
      const Node& from = graph_.node(at.node);
      // What a chain's inner nodes, its shapes and axes wait for would be lost.
      if (!Regroups(from) || (i > 0 && (fed_.contains(at.node) || Waits(at)))) break;
      bool waits = false;
      for (int k = 1; k < from.num_inputs(); ++k) waits |= Waits(from.input(k));
      if (waits) break;
      std::vector<NodeId> between;
      at = redirects_.Resolve(from.input(0), &between);
      if (!IsPlain(at) || !between.empty()) break;
      if (ShapeOf(at).IsFullyDefined() && ShapeOf(at) == shape) best = at;
    }
    return best;
  }

  // The value of a scalar constant that is not fed.
  bool IsScalar(OutputRef r, double value) const {
    r = redirects_.Resolve(r);
    if (r.node == kNoNode || fed_.contains(r.node)) return false;
    const Node& node = graph_.node(r.node);
    const Tensor* constant = ConstantTensor(node);
    if (constant == nullptr || constant->rank() != 0 || !node.control_inputs().empty()) {
      return false;
    }
    const Tensor& t = *constant;
    switch (t.dtype()) {
      case DType::kFloat:
        return static_cast<double>(t.scalar<float>()) == value;
      case DType::kDouble:
        return t.scalar<double>() == value;
      case DType::kInt32:
        return t.scalar<int32_t>() == value;
      case DType::kInt64:
        return static_cast<double>(t.scalar<int64_t>()) == value;
      default:
        return false;
    }
  }

  OutputRef WithoutNeutral(const Node& node) {
    const std::string& op = node.op_name();
    if (node.num_inputs() != 2) return {};
    const OutputRef x = node.input(0), y = node.input(1);
    if (op == "Mul" && IsScalar(x, 1)) return Plain(y);
    if ((op == "Mul" || op == "RealDiv" || op == "Div" || op == "Pow") && IsScalar(y, 1)) {
      return Plain(x);
    }
    // 0 - -0 would be 0, but -0 - 0 is -0: only a difference keeps every x.
    if (op == "Sub" && IsScalar(y, 0)) return Plain(x);
    return {};
  }

  GraphPart* const part_;
  const Graph& graph_;
  Redirects redirects_;
  std::vector<bool> follows_feeds_;
  std::vector<NodeId> waits_;  // what readers of the node at hand wait for, once it is gone
  std::vector<int> uses_;      // of control edges and bounds
  absl::flat_hash_set<NodeId> fed_;
};

}  // namespace

absl::Status Simplify(GraphPart* part) {
  const std::shared_ptr<const Graph> kept = part->graph;
  return Simplifier(part).Run();
}

}  // namespace warpbeam
