#include "graph/gradients/gradients.h"

#include <algorithm>
#include <deque>

#include "absl/container/flat_hash_map.h"
#include "graph/gradients/aggregate.h"
#include "graph/gradients/control_flow.h"
#include "graph/gradients/function_gradient.h"

namespace warpbeam {
namespace {

// Types through which a gradient can flow. Resources and variants carry one on behalf of what they
// refer to (a variable's value, a list of tensors).
bool CarriesGradient(DType type) {
  const DType t = BaseType(type);
  return IsFloating(t) || IsComplex(t) || t == DType::kResource || t == DType::kVariant;
}

// The backward walk over one graph.
class BackwardWalk {
 public:
  BackwardWalk(Graph& graph, const std::vector<OutputRef>& ys, const std::vector<OutputRef>& xs,
               const GradientOptions& options)
      : graph_(graph),
        ys_(ys),
        xs_(xs),
        options_(options),
        registry_(options.registry != nullptr ? *options.registry : GradientRegistry::Global()),
        num_forward_(graph.num_nodes()) {}

  absl::StatusOr<std::vector<GradientValue>> Run();

 private:
  absl::Status CheckArguments() const;
  void MarkReached(const Consumers& consumers);
  void MarkBetween();
  absl::Status SeedOutputs();
  absl::StatusOr<GradientValue> Seed(size_t i, AggregateScope scope);
  absl::Status Visit(NodeId id);
  absl::Status Differentiate(NodeId id, std::vector<GradientValue> out);
  absl::Status Deliver(NodeId id, const std::vector<GradientValue>& dx);
  absl::Status CheckResult(const Node& node, int input, const GradientValue& dx);
  void Release(NodeId id);
  bool HasOpenInput(const Node& node) const;
  AggregateScope ScopeOf(NodeId forward) const;

