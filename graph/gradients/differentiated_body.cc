#include "graph/gradients/differentiated_body.h"

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "graph/gradients/aggregate.h"
#include "graph/gradients/gradients.h"
#include "graph/gradients/repeated_effects.h"
#include "graph/node_roles.h"
#include "graph/types/stack_room.h"

namespace warpbeam {
namespace {

bool IsAny(const std::string& op, std::initializer_list<absl::string_view> ops) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

// Ops that tell little of a large tensor: the function computes them, so that the tensor itself
// need not be kept for the gradient.
bool DescribesItsInputs(const Node& node) {
  return IsAny(node.op_name(), {"Shape", "ShapeN", "Size", "Rank", "BroadcastGradientArgs",
                                "TensorListLength", "TensorListElementShape"});
}

StatusOr<std::vector<OutputRef>> TensorsIn(const TensorMap& copies,
                                           const std::vector<OutputRef>& tensors) {
  std::vector<OutputRef> found;
  for (const OutputRef tensor : tensors) {
    const auto copy = copies.find(tensor);
    if (copy == copies.end()) return Internal("a tensor of the function was not copied");
    found.push_back(copy->second);
  }
  return found;
}

bool HasRefs(const Node& node) {
  return std::any_of(node.input_types().begin(), node.input_types().end(), IsRef);
}

}  // namespace

bool IsDifferentiable(DType type) {
  return IsFloating(BaseType(type)) || IsComplex(BaseType(type));
}

DType CarriedType(DType type, const HandleShapes& handle) {
  if (handle.size() != 1) return DType::kInvalid;
  const bool of_lists = type == DType::kVariant && handle[0].dtype == DType::kVariant;
  return of_lists || IsDifferentiable(handle[0].dtype) ? handle[0].dtype : DType::kInvalid;
}

StatusOr<OutputRef> ZerosOfVariable(Graph& graph, OutputRef handle, DType type) {
  WB_ASSIGN_OR_RETURN(OutputRef shape,
                      NodeBuilder(&graph, "VariableShape").Input(handle).BuildOutput());
  WB_ASSIGN_OR_RETURN(Tensor value, ZeroOf(type));
  WB_ASSIGN_OR_RETURN(Node * zero, AddConstant(&graph, graph.UniqueName("zero"), std::move(value)));
  return NodeBuilder(&graph, "Fill").Input(shape).Input(zero).BuildOutput();
}

StatusOr<std::unique_ptr<DifferentiatedBody>> DifferentiatedBody::Make(
    const Graph& caller, const FunctionRef& function, const BodyGradientOptions& options) {
  static thread_local int depth = 0;
  if (depth >= kMostCalls || StackIsLow()) {
    return ResourceExhausted("functions whose gradient is wanted call each other more than ", depth,
                             " deep; the last is '", function.name, "'");
  }
  ++depth;
  const auto leave = absl::MakeCleanup([] { --depth; });
  InstantiateOptions instantiation;
  instantiation.arg_handles = options.handles;
  WB_ASSIGN_OR_RETURN(InstantiatedFunction body, InstantiateFunction(caller.functions(), function,
                                                                     caller.ops(), instantiation));
  std::unique_ptr<DifferentiatedBody> made(new DifferentiatedBody(std::move(body), options));
  Status done = made->Differentiate();
  if (done.ok()) return made;
  return Annotate(done, absl::StrCat("the function '", function.name, "'"));
}

Status DifferentiatedBody::Differentiate() {
  const std::string effect = RepeatedEffect(body_);
  has_effects_ = !effect.empty();
  recomputes_ = !options_.can_widen || HasV1ControlFlow();
  if (recomputes_ && has_effects_) {
    return Unimplemented("its gradient would run ", effect, " a second time, since ",
                         options_.can_widen ? "the function has v1 control flow"
                                            : "the node calls the function by its name; call it "
                                              "with StatefulPartitionedCall");
  }
  first_new_ = graph_.num_nodes();
  GradientOptions gradients;
  std::vector<OutputRef> ys, xs;
  for (int i = 0; i < num_results(); ++i) {
    if (i >= static_cast<int>(options_.has_dy.size()) || !options_.has_dy[i]) continue;
    WB_ASSIGN_OR_RETURN(OutputRef dy,
                        BodyWriter(&graph_, num_args() + static_cast<int>(results_.size()), 0)
                            .Arg(body_.result_types[i], "dy"));
    results_.push_back(i);
    dys_.push_back(dy);
    ys.push_back(body_.results[i]);
    gradients.grad_ys.push_back(GradientValue::Dense(dy));
  }
  std::vector<int> candidates;
  for (int i = 0; i < num_args(); ++i) {
    const DType type = BaseType(body_.arg_types[i]);
    const bool carries =
        type == DType::kResource ? CarriedBy(i) != DType::kInvalid : type == DType::kVariant;
    if (!carries && !IsDifferentiable(type)) continue;
    candidates.push_back(i);
    xs.push_back({body_.args[i], 0});
  }
  WB_ASSIGN_OR_RETURN(std::vector<GradientValue> dxs, AddGradients(graph_, ys, xs, gradients));
  dxs_.resize(body_.args.size());
  for (size_t k = 0; k < candidates.size(); ++k) dxs_[candidates[k]] = dxs[k];
  return OkStatus();
}

bool DifferentiatedBody::HasV1ControlFlow() const {
  for (const Node& node : graph_.nodes()) {
    if (IsControlFlow(node)) return true;
  }
  return false;
}

DType DifferentiatedBody::CarriedBy(int arg) const {
  if (arg >= static_cast<int>(options_.handles.size())) return DType::kInvalid;
  return CarriedType(body_.arg_types[arg], options_.handles[arg]);
}

StatusOr<OutputRef> DifferentiatedBody::ZerosOf(int arg) {
  const OutputRef x = {body_.args[arg], 0};
  const DType type = BaseType(body_.arg_types[arg]);
  if (type == DType::kResource) return ZerosOfVariable(graph_, x, CarriedBy(arg));
  if (type == DType::kVariant) return NodeBuilder(&graph_, "ZerosLike").Input(x).BuildOutput();
  WB_ASSIGN_OR_RETURN(OutputRef shape, NodeBuilder(&graph_, "Shape").Input(x).BuildOutput());
  WB_ASSIGN_OR_RETURN(Tensor value, ZeroOf(type));
  WB_ASSIGN_OR_RETURN(Node * zero,
                      AddConstant(&graph_, graph_.UniqueName("zero"), std::move(value)));
  return NodeBuilder(&graph_, "Fill").Input(shape).Input(zero).BuildOutput();
}

Status DifferentiatedBody::Finish(const std::vector<int>& args) {
  for (const int arg : args) {
    const GradientValue& dx = dxs_[static_cast<size_t>(arg)];
    OutputRef dense;
    if (dx.is_none()) {
      WB_ASSIGN_OR_RETURN(dense, ZerosOf(arg));
    } else {
      WB_ASSIGN_OR_RETURN(dense, ToDense(graph_, dx));
    }
    gradients_.push_back(dense);
  }
  MarkForward();
  WB_RETURN_IF_ERROR(MarkDescriptions());
  MarkBackward();
  return OkStatus();
}

DType DifferentiatedBody::TypeOf(OutputRef tensor) const {
  return BaseType(graph_.node(tensor.node).output_type(tensor.index));
}

int DifferentiatedBody::ArgOf(OutputRef tensor) const {
  const auto found = std::find(body_.args.begin(), body_.args.end(), tensor.node);
  return found == body_.args.end() ? -1 : static_cast<int>(found - body_.args.begin());
}

int DifferentiatedBody::ResultOf(OutputRef tensor) const {
  for (int i = 0; i < num_results(); ++i) {
    if (Resolve(body_.results[i]) == tensor) return i;
  }
  return -1;
}

OutputRef DifferentiatedBody::Resolve(OutputRef tensor) const {
  for (;;) {
    const Node& node = graph_.node(tensor.node);
    if (!IsHandOn(node) || tensor.node >= first_new_ || HasRefs(node)) return tensor;
    if (IsRef(graph_.node(node.input(0).node).output_type(node.input(0).index))) return tensor;
    tensor = node.input(0);
  }
}

// An earlier gradient of the function may have left in it what a new one would add.
NodeId DifferentiatedBody::FindSame(NodeId id) const {
  const Node& node = graph_.node(id);
  for (NodeId other = 0; other < id; ++other) {
    const Node& candidate = graph_.node(other);
    if (!forward_[other] || candidate.op_name() != node.op_name()) continue;
    if (!(candidate.attrs() == node.attrs()) || !candidate.control_inputs().empty()) continue;
    if (std::equal(node.inputs().begin(), node.inputs().end(), candidate.inputs().begin(),
                   candidate.inputs().end(),
                   [&](OutputRef a, OutputRef b) { return Resolve(a) == Resolve(b); })) {
      return other;
    }
  }
  return kNoNode;
}

bool DifferentiatedBody::IsAtHand(OutputRef tensor) const {
  const int arg = ArgOf(Resolve(tensor));
  return arg >= 0 && (options_.at_hand.empty() || options_.at_hand[arg]);
}

// Whether the gradient gets the tensor, rather than making it.
bool DifferentiatedBody::IsGiven(OutputRef tensor) const {
  return recomputes_ ? ArgOf(tensor) >= 0 : forward_[tensor.node];
}

// What the gradient makes once more, though the function has it: it gives the same and costs
// little.
bool DifferentiatedBody::IsRepeatable(const Node& node) const {
  if (IsConstant(node) || node.op_name() == "VarHandleOp") return true;
  // In a loop a variable is read once more rather than kept for every iteration.
  return node.op_name() == "ReadVariableOp" && !options_.at_hand.empty() && !has_effects_ &&
         IsAtHand(node.input(0));
}

// The function's own nodes, and what they have got as inputs since: of loops that were widened.
void DifferentiatedBody::MarkForward() {
  forward_.assign(graph_.num_nodes(), false);
  std::fill(forward_.begin(), forward_.begin() + first_new_, true);
  std::vector<NodeId> open;
  for (NodeId id = 0; id < first_new_; ++id) open.push_back(id);
  const auto mark = [&](NodeId id) {
    if (id == kNoNode || forward_[id]) return;
    forward_[id] = true;
    open.push_back(id);
  };
  while (!open.empty()) {
    const Node& node = graph_.node(open.back());
    open.pop_back();
    for (const OutputRef in : node.inputs()) mark(in.node);
    for (const NodeId in : node.control_inputs()) mark(in);
  }
}

// Descriptions of what the gradient would otherwise read whole.
Status DifferentiatedBody::MarkDescriptions() {
  std::vector<NodeId> same_as(graph_.num_nodes(), kNoNode);
  for (NodeId id = first_new_; id < graph_.num_nodes(); ++id) {
    for (int i = 0; i < graph_.node(id).num_inputs(); ++i) {
      const OutputRef in = graph_.node(id).input(i);
      if (in.node == kNoNode || same_as[in.node] == kNoNode) continue;
      WB_RETURN_IF_ERROR(graph_.SetInput(id, i, {same_as[in.node], in.index}));
    }
    const Node& node = graph_.node(id);
    if (forward_[id] || recomputes_ || !DescribesItsInputs(node)) continue;
    const bool of_function =
        node.control_inputs().empty() &&
        std::all_of(node.inputs().begin(), node.inputs().end(),
                    [&](OutputRef in) { return forward_[in.node] && !IsAtHand(in); });
    if (!of_function) continue;
    same_as[id] = FindSame(id);
    forward_[id] = same_as[id] == kNoNode;
  }
  return OkStatus();
}

// From the gradients back to what is given.
void DifferentiatedBody::MarkBackward() {
  backward_.assign(graph_.num_nodes(), false);
  std::vector<NodeId> open;
  const auto copy = [&](NodeId id) {
    if (backward_[id]) return;
    backward_[id] = true;
    open.push_back(id);
  };
  const auto read = [&](OutputRef tensor) {
    const bool is_dy = std::find(dys_.begin(), dys_.end(), tensor) != dys_.end();
    if (is_dy) return;
    const OutputRef source = Resolve(tensor);
    if (!IsGiven(source)) return copy(tensor.node);
    if (IsRepeatable(graph_.node(source.node))) return copy(source.node);
    if (std::find(needed_.begin(), needed_.end(), source) == needed_.end()) {
      needed_.push_back(source);
    }
  };
  for (const OutputRef gradient : gradients_) read(gradient);
  while (!open.empty()) {
    const Node& node = graph_.node(open.back());
    open.pop_back();
    for (const OutputRef in : node.inputs()) {
      if (in.node != kNoNode) read(in);
    }
    for (const NodeId in : node.control_inputs()) {
      if (!IsGiven({in, 0}) && graph_.node(in).op_name() != "_Arg") copy(in);
    }
  }
}

StatusOr<std::vector<OutputRef>> DifferentiatedBody::CopyForward(Graph* to) const {
  TensorMap copies;
  WB_RETURN_IF_ERROR(CopyNodes(graph_, forward_, to, &copies));
  return TensorsIn(copies, needed_);
}

StatusOr<std::vector<OutputRef>> DifferentiatedBody::CopyBackward(
    Graph* to, const std::vector<OutputRef>& needed, const std::vector<OutputRef>& dys) const {
  TensorMap given;
  for (size_t k = 0; k < needed_.size(); ++k) given[needed_[k]] = needed[k];
  for (size_t k = 0; k < dys_.size(); ++k) given[dys_[k]] = dys[k];
  // A copy of a given tensor is that tensor, a copy of one that is made again is made again.
  std::vector<bool> wanted = backward_;
  for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
    for (int o = 0; o < graph_.node(id).num_outputs() && !wanted[id]; ++o) {
      const OutputRef source = Resolve({id, o});
      if (source == OutputRef{id, o}) break;
      if (const auto found = given.find(source); found != given.end()) {
        given[{id, o}] = found->second;
      } else if (wanted[source.node]) {
        wanted[id] = true;
      }
    }
  }
  WB_RETURN_IF_ERROR(CopyNodes(graph_, wanted, to, &given));
  return TensorsIn(given, gradients_);
}

}  // namespace warpbeam
