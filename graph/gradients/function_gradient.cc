#include "graph/gradients/function_gradient.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "graph/functions/instantiate.h"
#include "graph/gradients/aggregate.h"
#include "graph/gradients/gradients.h"

namespace warpbeam {
namespace {

bool IsDifferentiable(DType type) {
  return IsFloating(BaseType(type)) || IsComplex(BaseType(type));
}

// The type of the variable that an argument refers to; kInvalid for all other arguments.
DType VariableType(const HandleShapes& handle) {
  if (handle.size() != 1 || !IsDifferentiable(handle[0].dtype)) return DType::kInvalid;
  return handle[0].dtype;
}

// What may run a second time without anybody noticing.
bool IsHarmless(const std::string& op) {
  return op == "ReadVariableOp" || op == "VarHandleOp" || op == "VariableShape" ||
         op == "VarIsInitializedOp" || op == "Assert" || op == "CheckNumerics" ||
         op == "CheckNumericsV2" || op == "_Arg" || op == "_Retval" ||
         absl::StartsWith(op, "TensorArray") || absl::StartsWith(op, "Stack");
}

// A node that a gradient would run once too often, in the function or in one that it calls.
class EffectFinder {
 public:
  EffectFinder(const FunctionLibrary& library, const OpRegistry& ops)
      : library_(library), ops_(ops) {}

  // Its description, or "".
  std::string Find(const std::string& op, const AttrMap& attrs, const std::string& description) {
    if (library_.Find(op) != nullptr) return FindIn(op);
    const OpSchema* schema = ops_.Find(op);
    if (schema == nullptr || !schema->is_stateful || IsHarmless(op)) return "";
    bool calls = false;
    for (const AttrMap::Entry& entry : attrs) {
      for (const FunctionRef& f : FunctionsOf(entry.second)) {
        calls = true;
        std::string found = FindIn(f.name);
        if (!found.empty()) return found;
      }
    }
    return calls ? "" : description;
  }

 private:
  static std::vector<FunctionRef> FunctionsOf(const AttrValue& value) {
    if (value.kind() == AttrValue::Kind::kFunction) return {value.func()};
    if (value.kind() == AttrValue::Kind::kFunctionList) return value.list<FunctionRef>();
    return {};
  }

  std::string FindIn(const std::string& name) {
    const std::shared_ptr<const Function> function = library_.Find(name);
    if (function == nullptr || !visited_.insert(name).second) return "";
    for (const NodeSpec& node : function->nodes) {
      std::string found = Find(node.op, node.attrs, DescribeNode(node));
      if (!found.empty()) return found;
    }
    return "";
  }

  const FunctionLibrary& library_;
  const OpRegistry& ops_;
  absl::flat_hash_set<std::string> visited_;
};

absl::Status CheckRepeatable(const InstantiatedFunction& body) {
  const Graph& inner = *body.graph;
  EffectFinder finder(inner.functions(), inner.ops());
  for (NodeId id : body.effects) {
    const Node& node = inner.node(id);
    const std::string found = finder.Find(node.op_name(), node.attrs(), DescribeNode(node));
    if (found.empty()) continue;
    return Unimplemented("its gradient would run ", found, " a second time");
  }
  return absl::OkStatus();
}

// The gradients of a function's arguments, as results of the function that is being made of it.
class GradientFunctionBuilder {
 public:
  GradientFunctionBuilder(InstantiatedFunction body, const std::vector<HandleShapes>& handles)
      : body_(std::move(body)), graph_(*body_.graph), handles_(handles) {
    handles_.resize(body_.args.size());
  }