  Graph& graph_;
  const std::vector<OutputRef>& ys_;
  const std::vector<OutputRef>& xs_;
  const GradientOptions& options_;
  const GradientRegistry& registry_;
  const int num_forward_;
  std::string prefix_;
  std::vector<char> reached_;  // a path from an x leads into the node
  std::vector<char> between_;  // … and on to a y; or the node makes an x
  std::vector<char> stopped_;
  std::vector<int32_t> pending_;  // edges to nodes of the walk not yet visited
  absl::flat_hash_map<OutputRef, std::vector<GradientValue>> arrived_;
  std::deque<NodeId> ready_;
};

absl::Status BackwardWalk::CheckArguments() const {
  const auto check = [&](absl::string_view what, size_t i, OutputRef ref) -> absl::Status {
    if (ref.node >= 0 && ref.node < graph_.num_nodes() && ref.index >= 0 &&
        ref.index < graph_.node(ref.node).num_outputs()) {
      return absl::OkStatus();
    }
    return InvalidArgument("gradients: ", what, "[", i, "] is no output of a node of the graph");
  };
  for (size_t i = 0; i < ys_.size(); ++i) WB_RETURN_IF_ERROR(check("ys", i, ys_[i]));
  for (size_t i = 0; i < xs_.size(); ++i) WB_RETURN_IF_ERROR(check("xs", i, xs_[i]));
  for (size_t i = 0; i < options_.stop_gradients.size(); ++i) {
    WB_RETURN_IF_ERROR(check("stop_gradients", i, options_.stop_gradients[i]));
  }
  if (!options_.grad_ys.empty() && options_.grad_ys.size() != ys_.size()) {
    return InvalidArgument("gradients: ", options_.grad_ys.size(), " grad_ys for ", ys_.size(),
                           " ys");
  }
  return absl::OkStatus();
}

// Forward from the xs, over tensors that can carry a gradient.
void BackwardWalk::MarkReached(const Consumers& consumers) {
  reached_.assign(num_forward_, 0);
  std::vector<NodeId> queue;
  const auto visit_uses = [&](NodeId id, int output) {
    for (const Consumers::Use& use : consumers.of(id)) {
      if (use.input < 0 || reached_[use.node] || (output >= 0 && use.output != output)) continue;
      if (!CarriesGradient(graph_.node(id).output_type(use.output))) continue;
      reached_[use.node] = 1;
      queue.push_back(use.node);
    }
  };
  for (OutputRef x : xs_) visit_uses(x.node, x.index);
  for (size_t i = 0; i < queue.size(); ++i) visit_uses(queue[i], -1);
}

// Backward from the ys, within what was reached, counting the edges.
void BackwardWalk::MarkBetween() {
  between_.assign(num_forward_, 0);
  pending_.assign(num_forward_, 0);
  std::vector<char> makes_x(num_forward_, 0);
  for (OutputRef x : xs_) makes_x[x.node] = 1;
  std::vector<NodeId> queue;
  const auto enter = [&](NodeId id) {
    if (between_[id] || (!reached_[id] && !makes_x[id])) return;
    between_[id] = 1;
    queue.push_back(id);
  };
  for (OutputRef y : ys_) enter(y.node);
  for (size_t i = 0; i < queue.size(); ++i) {
    if (stopped_[queue[i]]) continue;
    for (OutputRef in : graph_.node(queue[i]).inputs()) {
      if (in.node == kNoNode) continue;
      enter(in.node);
      if (between_[in.node]) ++pending_[in.node];
    }
  }
}

AggregateScope BackwardWalk::ScopeOf(NodeId forward) const {
  AggregateScope scope;
  scope.prefix = prefix_;
  scope.device = options_.device;
  if (forward == kNoNode) return scope;
  const Node& node = graph_.node(forward);
  scope.location = node.location();
  if (options_.colocate) {
    scope.attrs.Set("_class", std::vector<std::string>{absl::StrCat("loc:@", node.name())});
    if (!node.device().empty()) scope.device = node.device();
  }
  return scope;
}

absl::StatusOr<GradientValue> BackwardWalk::Seed(size_t i, AggregateScope scope) {
  const OutputRef y = ys_[i];
  const Node& node = graph_.node(y.node);
  const DType type = BaseType(node.output_type(y.index));
  if (!options_.grad_ys.empty() && !options_.grad_ys[i].is_none()) {
    const GradientValue& given = options_.grad_ys[i];
    const OutputRef ref = given.is_dense() ? given.dense : given.values;
    if (ref.node >= graph_.num_nodes() || ref.index < 0 ||
        ref.index >= graph_.node(ref.node).num_outputs()) {
      return InvalidArgument("gradients: grad_ys[", i, "] is no output of a node of the graph");
    }
    const DType got = BaseType(graph_.node(ref.node).output_type(ref.index));
    if (got != type) {
      return InvalidArgument("gradients: grad_ys[", i, "] is ", DTypeName(got), ", ys[", i, "] is ",
                             DTypeName(type), " ('", node.name(), "')");
    }
    return given;
  }
  if (IsComplex(type)) {
    return InvalidArgument("gradients: ys[", i, "] ('", node.name(),
                           "') is complex: give its gradient in grad_ys");
  }
  scope.prefix = absl::StrCat(prefix_, "grad_ys_", i, "/");
  WB_ASSIGN_OR_RETURN(OutputRef ones, EmitOnes(graph_, y, scope));
  return GradientValue::Dense(ones);
}

absl::Status BackwardWalk::SeedOutputs() {
  for (size_t i = 0; i < ys_.size(); ++i) {
    const OutputRef y = ys_[i];
    const DType type = graph_.node(y.node).output_type(y.index);
    // Integers have no gradient; strings and the like neither.
    if (!IsFloating(BaseType(type)) && !IsComplex(BaseType(type))) continue;
    if (!between_[y.node]) continue;
    WB_ASSIGN_OR_RETURN(GradientValue seed, Seed(i, ScopeOf(y.node)));
    arrived_[y].push_back(seed);
  }
  std::vector<char> queued(num_forward_, 0);
  for (OutputRef y : ys_) {
    if (!between_[y.node] || pending_[y.node] > 0 || queued[y.node]) continue;
    queued[y.node] = 1;
    ready_.push_back(y.node);
  }
  return absl::OkStatus();
}

bool BackwardWalk::HasOpenInput(const Node& node) const {
  return std::any_of(node.inputs().begin(), node.inputs().end(),
                     [&](OutputRef in) { return in.node != kNoNode && between_[in.node]; });
}

absl::Status BackwardWalk::CheckResult(const Node& node, int input, const GradientValue& dx) {
  const OutputRef ref = dx.is_dense() ? dx.dense : dx.values;
  const DType got = BaseType(graph_.node(ref.node).output_type(ref.index));
  const DType want = BaseType(node.input_type(input));
  if (got != want && want != DType::kResource && want != DType::kVariant) {
    return Internal("the gradient of ", node.op_name(), " for its input ", input, " is ",
                    DTypeName(got), ", expected ", DTypeName(want));
  }
  if (!dx.is_dense() || want == DType::kResource || want == DType::kVariant) {
    return absl::OkStatus();
  }
  // What is known of the input's shape is known of its gradient's.
  const OutputRef in = node.input(input);
  return graph_.MergeOutputShape(ref.node, ref.index, graph_.node(in.node).output_shape(in.index));
}

void BackwardWalk::Release(NodeId id) {
  if (between_[id] && --pending_[id] == 0) ready_.push_back(id);
}

absl::Status BackwardWalk::Deliver(NodeId id, const std::vector<GradientValue>& dx) {
  for (int i = 0; i < graph_.node(id).num_inputs(); ++i) {
    const OutputRef in = graph_.node(id).input(i);
    if (in.node == kNoNode) continue;
    if (i < static_cast<int>(dx.size()) && !dx[i].is_none() && between_[in.node]) {
      WB_RETURN_IF_ERROR(CheckResult(graph_.node(id), i, dx[i]));
      arrived_[in].push_back(dx[i]);
    }
    Release(in.node);
  }
  return absl::OkStatus();
}

absl::Status BackwardWalk::Differentiate(NodeId id, std::vector<GradientValue> out) {
  const Node& node = graph_.node(id);
  const AggregateScope scope = ScopeOf(id);
  GradContext context(&graph_, id, absl::StrCat(prefix_, node.name(), "_grad/"), std::move(out),
                      scope.attrs, scope.device);
  const GradientEntry* entry = registry_.Find(node.op_name());
  if (IsControlFlow(node)) {
    WB_RETURN_IF_ERROR(ControlFlowGradient(context));
  } else if (entry == nullptr && graph_.functions().Find(node.op_name()) != nullptr) {
    WB_RETURN_IF_ERROR(PlainCallGradient(context, FunctionRef{node.op_name(), node.attrs()}));
  } else if (entry == nullptr) {
    return NotFound(
        "the op has no gradient; register one with WB_GRADIENT, or cut the path with "
        "stop_gradients");
  } else if (entry->not_differentiable) {
    return Unimplemented("the op cannot be differentiated: ", entry->reason);
  } else if (entry->function != nullptr) {
    WB_RETURN_IF_ERROR(entry->function(context));
  }
  WB_RETURN_IF_ERROR(context.status());
  return Deliver(id, context.dx());
}

absl::Status BackwardWalk::Visit(NodeId id) {
  const Node& node = graph_.node(id);
  std::vector<GradientValue> out(node.num_outputs());
  bool any = false;
  for (int i = 0; i < node.num_outputs(); ++i) {
    auto it = arrived_.find(OutputRef{id, i});
    if (it == arrived_.end()) continue;
    std::vector<GradientValue> parts = it->second;
    WB_ASSIGN_OR_RETURN(out[i], SumGradients(graph_, parts, ScopeOf(id)));
    arrived_[OutputRef{id, i}] = {out[i]};
    any = true;
  }
  if (stopped_[id]) return absl::OkStatus();
  if (!any || !HasOpenInput(node)) return Deliver(id, {});
  absl::Status done = Differentiate(id, std::move(out));
  return Annotate(done, absl::StrCat("gradient of ", DescribeNode(graph_.node(id))));
}

absl::StatusOr<std::vector<GradientValue>> BackwardWalk::Run() {
  WB_RETURN_IF_ERROR(CheckArguments());
  const Consumers consumers(graph_);
  stopped_.assign(num_forward_, 0);
  for (OutputRef stop : options_.stop_gradients) stopped_[stop.node] = 1;
  MarkReached(consumers);
  MarkBetween();
  WB_RETURN_IF_ERROR(RefuseLoops(graph_, between_));
  prefix_ = UniqueScope(graph_, options_.name);
  WB_RETURN_IF_ERROR(SeedOutputs());
  while (!ready_.empty()) {
    const NodeId id = ready_.front();
    ready_.pop_front();
    WB_RETURN_IF_ERROR(Visit(id));
  }
  std::vector<GradientValue> result;
  for (OutputRef x : xs_) {
    auto it = arrived_.find(x);
    GradientValue value = it == arrived_.end() ? GradientValue::None() : it->second[0];
    if (value.is_none() && options_.zeros_for_unconnected) {
      AggregateScope scope = ScopeOf(x.node);
      WB_ASSIGN_OR_RETURN(OutputRef zeros, EmitZeros(graph_, x, scope));
      value = GradientValue::Dense(zeros);
    }
    result.push_back(value);
  }
  return result;
}

}  // namespace

absl::StatusOr<std::vector<GradientValue>> AddGradients(Graph& graph,
                                                        const std::vector<OutputRef>& ys,
                                                        const std::vector<OutputRef>& xs,
                                                        const GradientOptions& options) {
  return BackwardWalk(graph, ys, xs, options).Run();
}

}  // namespace warpbeam
