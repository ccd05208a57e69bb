#include "tools/cli/step_walk.h"

#include <algorithm>
#include <utility>

#include "graph/functions/instantiate.h"

namespace warpbeam {
namespace cli {
namespace {

// A function may call itself with ever other attributes.
constexpr size_t kMostFunctions = 100'000;

// What `roots` need, in the order in which it was found.
std::vector<NodeId> NodesBefore(const Graph& graph, const std::vector<NodeId>& roots,
                                const absl::flat_hash_set<OutputRef>& fed) {
  std::vector<bool> seen(graph.num_nodes(), false);
  std::vector<NodeId> nodes;
  const auto visit = [&](NodeId id) {
    if (id < 0 || seen[id]) return;
    seen[id] = true;
    nodes.push_back(id);
  };
  for (NodeId root : roots) visit(root);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = graph.node(nodes[i]);
    for (OutputRef input : node.inputs()) {
      if (!fed.contains(input)) visit(input.node);
    }
    for (NodeId control : node.control_inputs()) visit(control);
  }
  return nodes;
}

bool IsPlaceholder(const Node& node) {
  return node.op_name() == "Placeholder" || node.op_name() == "PlaceholderV2";
}

bool IsBorder(const Node& node) { return node.op_name() == "_Arg" || node.op_name() == "_Retval"; }

}  // namespace

std::vector<NodeId> StepWalk::Visit(const std::vector<NodeId>& roots,
                                    const absl::flat_hash_set<OutputRef>& fed, bool will_run) {
  seen_.resize(graph_.num_nodes(), false);
  std::vector<NodeId> nodes = NodesBefore(graph_, roots, fed);
  for (NodeId id : nodes) {
    if (seen_[id]) continue;
    seen_[id] = true;
    BadNode bad = Look(graph_, graph_.node(id), will_run);
    if (!bad.problem.none()) bad_nodes_.emplace(id, std::move(bad));
  }
  VisitFunctions();
  return nodes;
}

StepWalk::BadNode StepWalk::Look(const Graph& graph, const Node& node, bool will_run) {
  BadNode bad;
  bad.problem = check_.Against(node, will_run);
  if (bad.problem.none()) {
    bad.problem = NodeCheck::AtRun(node);
    bad.at_run = !bad.problem.none();
  }
  if (bad.problem.none() && will_run && IsPlaceholder(node)) {
    bad.problem = {"is needed and never fed", "Add it to the signature's inputs, or feed it."};
    bad.at_run = true;
  }
  QueueCalls(graph, node, will_run, &bad);
  if (node.op_name() == "RestoreV2") NoteRestored(graph, node);
  return bad;
}

void StepWalk::QueueCalls(const Graph& graph, const Node& node, bool will_run, BadNode* bad) {
  for (auto& [attr, function] : CalledFunctions(node, check_.IsCall(node))) {
    if (graph_.functions().Find(function.name) == nullptr &&
        graph.ops().Find(function.name) == nullptr) {
      if (!bad->problem.none()) continue;
      bad->problem = {absl::StrCat("calls the function '", ShownName(function.name), "' ('", attr,
                                   "'), which the model does not have"),
                      "Export the model again."};
      bad->at_run = true;
      continue;
    }
    if (seen_calls_.size() == kMostFunctions) continue;
    if (seen_calls_.insert(AttrValue(function).ToString()).second) {
      calls_.push_back({std::move(function), will_run});
    }
  }
}

void StepWalk::VisitFunctions() {
  while (!calls_.empty()) {
    const Call call = std::move(calls_.back());
    calls_.pop_back();
    VisitBody(call);
  }
}

void StepWalk::VisitBody(const Call& call) {
  const auto body = InstantiateFunction(graph_.functions(), call.function, graph_.ops());
  if (!body.ok()) {
    function_problems_.push_back(ShownMessage(body.status().message()));
    return;
  }
  std::vector<NodeId> roots = body->retvals;
  roots.insert(roots.end(), body->effects.begin(), body->effects.end());
  const std::string where = absl::StrCat(" in function '", ShownName(call.function.name), "'");
  for (NodeId id : NodesBefore(*body->graph, roots, {})) {
    const Node& node = body->graph->node(id);
    if (IsBorder(node)) continue;
    const BadNode bad = Look(*body->graph, node, call.will_run);
    if (!bad.problem.none()) in_functions_.Add(node.op_name(), bad.problem, node.name(), where);
  }
}

void StepWalk::NoteRestored(const Graph& graph, const Node& node) {
  const auto dtypes = node.attrs().Get<std::vector<DType>>("dtypes");
  if (!dtypes.ok() || node.num_inputs() < 2) return;
  const Node& names = graph.node(node.input(1).node);
  const auto value = names.attrs().Get<Tensor>("value");
  if (names.op_name() != "Const" || !value.ok() || value->dtype() != DType::kString) return;
  const size_t count = std::min<size_t>(dtypes->size(), value->num_elements());
  for (size_t i = 0; i < count; ++i) {
    restored_.emplace(value->data<std::string>()[i], BaseType((*dtypes)[i]));
  }
}

}  // namespace cli
}  // namespace warpbeam
