#include "graph/gradients/loop_gradient.h"

#include <utility>

namespace warpbeam {
namespace {

class LoopDifferentiator {
 public:
  LoopDifferentiator(WalkState* walk, const ForwardLoop& loop, BackwardLoop* parent)
      : walk_(*walk),
        graph_(walk->graph),
        loop_(loop),
        parent_(parent),
        back_(walk, loop, parent) {}

  StatusOr<LoopGradients> Run() {
    WB_RETURN_IF_ERROR(RefuseSecondDerivative());
    WB_RETURN_IF_ERROR(back_.Open());
    WB_RETURN_IF_ERROR(OpenVariables());
    RegionWalk body(&walk_, &back_);
    for (const Carried& c : carried_) {
      body.Seed(graph_.node(c.variable->next).input(0), GradientValue::Dense(c.backward.now));
    }
    WB_RETURN_IF_ERROR(body.Run());
    WB_RETURN_IF_ERROR(CheckComplete());
    WB_RETURN_IF_ERROR(CloseVariables());
    for (NodeId enter : loop_.constants) {
      if (walk_.between[enter]) WB_RETURN_IF_ERROR(SumConstant(enter));
    }
    return std::move(gradients_);
  }

 private:
  struct Carried {
    const LoopVariable* variable;
    BackwardLoop::Variable backward;
  };

  // A backward loop's pops are what the forward loop pushed: its derivative would need them all.
  Status RefuseSecondDerivative() const {
    for (NodeId id = 0; id < walk_.num_forward; ++id) {
      const Node& node = graph_.node(id);
      if (node.op_name() != "StackPopV2" && node.op_name() != "StackPop") continue;
      if (walk_.loops.ChildOf(loop_.parent, walk_.loops.frame_of(id)) != loop_.frame) continue;
      return Unimplemented("it is the backward loop of another one (", DescribeNode(node),
                           " takes what that one put aside): second derivatives of v1 loops are "
                           "not there; unroll the loop, or use While");
    }
    return OkStatus();
  }

  // Whether all of the body that reads a loop's values has been walked over.
  Status CheckComplete() const {
    std::vector<NodeId> starts = loop_.constants;
    for (const Carried& c : carried_) starts.push_back(c.variable->loop_switch);
    for (NodeId id : starts) {
      if (walk_.pending[id] == 0) continue;
      return InvalidArgument(DescribeNode(graph_.node(id)),
                             " is read by nodes that lead out of the loop other than by "
                             "NextIteration and Exit; such a loop cannot be differentiated");
    }
    return OkStatus();
  }

  AggregateScope ScopeOf(const LoopVariable& v) const {
    AggregateScope scope = walk_.ScopeOf(v.loop_switch);
    scope.prefix = absl::StrCat(walk_.prefix, graph_.node(v.loop_switch).name(), "_grad/");
    return scope;
  }

  // The sum of what flows into the variable's Exits, or zeros.
  StatusOr<OutputRef> First(const LoopVariable& v) {
    std::vector<GradientValue> parts;
    for (NodeId exit : v.exits) {
      const GradientValue arrived = walk_.Arrived({exit, 0});
      if (!arrived.is_none() && !walk_.stopped[exit]) parts.push_back(arrived);
    }
    if (parts.empty()) {
      WB_ASSIGN_OR_RETURN(OutputRef exit, SomeExit(v));
      return ZerosIn(walk_, parent_, exit);
    }
    const NodeId first = graph_.num_nodes();
    WB_ASSIGN_OR_RETURN(GradientValue sum, SumGradients(graph_, parts, ScopeOf(v)));
    WB_ASSIGN_OR_RETURN(OutputRef dense, Densify(graph_, sum, ScopeOf(v)));
    WB_RETURN_IF_ERROR(AdoptIn(parent_, first));
    return dense;
  }

  StatusOr<OutputRef> SomeExit(const LoopVariable& v) {
    if (!v.exits.empty()) return OutputRef{v.exits[0], 0};
    WB_ASSIGN_OR_RETURN(OutputRef exit,
                        EmitNode(graph_, ScopeOf(v), "Exit", {OutputRef{v.loop_switch, 0}}));
    walk_.loops.AddForward(exit.node, loop_.parent, walk_.loops.ConditionsOfLoop(loop_.frame));
    return exit;
  }

