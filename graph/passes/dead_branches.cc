#include "graph/passes/dead_branches.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "graph/passes/constant_node.h"
#include "graph/passes/loop_frames.h"
#include "graph/passes/redirects.h"

namespace warpbeam {
namespace {

class BranchCutter {
 public:
  explicit BranchCutter(GraphPart* part)
      : part_(part),
        graph_(*part->graph),
        redirects_(graph_),
        dead_(graph_.num_nodes(), false),
        wanted_(graph_.num_nodes(), false) {
    for (const OutputRef feed : part->feeds) fed_.insert(feed);
    const auto read = [this](OutputRef r) {
      if (r.index == 1) second_outputs_.insert(r.node);
    };
    for (const OutputRef fetch : part->fetches) {
      wanted_[fetch.node] = true;
      read(fetch);
    }
    for (const NodeId id : part->nodes) {
      for (const OutputRef in : graph_.node(id).inputs()) read(in);
    }
    for (const NodeId target : part->targets) wanted_[target] = true;
  }

  Status Run() {
    WB_ASSIGN_OR_RETURN(const GraphPart::Order order, part_->Ordered());
    for (const NodeId id : *order) {
      if (!Visit(graph_.node(id))) return OkStatus();
    }
    return redirects_.Apply(part_);
  }

 private:
  bool IsDead(OutputRef r) const {
    if (r.node == kNoNode || fed_.contains(r)) return false;
    return dead_[r.node] || dead_outputs_.contains(r);
  }

  // False when the graph must stay as it is.
  bool Visit(const Node& node) {
    const bool is_merge = IsMerge(node), is_trigger = node.role() == OpRole::kTrigger;
    int live = 0;
    OutputRef live_input;
    for (const OutputRef in : node.inputs()) {
      if (IsDead(in)) continue;
      live_input = in;
      ++live;
    }
    const bool lacks_input = is_merge ? live == 0 : live < node.num_inputs() && !is_trigger;
    bool waits_for_dead = false;
    for (const NodeId c : node.control_inputs()) waits_for_dead |= dead_[c];
    if (lacks_input || (waits_for_dead && !is_merge && !is_trigger)) {
      dead_[node.id()] = true;
      return !wanted_[node.id()];
    }
    if (waits_for_dead) return false;  // a Merge or a trigger that waits for both branches
    if (IsSwitch(node)) return CutSwitch(node);
    if (is_merge && live == 1 && node.num_inputs() > 1) return CutMerge(node, live_input);
    return true;
  }

  bool CutSwitch(const Node& node) {
    const std::optional<bool> taken = ConstantPredicate(node.input(1));
    if (!taken || IsRef(node.output_type(0))) return true;
    const OutputRef dead{node.id(), *taken ? 0 : 1}, live{node.id(), *taken ? 1 : 0};
    if (fed_.contains(dead) || fed_.contains(live)) return true;
    if (wanted_[node.id()]) return false;
    dead_outputs_.insert(dead);
    redirects_.Output(live, node.input(0), node.control_inputs());
    return true;
  }

  bool CutMerge(const Node& node, OutputRef input) {
    if (IsRef(node.output_type(0))) return true;
    if (second_outputs_.contains(node.id())) return false;
    if (fed_.contains({node.id(), 0})) return true;
    redirects_.Output({node.id(), 0}, input, node.control_inputs());
    std::vector<NodeId> controls = node.control_inputs();
    controls.push_back(input.node);
    // Whoever waits for the input's node must not wait for a Switch as a whole: it always runs.
    redirects_.Control(node.id(), std::move(controls));
    return true;
  }

  std::optional<bool> ConstantPredicate(OutputRef r) const {
    if (r.node == kNoNode || fed_.contains(r)) return std::nullopt;
    const Tensor* value = ConstantTensor(graph_.node(r.node));
    if (value == nullptr || value->dtype() != DType::kBool || value->num_elements() != 1) {
      return std::nullopt;
    }
    return value->scalar<bool>();
  }

  GraphPart* const part_;
  const Graph& graph_;
  Redirects redirects_;
  absl::flat_hash_set<OutputRef> fed_;
  absl::flat_hash_set<OutputRef> dead_outputs_;
  absl::flat_hash_set<NodeId> second_outputs_;  // nodes with one that somebody reads
  std::vector<bool> dead_;                      // nodes that never run
  std::vector<bool> wanted_;                    // fetched nodes and targets
};

}  // namespace

Status DeadBranches(GraphPart* part) {
  const bool any = part->HasOp([](const OpSchema& op) { return op.role == OpRole::kSwitch; });
  if (!any || HasLoops(*part)) return OkStatus();
  const std::shared_ptr<const Graph> kept = part->graph;
  return BranchCutter(part).Run();
}

}  // namespace warpbeam
