#include "graph/gradients/backward_walk.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "graph/gradients/backward_loop.h"
#include "graph/gradients/control_flow.h"
#include "graph/gradients/function_gradient.h"
#include "graph/gradients/loop_gradient.h"
#include "graph/node_roles.h"
#include "graph/types/stack_room.h"

namespace warpbeam {
namespace {

// The StackV2 that a handle comes from: what is pushed there comes out of a pop.
NodeId StackOfHandle(const Graph& graph, OutputRef handle) {
  for (;;) {
    const Node& node = graph.node(handle.node);
    if (node.op_name() == "StackV2") return node.id();
    if (!IsEnter(node) && !IsSwitch(node) && !IsHandOn(node)) {
      return kNoNode;
    }
    handle = node.input(0);
  }
}

// Consumers of this kind are loop plumbing: loop_gradient.h goes round the ring by itself.
bool ClosesRing(const Graph& graph, const Node& node) {
  return IsLoopMerge(graph, node) || IsNextIteration(node) || IsExit(node) ||
         IsLoopSwitch(graph, node);
}

// By default the op's. TensorFlow 2 calls the gradients of calls what only its own process knows:
// those have the gradients of their functions.
std::string GradientName(const Node& node) {
  const std::string own = node.attrs().GetOr<std::string>("_gradient_op_type", node.op_name());
  return absl::StartsWith(own, "PartitionedCall-") ? node.op_name() : own;
}

}  // namespace

bool CarriesGradient(DType type) {
  const DType t = BaseType(type);
  return IsFloating(t) || IsComplex(t) || t == DType::kResource || t == DType::kVariant;
}

WalkState::WalkState(Graph& g, const GradientOptions& o, LoopStructure l)
    : graph(g),
      options(o),
      registry(o.registry != nullptr ? *o.registry : GradientRegistry::Global()),
      num_forward(g.num_nodes()),
      loops(std::move(l)),
      stopped(g.num_nodes(), 0) {
  for (OutputRef stop : o.stop_gradients) stopped[stop.node] = 1;
}

AggregateScope WalkState::ScopeOf(NodeId forward) const {
  AggregateScope scope;
  scope.prefix = prefix;
  scope.device = options.device;
  if (forward == kNoNode) return scope;
  const Node& node = graph.node(forward);
  scope.location = node.location();
  if (options.colocate) {
    scope.attrs.Set("_class", std::vector<std::string>{absl::StrCat("loc:@", node.name())});
    if (!node.device().empty()) scope.device = node.device();
  }
  return scope;
}

int32_t WalkState::UnitOf(NodeId node, int32_t region) const {
  if (!loops.has_loops()) return node;
  const int32_t owner = loops.owner_of(node);
  const int32_t child = loops.ChildOf(region, owner);
  if (child < 0) return -1;
  return child == region ? node : UnitOfLoop(child);
}

GradientValue WalkState::Arrived(OutputRef ref) const {
  auto it = arrived.find(ref);
  return it == arrived.end() ? GradientValue::None() : it->second[0];
}

// Forward from the xs, over tensors that can carry a gradient.
std::vector<char> WalkState::MarkReached(const std::vector<OutputRef>& xs) const {
  const Consumers consumers(graph);
  std::vector<char> reached(num_forward, 0);
  std::vector<NodeId> queue;
  const auto reach = [&](NodeId id) {
    if (reached[id]) return;
    reached[id] = 1;
    queue.push_back(id);
  };
  const auto visit_uses = [&](NodeId id, int output) {
    for (const Consumers::Use& use : consumers.of(id)) {
      if (use.input < 0 || (output >= 0 && use.output != output)) continue;
      if (!CarriesGradient(graph.node(id).output_type(use.output))) continue;
      const Node& user = graph.node(use.node);
      reach(use.node);
      if (use.input != 1 || user.op_name() != "StackPushV2") continue;
      const NodeId stack = StackOfHandle(graph, user.input(0));
      if (stack != kNoNode) reach(stack);
    }
  };
  for (OutputRef x : xs) visit_uses(x.node, x.index);
  for (size_t i = 0; i < queue.size(); ++i) visit_uses(queue[i], -1);
  return reached;
}

void WalkState::Mark(const std::vector<OutputRef>& ys, const std::vector<OutputRef>& xs) {
  const std::vector<char> reached = MarkReached(xs);
  between.assign(num_forward, 0);
  std::vector<char> makes_x(num_forward, 0);
  for (OutputRef x : xs) makes_x[x.node] = 1;
  std::vector<NodeId> queue;
  const auto enter = [&](NodeId id) {
    if (between[id] || (!reached[id] && !makes_x[id])) return;
    between[id] = 1;
    queue.push_back(id);
  };
  for (OutputRef y : ys) enter(y.node);
  for (size_t i = 0; i < queue.size(); ++i) {
    if (stopped[queue[i]]) continue;
    for (OutputRef in : graph.node(queue[i]).inputs()) {
      if (in.node != kNoNode) enter(in.node);
    }
  }
  CountEdges();
}

void WalkState::CountEdges() {
  pending.assign(num_forward + loops.num_frames(), 0);
  for (NodeId id = 0; id < num_forward; ++id) {
    if (!between[id] || stopped[id]) continue;
    const Node& node = graph.node(id);
    if (loops.has_loops() && ClosesRing(graph, node)) continue;
    for (OutputRef in : node.inputs()) {
      if (in.node == kNoNode || !between[in.node]) continue;
      const int32_t unit = UnitOf(in.node, loops.frame_of(in.node));
      if (unit >= 0) ++pending[unit];
    }
  }
}

RegionWalk::RegionWalk(WalkState* walk, BackwardLoop* loop)
    : walk_(*walk),
      graph_(walk->graph),
      loop_(loop),
      frame_(loop == nullptr ? 0 : loop->forward().frame) {}

void RegionWalk::Seed(OutputRef y, GradientValue gradient) {
  if (!walk_.between[y.node]) return;
  if (!gradient.is_none()) walk_.arrived[y].push_back(gradient);
  seeded_.push_back(y.node);
}

Status RegionWalk::Run() {
  std::vector<int32_t> units;
  for (NodeId id : seeded_) units.push_back(walk_.UnitOf(id, frame_));
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  for (int32_t unit : units) {
    if (unit >= 0 && walk_.pending[unit] == 0) ready_.push_back(unit);
  }
  while (!ready_.empty()) {
    const int32_t unit = ready_.front();
    ready_.pop_front();
    WB_RETURN_IF_ERROR(Visit(unit));
  }
  return OkStatus();
}

Status RegionWalk::Visit(int32_t unit) {
  return unit < walk_.num_forward ? VisitNode(unit) : VisitLoop(unit - walk_.num_forward);
}

void RegionWalk::Release(NodeId producer) {
  // A node's gradient may have given it inputs that were not there when edges were counted.
  if (producer >= walk_.num_forward || !walk_.between[producer]) return;
  const int32_t unit = walk_.UnitOf(producer, frame_);
  if (unit >= 0 && --walk_.pending[unit] == 0) ready_.push_back(unit);
}

bool RegionWalk::HasOpenInput(const Node& node) const {
  return std::any_of(node.inputs().begin(), node.inputs().end(),
                     [&](OutputRef in) { return in.node != kNoNode && walk_.between[in.node]; });
}

// Where the walk over a loop's body ends: at what an iteration begins with.
bool RegionWalk::IsTerminal(const Node& node) const {
  return loop_ != nullptr && (IsEnter(node) || IsLoopSwitch(graph_, node));
}

Status RegionWalk::CheckResult(const Node& node, int input, const GradientValue& dx) {
  const OutputRef ref = dx.part();
  const DType got = BaseType(graph_.node(ref.node).output_type(ref.index));
  const DType want = BaseType(node.input_type(input));
  if (got != want && want != DType::kResource && want != DType::kVariant) {
    return Internal("the gradient of ", node.op_name(), " for its input ", input, " is ",
                    DTypeName(got), ", expected ", DTypeName(want));
  }
  if (!dx.is_dense() || want == DType::kResource || want == DType::kVariant) {
    return OkStatus();
  }
  // What is known of the input's shape is known of its gradient's.
  const OutputRef in = node.input(input);
  return graph_.MergeOutputShape(ref.node, ref.index, graph_.node(in.node).output_shape(in.index));
}

// Nodes made from `first` on, and what they give, belong to the backward loop.
Status RegionWalk::MoveIn(NodeId first, GradientValue* value) {
  if (loop_ == nullptr) return OkStatus();
  WB_RETURN_IF_ERROR(loop_->Adopt(first));
  for (OutputRef* ref : {&value->dense, &value->values, &value->indices, &value->dense_shape}) {
    if (ref->node == kNoNode) continue;
    if (walk_.loops.frame_of(ref->node) == LoopStructure::kNotForward) continue;
    WB_ASSIGN_OR_RETURN(*ref, loop_->Value(*ref));
  }
  return OkStatus();
}

Status RegionWalk::Deliver(NodeId id, std::vector<GradientValue> dx) {
  for (int i = 0; i < graph_.node(id).num_inputs(); ++i) {
    const OutputRef in = graph_.node(id).input(i);
    if (in.node == kNoNode) continue;
    if (i < static_cast<int>(dx.size()) && !dx[i].is_none() && walk_.between[in.node]) {
      WB_RETURN_IF_ERROR(MoveIn(graph_.num_nodes(), &dx[i]));
      WB_RETURN_IF_ERROR(CheckResult(graph_.node(id), i, dx[i]));
      walk_.arrived[in].push_back(dx[i]);
    }
    Release(in.node);
  }
  return OkStatus();
}

Status RegionWalk::Differentiate(NodeId id, std::vector<GradientValue> out) {
  const Node& node = graph_.node(id);
  const AggregateScope scope = walk_.ScopeOf(id);
  const NodeId first = graph_.num_nodes();
  GradContext context(&graph_, id, absl::StrCat(walk_.prefix, node.name(), "_grad/"),
                      std::move(out), scope.attrs, scope.device);
  const std::string name = GradientName(node);
  const auto named = walk_.options.named.find(name);
  const GradientEntry* entry = walk_.registry.Find(name);
  if (name != node.op_name() && named != walk_.options.named.end()) {
    const std::string prefix = absl::StrCat(walk_.prefix, node.name(), "_grad/");
    WB_RETURN_IF_ERROR(named->second(context, {prefix, scope.attrs, scope.device}));
  } else if (name != node.op_name() && entry == nullptr) {
    return NotFound("the node asks for the gradient '", name, "', and neither is there an op of ",
                    "the name that has one, nor has one been registered under it");
  } else if (name == node.op_name() && IsBranchOp(node)) {
    WB_RETURN_IF_ERROR(BranchGradient(context));
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
  NoteNewInputs(id, first);
  std::vector<GradientValue> dx = context.dx();
  WB_RETURN_IF_ERROR(Gate(id, &dx));
  WB_RETURN_IF_ERROR(AdoptIn(loop_, first));
  return Deliver(id, std::move(dx));
}

Status RegionWalk::Gate(NodeId id, std::vector<GradientValue>* dx) {
  if (!walk_.options.gate) return OkStatus();
  std::vector<GradientValue*> computed;
  for (GradientValue& value : *dx) {
    if (value.is_none()) continue;
    // What the forward loop has computed is not in the backward loop yet.
    const NodeId node = value.part().node;
    const bool forward =
        loop_ != nullptr && walk_.loops.frame_of(node) != LoopStructure::kNotForward;
    if (!forward) computed.push_back(&value);
  }
  AggregateScope scope = walk_.ScopeOf(id);
  scope.prefix = absl::StrCat(walk_.prefix, graph_.node(id).name(), "_grad/");
  return GateGradients(graph_, computed, scope);
}

// What a node has got as inputs from its own gradient belongs to the forward loop, as it does.
void RegionWalk::NoteNewInputs(NodeId id, NodeId first) {
  if (loop_ == nullptr) return;
  std::vector<NodeId> open = {id};
  while (!open.empty()) {
    const Node& node = graph_.node(open.back());
    open.pop_back();
    for (const OutputRef in : node.inputs()) {
      if (in.node < first) continue;
      walk_.loops.AddForward(in.node, frame_, walk_.loops.ConditionsOf({id, 0}));
      open.push_back(in.node);
    }
  }
}

// One value instead of several; false where nothing has arrived.
StatusOr<bool> RegionWalk::SumArrived(OutputRef ref) {
  auto it = walk_.arrived.find(ref);
  if (it == walk_.arrived.end()) return false;
  const std::vector<GradientValue> parts = it->second;
  const NodeId first = graph_.num_nodes();
  WB_ASSIGN_OR_RETURN(GradientValue sum, SumGradients(graph_, parts, walk_.ScopeOf(ref.node)));
  WB_RETURN_IF_ERROR(AdoptIn(loop_, first));
  walk_.arrived[ref] = {sum};
  return true;
}

Status RegionWalk::VisitNode(NodeId id) {
  const Node& node = graph_.node(id);
  std::vector<GradientValue> out(node.num_outputs());
  bool any = false;
  for (int i = 0; i < node.num_outputs(); ++i) {
    WB_ASSIGN_OR_RETURN(const bool arrived, SumArrived({id, i}));
    if (arrived) out[i] = walk_.Arrived({id, i});
    any = any || arrived;
  }
  if (walk_.stopped[id] || IsTerminal(node)) return OkStatus();
  if (!any || !HasOpenInput(node)) return Deliver(id, {});
  Status done = Differentiate(id, std::move(out));
  return Annotate(done, absl::StrCat("gradient of ", DescribeNode(graph_.node(id))));
}

Status RegionWalk::VisitLoop(int32_t frame) {
  StatusOr<ForwardLoop> loop = walk_.loops.Describe(frame);
  if (!loop.ok()) return Annotate(loop.status(), "gradient");
  if (StackIsLow()) {
    return ResourceExhausted("the gradient of the loop '", loop->name,
                             "': loops lie too deep in each other");
  }
  bool any = false;
  std::vector<NodeId> enters = loop->constants;
  for (const LoopVariable& v : loop->variables) {
    enters.push_back(v.enter);
    for (NodeId exit : v.exits) {
      WB_ASSIGN_OR_RETURN(const bool arrived, SumArrived({exit, 0}));
      any = any || (arrived && !walk_.stopped[exit]);
    }
  }
  LoopGradients gradients;
  if (any) {
    StatusOr<LoopGradients> made = LoopGradient(&walk_, *loop, loop_);
    if (!made.ok()) {
      return Annotate(made.status(), absl::StrCat("gradient of the loop '", loop->name, "'"));
    }
    gradients = *std::move(made);
  }
  std::sort(enters.begin(), enters.end());
  enters.erase(std::unique(enters.begin(), enters.end()), enters.end());
  for (NodeId enter : enters) {
    if (!walk_.between[enter] || walk_.stopped[enter]) continue;
    GradientValue sum;
    if (const std::vector<GradientValue>& parts = gradients[enter]; !parts.empty()) {
      const NodeId first = graph_.num_nodes();
      WB_ASSIGN_OR_RETURN(sum, SumGradients(graph_, parts, walk_.ScopeOf(enter)));
      WB_RETURN_IF_ERROR(AdoptIn(loop_, first));
    }
    WB_RETURN_IF_ERROR(Deliver(enter, {sum}));
  }
  return OkStatus();
}

}  // namespace warpbeam