  Status OpenVariables() {
    for (const LoopVariable& v : loop_.variables) {
      if (v.loop_switch == kNoNode || !walk_.between[v.loop_switch]) continue;
      const DType type = BaseType(graph_.node(v.loop_switch).output_type(0));
      if (type == DType::kResource) {
        return Unimplemented(DescribeNode(graph_.node(v.enter)),
                             " makes a resource a loop variable; let it be a constant of the loop "
                             "(is_constant)");
      }
      WB_ASSIGN_OR_RETURN(OutputRef first, First(v));
      Carried c{&v, {}};
      WB_ASSIGN_OR_RETURN(c.backward, back_.OpenVariable(first, ScopeOf(v)));
      carried_.push_back(c);
    }
    return OkStatus();
  }

  Status CloseVariables() {
    for (const Carried& c : carried_) {
      const LoopVariable& v = *c.variable;
      const OutputRef start = {v.loop_switch, 1};
      const GradientValue arrived = walk_.Arrived(start);
      OutputRef next;
      if (arrived.is_none() || walk_.stopped[v.loop_switch]) {
        WB_ASSIGN_OR_RETURN(next, back_.Zeros(start));
      } else {
        const NodeId first = graph_.num_nodes();
        WB_ASSIGN_OR_RETURN(next, Densify(graph_, arrived, ScopeOf(v)));
        WB_RETURN_IF_ERROR(back_.Adopt(first));
      }
      WB_ASSIGN_OR_RETURN(OutputRef exit, back_.CloseVariable(c.backward, next, ScopeOf(v)));
      gradients_[v.enter].push_back(GradientValue::Dense(exit));
    }
    return OkStatus();
  }

  AggregateScope ScopeOfConstant(NodeId enter) const {
    AggregateScope scope = walk_.ScopeOf(enter);
    scope.prefix = absl::StrCat(walk_.prefix, graph_.node(enter).name(), "_grad/");
    return scope;
  }

  Status SumConstant(NodeId enter) {
    const GradientValue arrived = walk_.Arrived({enter, 0});
    if (arrived.is_none() || walk_.stopped[enter]) return OkStatus();
    if (arrived.is_slices()) return ConcatConstant(enter, arrived);
    const AggregateScope scope = ScopeOfConstant(enter);
    const OutputRef outer = graph_.node(enter).input(0);
    const DType type = graph_.node(arrived.dense.node).output_type(arrived.dense.index);
    OutputRef zeros;
    if (graph_.node(enter).output_type(0) == DType::kResource) {
      WB_ASSIGN_OR_RETURN(OutputRef shape, ShapeOfConstant(enter));
      WB_ASSIGN_OR_RETURN(zeros, FillOutside(shape, type, scope));
    } else {
      WB_ASSIGN_OR_RETURN(zeros, ZerosIn(walk_, parent_, outer));
    }
    WB_ASSIGN_OR_RETURN(BackwardLoop::Variable sum, back_.OpenVariable(zeros, scope));
    WB_ASSIGN_OR_RETURN(OutputRef next,
                        type == DType::kVariant
                            ? EmitNode(graph_, scope, "AddN", {{sum.now, arrived.dense}})
                            : EmitNode(graph_, scope, "AddV2", {sum.now, arrived.dense}));
    WB_ASSIGN_OR_RETURN(OutputRef exit, back_.CloseVariable(sum, next, scope));
    gradients_[enter] = {GradientValue::Dense(exit)};
    return OkStatus();
  }

  // The shape of a loop's constant (of a variable: of its value), outside of the loop.
  StatusOr<OutputRef> ShapeOfConstant(NodeId enter) {
    const AggregateScope scope = ScopeOfConstant(enter);
    const OutputRef outer = graph_.node(enter).input(0);
    const NodeId first = graph_.num_nodes();
    const bool resource = graph_.node(enter).output_type(0) == DType::kResource;
    WB_ASSIGN_OR_RETURN(OutputRef shape,
                        EmitNode(graph_, scope, resource ? "VariableShape" : "Shape", {outer}));
    WB_RETURN_IF_ERROR(AdoptIn(parent_, first));
    if (walk_.loops.frame_of(shape.node) == LoopStructure::kNotForward) return shape;
    return ValueIn(parent_, shape);
  }

