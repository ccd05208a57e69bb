#include "graph/gradients/backward_loop.h"

#include <algorithm>
#include <utility>

#include "graph/node_roles.h"

namespace warpbeam {
namespace {

AttrMap WithFrame(const std::string& frame, bool is_constant, int64_t parallel_iterations) {
  AttrMap attrs;
  attrs.Set("frame_name", frame);
  attrs.Set("is_constant", is_constant);
  attrs.Set("parallel_iterations", parallel_iterations);
  return attrs;
}

bool IsBranchSwitch(const Graph& graph, const Node& n) {
  return IsSwitch(n) && !IsLoopSwitch(graph, n);
}

}  // namespace

BackwardLoop::BackwardLoop(WalkState* walk, ForwardLoop forward, BackwardLoop* parent)
    : walk_(walk),
      graph_(walk->graph),
      forward_(std::move(forward)),
      parent_(parent),
      frame_(absl::StrCat(walk->prefix, forward_.name)),
      scope_(walk->ScopeOf(forward_.condition.node)) {}

AttrMap BackwardLoop::EnterAttrs(const std::string& frame, bool is_constant) const {
  return WithFrame(frame, is_constant, forward_.parallel_iterations);
}

Status BackwardLoop::Open() {
  WB_RETURN_IF_ERROR(OpenForward());
  return OpenBackward();
}

// The zero that the forward counter starts with: where and when the loop itself starts.
StatusOr<OutputRef> BackwardLoop::ForwardStart(const AggregateScope& scope) {
  WB_ASSIGN_OR_RETURN(OutputRef zero, EmitConst(graph_, scope, Tensor::Scalar<int32_t>(0)));
  // Executions of an inner loop push in order: the next one starts after the pushes of this one.
  if (parent_ != nullptr) {
    WB_RETURN_IF_ERROR(graph_.AddControlInput(zero.node, parent_->forward_pivot_));
  }
  if (walk_->loops.ConditionsOfLoop(forward_.frame).empty()) return zero;
  // In a branch: only when it is taken.
  OutputRef start;
  size_t most = 0;
  for (const Node& node : graph_.nodes()) {
    if (!IsEnter(node) || walk_->loops.frame_of(node.id()) != forward_.frame) continue;
    const size_t conditions = walk_->loops.ConditionsOf(node.input(0)).size();
    if (conditions <= most) continue;
    most = conditions;
    start = node.input(0);
  }
  WB_ASSIGN_OR_RETURN(OutputRef taken, EmitNode(graph_, scope, "Identity", {start}));
  WB_RETURN_IF_ERROR(graph_.AddControlInput(zero.node, taken.node));
  return zero;
}

Status BackwardLoop::OpenForward() {
  AggregateScope scope = scope_;
  scope.prefix = absl::StrCat(walk_->prefix, "f_count/");
  WB_ASSIGN_OR_RETURN(OutputRef zero, ForwardStart(scope));
  WB_ASSIGN_OR_RETURN(OutputRef enter,
                      EmitNode(graph_, scope, "Enter", {zero}, EnterAttrs(forward_.name, false)));
  WB_ASSIGN_OR_RETURN(OutputRef merge, EmitNode(graph_, scope, "Merge", {{enter, enter}}));
  WB_ASSIGN_OR_RETURN(OutputRef last,
                      EmitNode(graph_, scope, "Switch", {merge, forward_.condition}));
  const OutputRef now = {last.node, 1};
  WB_ASSIGN_OR_RETURN(OutputRef pivot, EmitNode(graph_, scope, "Identity", {now}));
  forward_pivot_ = pivot.node;
  WB_ASSIGN_OR_RETURN(OutputRef one, EmitConst(graph_, scope, Tensor::Scalar<int32_t>(1)));
  WB_RETURN_IF_ERROR(graph_.AddControlInput(one.node, forward_pivot_));
  WB_ASSIGN_OR_RETURN(Node * sync, NodeBuilder(&graph_, "ControlTrigger")
                                       .Name(absl::StrCat(walk_->prefix, "f_sync"))
                                       .Device(scope.device)
                                       .ControlInput(forward_pivot_)
                                       .Build());
  forward_sync_ = sync->id();
  WB_ASSIGN_OR_RETURN(OutputRef add, EmitNode(graph_, scope, "AddV2", {now, one}));
  WB_RETURN_IF_ERROR(graph_.AddControlInput(add.node, forward_sync_));
  WB_ASSIGN_OR_RETURN(OutputRef next, EmitNode(graph_, scope, "NextIteration", {add}));
  WB_RETURN_IF_ERROR(graph_.SetInput(merge.node, 1, next));
  WB_ASSIGN_OR_RETURN(count_, EmitNode(graph_, scope, "Exit", {last}));
  walk_->loops.AddForward(count_.node, forward_.parent,
                          walk_->loops.ConditionsOfLoop(forward_.frame));
  return OkStatus();
}

Status BackwardLoop::OpenBackward() {
  AggregateScope scope = scope_;
  scope.prefix = absl::StrCat(walk_->prefix, "b_count/");
  WB_ASSIGN_OR_RETURN(OutputRef total, ValueIn(parent_, count_));
  WB_ASSIGN_OR_RETURN(OutputRef enter, EnterVariable(total, scope));
  WB_ASSIGN_OR_RETURN(OutputRef merge, EmitNode(graph_, scope, "Merge", {{enter, enter}}));
  WB_ASSIGN_OR_RETURN(OutputRef one, EmitConst(graph_, scope, Tensor::Scalar<int32_t>(1)));
  WB_RETURN_IF_ERROR(graph_.AddControlInput(one.node, merge.node));
  WB_ASSIGN_OR_RETURN(OutputRef more, EmitNode(graph_, scope, "GreaterEqual", {merge, one}));
  WB_ASSIGN_OR_RETURN(condition_, EmitNode(graph_, scope, "LoopCond", {more}));
  WB_ASSIGN_OR_RETURN(OutputRef last, EmitNode(graph_, scope, "Switch", {merge, condition_}));
  const OutputRef now = {last.node, 1};
  WB_ASSIGN_OR_RETURN(OutputRef pivot, EmitNode(graph_, scope, "Identity", {now}));
  pivot_ = pivot.node;
  WB_ASSIGN_OR_RETURN(Node * sync, NodeBuilder(&graph_, "ControlTrigger")
                                       .Name(absl::StrCat(walk_->prefix, "b_sync"))
                                       .Device(scope.device)
                                       .ControlInput(pivot_)
                                       .Build());
  sync_ = sync->id();
  WB_ASSIGN_OR_RETURN(OutputRef less, EmitNode(graph_, scope, "Sub", {now, one}));
  WB_RETURN_IF_ERROR(graph_.AddControlInput(less.node, sync_));
  WB_ASSIGN_OR_RETURN(OutputRef next, EmitNode(graph_, scope, "NextIteration", {less}));
  WB_RETURN_IF_ERROR(graph_.SetInput(merge.node, 1, next));
  if (parent_ == nullptr) return OkStatus();
  // Executions of an inner loop pop in order, too.
  WB_ASSIGN_OR_RETURN(OutputRef exit, EmitNode(graph_, scope, "Exit", {last}));
  return graph_.AddControlInput(parent_->sync_, exit.node);
}

StatusOr<OutputRef> BackwardLoop::EnterConstant(OutputRef outer) {
  auto [it, is_new] = constants_.try_emplace(outer);
  if (!is_new) return it->second;
  AggregateScope scope = scope_;
  scope.device = graph_.node(outer.node).device();
  scope.attrs = AttrMap();
  WB_ASSIGN_OR_RETURN(OutputRef made,
                      EmitNode(graph_, scope, "Enter", {outer}, EnterAttrs(frame_, true)));
  constants_[outer] = made;
  return made;
}

StatusOr<OutputRef> BackwardLoop::EnterVariable(OutputRef first, const AggregateScope& scope) {
  return EmitNode(graph_, scope, "Enter", {first}, EnterAttrs(frame_, false));
}

StatusOr<BackwardLoop::Variable> BackwardLoop::OpenVariable(OutputRef first,
                                                            const AggregateScope& scope) {
  Variable v;
  WB_ASSIGN_OR_RETURN(OutputRef enter, EnterVariable(first, scope));
  // An Enter that is no constant has no known shape, so the Merge has none either: a variable's
  // shape may change from one iteration to the next.
  WB_ASSIGN_OR_RETURN(v.merge, EmitNode(graph_, scope, "Merge", {{enter, enter}}));
  WB_ASSIGN_OR_RETURN(v.last, EmitNode(graph_, scope, "Switch", {v.merge, condition_}));
  v.now = {v.last.node, 1};
  return v;
}

StatusOr<OutputRef> BackwardLoop::CloseVariable(const Variable& variable, OutputRef next,
                                                const AggregateScope& scope) {
  WB_ASSIGN_OR_RETURN(OutputRef back, EmitNode(graph_, scope, "NextIteration", {next}));
  WB_RETURN_IF_ERROR(graph_.SetInput(variable.merge.node, 1, back));
  return EmitNode(graph_, scope, "Exit", {variable.last});
}

StatusOr<OutputRef> BackwardLoop::Constant(Tensor value) {
  WB_ASSIGN_OR_RETURN(OutputRef made, EmitConst(graph_, scope_, std::move(value)));
  WB_RETURN_IF_ERROR(graph_.AddControlInput(made.node, pivot_));
  return made;
}

// The constant Enter that a tensor is a copy of, or nothing. Through a Switch as well: what is made
// of it meets what is dead where the branch was not taken.
OutputRef BackwardLoop::ConstantSource(OutputRef forward) const {
  for (;;) {
    const Node& node = graph_.node(forward.node);
    if (IsEnter(node) && node.attrs().GetOr<bool>("is_constant", false)) {
      return walk_->loops.frame_of(node.id()) == forward_.frame ? node.input(0) : OutputRef();
    }
    if (!IsHandOn(node) && !IsBranchSwitch(graph_, node)) return OutputRef();
    forward = node.input(0);
  }
}

StatusOr<OutputRef> BackwardLoop::Value(OutputRef forward) {
  auto it = values_.find(forward);
  if (it != values_.end()) return it->second;
  const int32_t frame = walk_->loops.frame_of(forward.node);
  OutputRef made;
  if (frame != forward_.frame) {
    WB_ASSIGN_OR_RETURN(OutputRef outer, ValueIn(parent_, forward));
    WB_ASSIGN_OR_RETURN(made, EnterConstant(outer));
  } else if (std::optional<Tensor> known = graph_.ConstantValue(forward)) {
    WB_ASSIGN_OR_RETURN(made, Constant(*std::move(known)));
  } else if (const OutputRef source = ConstantSource(forward); source.node != kNoNode) {
    WB_ASSIGN_OR_RETURN(OutputRef outer, ValueIn(parent_, source));
    WB_ASSIGN_OR_RETURN(made, EnterConstant(outer));
  } else {
    WB_ASSIGN_OR_RETURN(made, Pop(forward));
  }
  values_[forward] = made;
  return made;
}

// One stack for the whole step, made outside of all loops, beside the value's node.
StatusOr<OutputRef> BackwardLoop::Stack(OutputRef forward) {
  const Node& node = graph_.node(forward.node);
  AggregateScope scope = walk_->ScopeOf(forward.node);
  scope.prefix = absl::StrCat(walk_->prefix, node.name(), "_grad/f_acc/");
  scope.device = node.device();
  WB_ASSIGN_OR_RETURN(OutputRef max_size, EmitConst(graph_, scope, Tensor::Scalar<int32_t>(-1)));
  AttrMap attrs;
  attrs.Set("elem_type", BaseType(node.output_type(forward.index)));
  return EmitNode(graph_, scope, "StackV2", {max_size}, attrs);
}

StatusOr<OutputRef> BackwardLoop::ForwardHandle(OutputRef stack) {
  OutputRef outer = stack;
  if (parent_ != nullptr) {
    WB_ASSIGN_OR_RETURN(outer, parent_->ForwardHandle(stack));
  }
  AggregateScope scope = scope_;
  scope.device = graph_.node(stack.node).device();
  scope.attrs = AttrMap();
  return EmitNode(graph_, scope, "Enter", {outer}, EnterAttrs(forward_.name, true));
}

StatusOr<OutputRef> BackwardLoop::BackwardHandle(OutputRef stack) {
  OutputRef outer = stack;
  if (parent_ != nullptr) {
    WB_ASSIGN_OR_RETURN(outer, parent_->BackwardHandle(stack));
  }
  return EnterConstant(outer);
}

StatusOr<OutputRef> BackwardLoop::Guard(OutputRef value, const Conditions& conditions) {
  for (const AliveWhen& condition : conditions) {
    WB_ASSIGN_OR_RETURN(OutputRef predicate, Value(condition.predicate));
    WB_ASSIGN_OR_RETURN(OutputRef both, EmitNode(graph_, scope_, "Switch", {value, predicate}));
    value = {both.node, condition.branch};
  }
  return value;
}

StatusOr<OutputRef> BackwardLoop::Pop(OutputRef forward) {
  WB_ASSIGN_OR_RETURN(OutputRef stack, Stack(forward));
  AggregateScope scope = walk_->ScopeOf(forward.node);
  scope.prefix = absl::StrCat(walk_->prefix, graph_.node(forward.node).name(), "_grad/");
  scope.device = graph_.node(forward.node).device();
  WB_ASSIGN_OR_RETURN(OutputRef forward_handle, ForwardHandle(stack));
  AttrMap attrs;
  attrs.Set("swap_memory", walk_->options.swap_memory);
  WB_ASSIGN_OR_RETURN(OutputRef push,
                      EmitNode(graph_, scope, "StackPushV2", {forward_handle, forward}, attrs));
  WB_RETURN_IF_ERROR(graph_.AddControlInput(push.node, forward_pivot_));
  WB_RETURN_IF_ERROR(graph_.AddControlInput(forward_sync_, push.node));

  WB_ASSIGN_OR_RETURN(OutputRef handle, BackwardHandle(stack));
  WB_ASSIGN_OR_RETURN(handle, Guard(handle, walk_->loops.ConditionsOf(forward)));
  AttrMap type;
  type.Set("elem_type", BaseType(graph_.node(forward.node).output_type(forward.index)));
  WB_ASSIGN_OR_RETURN(OutputRef pop, EmitNode(graph_, scope, "StackPopV2", {handle}, type));
  WB_RETURN_IF_ERROR(graph_.AddControlInput(pop.node, pivot_));
  WB_RETURN_IF_ERROR(graph_.AddControlInput(sync_, pop.node));
  const PartialShape shape = graph_.node(forward.node).output_shape(forward.index);
  WB_RETURN_IF_ERROR(graph_.MergeOutputShape(pop.node, 0, shape));
  return pop;
}

// Zeros of a known shape are made once, outside of all loops.
StatusOr<OutputRef> BackwardLoop::KnownZeros(DType type, const Shape& shape) {
  if (parent_ != nullptr) {
    WB_ASSIGN_OR_RETURN(OutputRef outer, parent_->KnownZeros(type, shape));
    return EnterConstant(outer);
  }
  auto [it, is_new] = zeros_.try_emplace(absl::StrCat(DTypeName(type), shape.ToString()));
  if (is_new) {
    AggregateScope scope;
    scope.prefix = walk_->prefix;
    scope.device = scope_.device;
    WB_ASSIGN_OR_RETURN(it->second, EmitKnownZeros(graph_, type, shape, scope));
  }
  return EnterConstant(it->second);
}

StatusOr<OutputRef> BackwardLoop::Zeros(OutputRef forward) {
  const Node& node = graph_.node(forward.node);
  const DType type = BaseType(node.output_type(forward.index));
  const Conditions conditions = walk_->loops.ConditionsOf(forward);
  if (type == DType::kVariant || (conditions.empty() && ConstantSource(forward).node != kNoNode)) {
    WB_ASSIGN_OR_RETURN(OutputRef value, Value(forward));
    return EmitNode(graph_, scope_, "ZerosLike", {value});
  }
  const StatusOr<Shape> known = node.output_shape(forward.index).AsShape();
  if (known.ok()) {
    WB_ASSIGN_OR_RETURN(OutputRef zeros, KnownZeros(type, *known));
    return Guard(zeros, conditions);
  }
  // The shape is put aside rather than the value.
  WB_ASSIGN_OR_RETURN(OutputRef shape,
                      EmitNode(graph_, walk_->ScopeOf(forward.node), "Shape", {forward}));
  walk_->loops.AddForward(shape.node, forward_.frame, conditions);
  WB_ASSIGN_OR_RETURN(OutputRef dims, Value(shape));
  WB_ASSIGN_OR_RETURN(Tensor zero, ZeroOf(type));
  WB_ASSIGN_OR_RETURN(OutputRef scalar, Constant(std::move(zero)));
  return EmitNode(graph_, scope_, "Fill", {dims, scalar});
}

// Shapes are computed in the forward loop, so that they are pushed and not the tensors.
bool BackwardLoop::IsShapeOfForward(const Node& node) const {
  if (!node.op().reads_shapes_only || node.num_inputs() != 1) return false;
  const OutputRef in = node.input(0);
  return walk_->loops.frame_of(in.node) == forward_.frame && ConstantSource(in).node == kNoNode;
}

Status BackwardLoop::Adopt(NodeId first) {
  const NodeId end = graph_.num_nodes();
  for (NodeId id = first; id < end; ++id) {
    const Node& node = graph_.node(id);
    if (walk_->loops.frame_of(id) != LoopStructure::kNotForward) continue;
    if (IsShapeOfForward(node)) {
      walk_->loops.AddForward(id, forward_.frame, walk_->loops.ConditionsOf(node.input(0)));
      continue;
    }
    for (int i = 0; i < node.num_inputs(); ++i) {
      const OutputRef in = node.input(i);
      if (walk_->loops.frame_of(in.node) == LoopStructure::kNotForward) continue;
      const bool zeros = node.op_name() == "ZerosLike" && CarriesGradient(node.output_type(0));
      WB_ASSIGN_OR_RETURN(OutputRef value, zeros ? Zeros(in) : Value(in));
      WB_RETURN_IF_ERROR(graph_.SetInput(id, i, value));
    }
    if (node.num_inputs() == 0) WB_RETURN_IF_ERROR(graph_.AddControlInput(id, pivot_));
  }
  return OkStatus();
}

StatusOr<OutputRef> ValueIn(BackwardLoop* loop, OutputRef forward) {
  if (loop == nullptr) return forward;
  return loop->Value(forward);
}

StatusOr<OutputRef> ZerosIn(WalkState& walk, BackwardLoop* loop, OutputRef forward) {
  if (loop != nullptr) return loop->Zeros(forward);
  const Node& node = walk.graph.node(forward.node);
  const StatusOr<Shape> known = node.output_shape(forward.index).AsShape();
  const DType type = BaseType(node.output_type(forward.index));
  const AggregateScope scope = walk.ScopeOf(forward.node);
  if (!known.ok() || type == DType::kVariant) return EmitZeros(walk.graph, forward, scope);
  return EmitKnownZeros(walk.graph, type, *known, scope);
}

Status AdoptIn(BackwardLoop* loop, NodeId first) {
  return loop == nullptr ? OkStatus() : loop->Adopt(first);
}

}  // namespace warpbeam
