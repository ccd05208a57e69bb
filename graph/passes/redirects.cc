#include "graph/passes/redirects.h"

#include <algorithm>
#include <utility>

#include "graph/passes/fed_outputs.h"

namespace warpbeam {

void Redirects::Output(OutputRef from, OutputRef to, std::vector<NodeId> controls) {
  touched_[from.node] = true;
  outputs_[from] = {to, std::move(controls)};
}

void Redirects::Control(NodeId from, std::vector<NodeId> to) {
  touched_[from] = true;
  controls_[from] = std::move(to);
}

OutputRef Redirects::Resolve(OutputRef output, std::vector<NodeId>* controls) const {
  while (output.node != kNoNode && touched_[output.node]) {
    const auto found = outputs_.find(output);
    if (found == outputs_.end()) break;
    if (controls != nullptr) {
      for (const NodeId c : found->second.controls) ResolveControl(c, controls);
    }
    output = found->second.to;
  }
  return output;
}

void Redirects::ResolveControl(NodeId node, std::vector<NodeId>* controls) const {
  std::vector<NodeId> open = {node};
  while (!open.empty()) {
    const NodeId at = open.back();
    open.pop_back();
    const auto found = touched_[at] ? controls_.find(at) : controls_.end();
    if (found == controls_.end()) {
      controls->push_back(at);
    } else {
      open.insert(open.end(), found->second.begin(), found->second.end());
    }
  }
}

absl::Status Redirects::ApplyTo(const Node& node, GraphPart* part) const {
  const NodeId id = node.id();
  std::vector<NodeId> controls, added;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const OutputRef to = Resolve(node.input(i), &added);
    if (to != node.input(i)) WB_RETURN_IF_ERROR(part->Edit().SetInput(id, i, to));
  }
  bool changed = !added.empty();
  for (const NodeId c : part->graph->node(id).control_inputs()) {
    changed |= touched_[c] && controls_.contains(c);
    ResolveControl(c, &controls);
  }
  if (!changed) return absl::OkStatus();
  controls.insert(controls.end(), added.begin(), added.end());
  std::sort(controls.begin(), controls.end());
  controls.erase(std::unique(controls.begin(), controls.end()), controls.end());
  controls.erase(std::remove(controls.begin(), controls.end(), id), controls.end());
  return part->Edit().SetControlInputs(id, std::move(controls));
}

absl::Status Redirects::Apply(GraphPart* part) const {
  if (empty()) return absl::OkStatus();
  std::vector<NodeId> waited;
  for (OutputRef& fetch : part->fetches) fetch = Resolve(fetch, &waited);
  std::vector<NodeId> targets;
  for (const NodeId target : part->targets) ResolveControl(target, &targets);
  // What a fetched output waited for must still run.
  targets.insert(targets.end(), waited.begin(), waited.end());
  const FedOutputs fed(*part->graph, part->feeds);
  const auto is_only_waited_for = [&](NodeId id) {
    return fed.IsPlaceholder(id) &&
           std::find(part->targets.begin(), part->targets.end(), id) == part->targets.end();
  };
  targets.erase(std::remove_if(targets.begin(), targets.end(), is_only_waited_for), targets.end());
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  part->targets = std::move(targets);
  for (const NodeId id : part->nodes) {
    const Node& node = part->graph->node(id);
    bool any = false;
    for (const OutputRef in : node.inputs()) any |= in.node != kNoNode && touched_[in.node];
    for (const NodeId c : node.control_inputs()) any |= touched_[c];
    if (any) WB_RETURN_IF_ERROR(ApplyTo(node, part));
  }
  // A redirect of which nobody but the bounds took notice is a change, too.
  part->Edit();
  return absl::OkStatus();
}

}  // namespace warpbeam