  absl::StatusOr<FunctionGradient> Build() {
    made_.types = body_.result_types;
    made_.first_gradient = static_cast<int>(body_.results.size());
    GradientOptions options;
    std::vector<OutputRef> ys, xs;
    for (size_t i = 0; i < body_.results.size(); ++i) {
      if (!IsDifferentiable(body_.result_types[i])) continue;
      const int index = static_cast<int>(body_.args.size() + ys.size());
      WB_ASSIGN_OR_RETURN(OutputRef dy, NodeBuilder(&graph_, "_Arg")
                                            .Name("dy")
                                            .Attr("T", BaseType(body_.result_types[i]))
                                            .Attr("index", index)
                                            .BuildOutput());
      made_.results.push_back(static_cast<int>(i));
      ys.push_back(body_.results[i]);
      options.grad_ys.push_back(GradientValue::Dense(dy));
    }
    for (size_t i = 0; i < body_.args.size(); ++i) {
      if (!IsDifferentiable(body_.arg_types[i]) && VariableTypeOf(i) == DType::kInvalid) continue;
      made_.args.push_back(static_cast<int>(i));
      xs.push_back({body_.args[i], 0});
    }
    WB_ASSIGN_OR_RETURN(std::vector<GradientValue> dxs, AddGradients(graph_, ys, xs, options));
    for (size_t k = 0; k < dxs.size(); ++k) {
      WB_RETURN_IF_ERROR(AddResult(static_cast<size_t>(made_.args[k]), dxs[k]));
    }
    return made_;
  }

 private:
  DType VariableTypeOf(size_t arg) const { return VariableType(handles_[arg]); }

  absl::Status AddResult(size_t arg, const GradientValue& dx) {
    const OutputRef x = {body_.args[arg], 0};
    OutputRef dense;
    if (!dx.is_none()) {
      WB_ASSIGN_OR_RETURN(dense, ToDense(graph_, dx));
    } else if (const DType type = VariableTypeOf(arg); type != DType::kInvalid) {
      WB_ASSIGN_OR_RETURN(dense, ZerosOfVariable(graph_, x, type));
    } else {
      WB_ASSIGN_OR_RETURN(dense, NodeBuilder(&graph_, "ZerosLike").Input(x).BuildOutput());
    }
    const int index = static_cast<int>(made_.types.size());
    made_.types.push_back(BaseType(graph_.node(dense.node).output_type(dense.index)));
    return NodeBuilder(&graph_, "_Retval")
        .Name("dx")
        .Attr("index", index)
        .Input(dense)
        .Build()
        .status();
  }

