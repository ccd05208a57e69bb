#include "runtime/session/step_part.h"

#include <utility>

#include "graph/node_roles.h"
#include "graph/passes/prune.h"
#include "graph/types/shown_name.h"
#include "runtime/session/step_compiler.h"

namespace warpbeam {

StatusOr<StepPart> StepPart::Named(const Graph& graph, std::vector<OutputRef> feeds,
                                   const std::vector<std::string>& fetches,
                                   const std::vector<std::string>& targets) {
  StepPart part;
  part.feeds = std::move(feeds);
  for (const std::string& fetch : fetches) {
    WB_ASSIGN_OR_RETURN(const OutputRef output, ParseOutput(graph, fetch, "fetch"));
    part.fetches.push_back(output);
  }
  for (const std::string& target : targets) {
    const Node* node = graph.Find(target);
    if (node == nullptr) {
      return NotFound("the target '", ShownName(target), "' is no node of the graph");
    }
    part.targets.push_back(node->id());
  }
  std::vector<NodeId> wanted = part.targets;
  if (part.fetches.empty() && part.targets.empty()) {
    for (const Node& node : graph.nodes()) {
      if (node.role() != OpRole::kPlaceholder) wanted.push_back(node.id());
    }
  }
  part.kept = Prune(graph, part.feeds, part.fetches, wanted);
  return part;
}

StatusOr<StepPart> StepPart::OfNames(const Graph& graph, const std::vector<std::string>& fetches,
                                     const std::vector<std::string>& targets) {
  std::vector<OutputRef> feeds;
  for (const Node& node : graph.nodes()) {
    if (node.role() == OpRole::kPlaceholder) feeds.push_back({node.id(), 0});
  }
  return Named(graph, std::move(feeds), fetches, targets);
}

}  // namespace warpbeam