  StatusOr<OutputRef> FillOutside(OutputRef shape, DType type, const AggregateScope& scope) {
    const NodeId first = graph_.num_nodes();
    WB_ASSIGN_OR_RETURN(Tensor zero, ZeroOf(type));
    WB_ASSIGN_OR_RETURN(OutputRef value, EmitConst(graph_, scope, std::move(zero)));
    WB_ASSIGN_OR_RETURN(OutputRef zeros, EmitNode(graph_, scope, "Fill", {shape, value}));
    WB_RETURN_IF_ERROR(AdoptIn(parent_, first));
    return zeros;
  }

  // Rows of all iterations, one after the other, beginning with none.
  Status ConcatConstant(NodeId enter, const GradientValue& slices) {
    const AggregateScope scope = ScopeOfConstant(enter);
    WB_ASSIGN_OR_RETURN(OutputRef shape, ShapeOfConstant(enter));
    const OutputRef v = slices.values, n = slices.indices;
    const NodeId first = graph_.num_nodes();
    const DType index_type = graph_.node(n.node).output_type(n.index);
    WB_ASSIGN_OR_RETURN(Tensor none, Tensor::Allocate(index_type, Shape({0})));
    WB_ASSIGN_OR_RETURN(OutputRef no_indices, EmitConst(graph_, scope, std::move(none)));
    WB_ASSIGN_OR_RETURN(OutputRef no_rows, NoRows(shape, scope));
    WB_RETURN_IF_ERROR(AdoptIn(parent_, first));
    WB_ASSIGN_OR_RETURN(OutputRef no_values,
                        FillOutside(no_rows, graph_.node(v.node).output_type(v.index), scope));
    GradientValue all;
    all.dense_shape = shape;
    WB_ASSIGN_OR_RETURN(all.values, ConcatOver(no_values, slices.values, scope));
    WB_ASSIGN_OR_RETURN(all.indices, ConcatOver(no_indices, slices.indices, scope));
    gradients_[enter] = {all};
    return OkStatus();
  }

  // `shape` with its first extent set to 0.
  StatusOr<OutputRef> NoRows(OutputRef shape, const AggregateScope& scope) {
    const auto vector = [&](int32_t value) {
      return EmitConst(graph_, scope, Tensor::Vector<int32_t>({value}));
    };
    WB_ASSIGN_OR_RETURN(OutputRef zero, vector(0));
    WB_ASSIGN_OR_RETURN(OutputRef one, vector(1));
    AttrMap to_end;
    to_end.Set("end_mask", 1);
    WB_ASSIGN_OR_RETURN(OutputRef rest,
                        EmitNode(graph_, scope, "StridedSlice", {shape, one, zero, one}, to_end));
    WB_ASSIGN_OR_RETURN(OutputRef axis, EmitConst(graph_, scope, Tensor::Scalar<int32_t>(0)));
    return EmitNode(graph_, scope, "ConcatV2", {NodeInput({zero, rest}), axis});
  }

  StatusOr<OutputRef> ConcatOver(OutputRef none, OutputRef part, const AggregateScope& scope) {
    WB_ASSIGN_OR_RETURN(BackwardLoop::Variable all, back_.OpenVariable(none, scope));
    const NodeId first = graph_.num_nodes();
    WB_ASSIGN_OR_RETURN(OutputRef axis, EmitConst(graph_, scope, Tensor::Scalar<int32_t>(0)));
    WB_ASSIGN_OR_RETURN(OutputRef next,
                        EmitNode(graph_, scope, "ConcatV2", {NodeInput({all.now, part}), axis}));
    WB_RETURN_IF_ERROR(back_.Adopt(first));
    return back_.CloseVariable(all, next, scope);
  }

  WalkState& walk_;
  Graph& graph_;
  const ForwardLoop& loop_;
  BackwardLoop* const parent_;
  BackwardLoop back_;
  std::vector<Carried> carried_;
  LoopGradients gradients_;
};

}  // namespace

StatusOr<LoopGradients> LoopGradient(WalkState* walk, const ForwardLoop& loop,
                                     BackwardLoop* parent) {
  return LoopDifferentiator(walk, loop, parent).Run();
}

}  // namespace warpbeam