  InstantiatedFunction body_;
  Graph& graph_;
  std::vector<HandleShapes> handles_;
  FunctionGradient made_;
};

absl::StatusOr<FunctionGradient> Differentiate(Graph& graph, const FunctionRef& function,
                                               const std::vector<HandleShapes>& handles) {
  InstantiateOptions options;
  options.arg_handles = handles;
  WB_ASSIGN_OR_RETURN(InstantiatedFunction body,
                      InstantiateFunction(graph.functions(), function, graph.ops(), options));
  WB_RETURN_IF_ERROR(CheckRepeatable(body));
  Graph* const inner = body.graph.get();
  GradientFunctionBuilder builder(std::move(body), handles);
  WB_ASSIGN_OR_RETURN(FunctionGradient made, builder.Build());
  WB_ASSIGN_OR_RETURN(made.name,
                      AddFunction(graph, *inner, absl::StrCat(function.name, "_gradient")));
  return made;
}

// A gradient that the library names for the function: it takes the arguments and the gradients of
// all results, and returns those of all arguments.
absl::Status CallGivenGradient(GradContext& c, const FunctionRef& gradient,
                               absl::string_view call) {
  std::vector<OutputRef> args = c.xs(0, c.num_inputs());
  AttrMap attrs;
  std::vector<DType> in, out;
  for (OutputRef arg : args) out.push_back(c.type(arg));
  for (int i = 0; i < c.num_outputs(); ++i) args.push_back(c.dy(i));
  for (OutputRef arg : args) in.push_back(c.type(arg));
  attrs.Set("Tin", std::move(in));
  attrs.Set("Tout", out);
  attrs.Set("f", gradient);
  const std::vector<OutputRef> made = c.EmitAll(call, {NodeInput(std::move(args))}, attrs);
  for (size_t i = 0; i < made.size(); ++i) {
    if (IsDifferentiable(out[i])) c.set_dx(static_cast<int>(i), made[i]);
  }
  return c.status();
}

}  // namespace

absl::StatusOr<OutputRef> ZerosOfVariable(Graph& graph, OutputRef handle, DType type) {
  WB_ASSIGN_OR_RETURN(OutputRef shape,
                      NodeBuilder(&graph, "VariableShape").Input(handle).BuildOutput());
  WB_ASSIGN_OR_RETURN(Tensor value, ZeroOf(type));
  WB_ASSIGN_OR_RETURN(Node * zero, AddConstant(&graph, graph.UniqueName("zero"), std::move(value)));
  return NodeBuilder(&graph, "Fill").Input(shape).Input(zero).BuildOutput();
}

absl::StatusOr<std::string> AddFunction(Graph& graph, const Graph& body,
                                        const std::string& wanted_name) {
  WB_RETURN_IF_ERROR(graph.functions().AddAll(body.functions()));
  std::string name = wanted_name;
  for (int i = 1; graph.functions().Find(name) != nullptr; ++i) {
    name = absl::StrCat(wanted_name, "_", i);
  }
  WB_ASSIGN_OR_RETURN(std::shared_ptr<const Function> written, FunctionFromGraph(body, name));
  WB_RETURN_IF_ERROR(graph.functions().Add(std::move(written)));
  return name;
}

absl::StatusOr<FunctionGradient> AddGradientFunction(Graph& graph, const FunctionRef& function,
                                                     const std::vector<HandleShapes>& handles) {
  absl::StatusOr<FunctionGradient> made = Differentiate(graph, function, handles);
  if (made.ok()) return made;
  return Annotate(made.status(), absl::StrCat("the function '", function.name, "'"));
}

std::vector<HandleShapes> InputHandles(const GradContext& c, int first_input) {
  std::vector<HandleShapes> handles;
  for (int i = first_input; i < c.num_inputs(); ++i) {
    const OutputRef x = c.x(i);
    handles.push_back(c.type(x) == DType::kResource ? c.graph().node(x.node).output_handle(x.index)
                                                    : HandleShapes());
  }
  return handles;
}

absl::Status CallGradient(GradContext& c, const std::vector<FunctionRef>& functions,
                          int first_input, absl::string_view call,
                          void (*set_functions)(std::vector<FunctionRef> gradients,
                                                AttrMap* attrs)) {
  std::vector<FunctionRef> gradients;
  FunctionGradient shape;  // the same for all
  const std::vector<HandleShapes> handles = InputHandles(c, first_input);
  for (const FunctionRef& f : functions) {
    WB_ASSIGN_OR_RETURN(shape, AddGradientFunction(*c.mutable_graph(), f, handles));
    gradients.push_back(FunctionRef{shape.name, {}});
  }
  std::vector<OutputRef> args = c.xs(first_input, c.num_inputs());
  for (int result : shape.results) args.push_back(c.dy(result));
  AttrMap attrs;
  std::vector<DType> types;
  for (OutputRef arg : args) types.push_back(c.type(arg));
  attrs.Set("Tin", std::move(types));
  attrs.Set("Tout", shape.types);
  set_functions(std::move(gradients), &attrs);
  std::vector<NodeInput> inputs;
  for (int i = 0; i < first_input; ++i) inputs.push_back(c.x(i));
  inputs.push_back(NodeInput(std::move(args)));
  const std::vector<OutputRef> made = c.EmitAll(call, inputs, attrs);
  if (made.empty()) return c.status();
  for (size_t k = 0; k < shape.args.size(); ++k) {
    c.set_dx(first_input + shape.args[k], made[static_cast<size_t>(shape.first_gradient) + k]);
  }
  return absl::OkStatus();
}

absl::Status PlainCallGradient(GradContext& c, const FunctionRef& function) {
  const bool stateful = c.node().op().is_stateful;
  const char* const call = stateful ? "StatefulPartitionedCall" : "PartitionedCall";
  const std::string given = c.graph().functions().FindGradient(function.name);
  if (!given.empty()) return CallGivenGradient(c, {given, function.attrs}, call);
  return CallGradient(
      c, {function}, 0, call,
      [](std::vector<FunctionRef> gradients, AttrMap* attrs) { attrs->Set("f", gradients[0]); });
}

}  // namespace warpbeam
