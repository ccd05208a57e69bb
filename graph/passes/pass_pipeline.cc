#include "graph/passes/pass_pipeline.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/abandonment.h"
#include "graph/passes/part_order.h"
#include "graph/passes/prune.h"

namespace warpbeam {

Graph& GraphPart::Edit() {
  if (overlay_ == nullptr) {
    overlay_ = Graph::Overlay(graph);
    graph = overlay_;
  }
  changed_ = true;
  known_ = Known();
  return *overlay_;
}

StatusOr<GraphPart::Order> GraphPart::Ordered() const {
  if (known_.order == nullptr) {
    WB_ASSIGN_OR_RETURN(std::vector<NodeId> order, OrderNodes(*graph, nodes, feeds));
    known_.order = std::make_shared<const std::vector<NodeId>>(std::move(order));
  }
  return known_.order;
}

std::shared_ptr<const Consumers> GraphPart::consumers() const {
  if (known_.consumers == nullptr) known_.consumers = std::make_shared<const Consumers>(*graph);
  return known_.consumers;
}

bool GraphPart::HasOp(absl::FunctionRef<bool(const OpSchema&)> is) const {
  if (known_.ops == nullptr) {
    absl::flat_hash_set<const OpSchema*> ops;
    for (const NodeId id : nodes) ops.insert(&graph->node(id).op());
    known_.ops = std::make_shared<const std::vector<const OpSchema*>>(ops.begin(), ops.end());
  }
  return std::any_of(known_.ops->begin(), known_.ops->end(),
                     [is](const OpSchema* op) { return is(*op); });
}

std::vector<bool> GraphPart::ShapesFollowFeeds(const std::vector<NodeId>& order) const {
  std::vector<bool> follow(graph->num_nodes(), false);
  const absl::flat_hash_set<OutputRef> fed(feeds.begin(), feeds.end());
  for (const OutputRef feed : feeds) follow[feed.node] = true;
  for (const NodeId id : order) {
    for (const OutputRef in : graph->node(id).inputs()) {
      if (in.node != kNoNode && (follow[in.node] || fed.contains(in))) follow[id] = true;
    }
  }
  return follow;
}

void GraphPart::Prune() {
  PartFacts facts;
  nodes = warpbeam::Prune(*graph, feeds, fetches, targets, &facts);
  known_ = Known();
  known_.ops = std::make_shared<const std::vector<const OpSchema*>>(std::move(facts.ops));
  // Then the order of ids is the one that a search would find.
  if (facts.ids_are_ordered) known_.order = std::make_shared<const std::vector<NodeId>>(nodes);
  changed_ = false;
}

std::string GraphPart::ToText() const {
  std::string text;
  for (NodeId id : nodes) {
    const Node& node = graph->node(id);
    std::vector<std::string> inputs;
    for (OutputRef in : node.inputs()) {
      inputs.push_back(absl::StrCat(graph->node(in.node).name(), ":", in.index));
    }
    for (NodeId control : node.control_inputs()) {
      inputs.push_back(absl::StrCat("^", graph->node(control).name()));
    }
    absl::StrAppend(&text, node.name(), " = ", node.op_name(), "(", absl::StrJoin(inputs, ", "),
                    ")\n");
  }
  return absl::StrCat(text, notes);
}

Status PassPipeline::Select(absl::string_view passes) {
  for (Entry& entry : entries_) entry.selected = entry.required;
  for (absl::string_view name : absl::StrSplit(passes, ',', absl::SkipWhitespace())) {
    if (name == "default" || name == "none") {
      for (Entry& entry : entries_) entry.selected = entry.required || name == "default";
      continue;
    }
    const bool selects = !absl::ConsumePrefix(&name, "-");
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.name == name; });
    if (found == entries_.end()) {
      const std::string all = absl::StrJoin(
          entries_, ", ", [](std::string* out, const Entry& e) { out->append(e.name); });
      return InvalidArgument("there is no pass '", name, "'; there are default, none, ", all);
    }
    found->selected = selects || found->required;
  }
  return OkStatus();
}

Status PassPipeline::Run(GraphPart* part, const Dump& dump) const {
  for (const Entry& entry : entries_) {
    if (!entry.selected) continue;
    WB_RETURN_IF_ERROR(CheckStillWanted());
    part->notes.clear();
    WB_RETURN_IF_ERROR(Annotate(entry.pass(part), absl::StrCat("pass '", entry.name, "'")));
    if (part->changed()) part->Prune();
    if (dump) dump(entry.name, part->ToText());
  }
  return OkStatus();
}

}  // namespace warpbeam
