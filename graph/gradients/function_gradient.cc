#include "graph/gradients/function_gradient.h"

#include <utility>

#include "graph/functions/instantiate.h"
#include "graph/gradients/gradients.h"

namespace warpbeam {
namespace {

bool IsDifferentiable(DType type) {
  return IsFloating(BaseType(type)) || IsComplex(BaseType(type));
}

// What may run a second time without anybody noticing.
bool IsHarmless(const std::string& op) {
  return op == "ReadVariableOp" || op == "VarHandleOp" || op == "VariableShape" ||
         op == "VarIsInitializedOp" || op == "Assert" || op == "CheckNumerics" ||
         op == "CheckNumericsV2" || op == "StatefulPartitionedCall" || op == "If" || op == "Case";
}

std::string UnusedName(const Graph& graph, const std::string& function) {
  for (int i = 0;; ++i) {
    std::string name = absl::StrCat(function, "_gradient", i == 0 ? "" : absl::StrCat("_", i));
    if (graph.functions().Find(name) == nullptr) return name;
  }
}

absl::StatusOr<FunctionGradient> Differentiate(Graph& graph, const FunctionRef& function) {
  WB_ASSIGN_OR_RETURN(InstantiatedFunction body,
                      InstantiateFunction(graph.functions(), function, graph.ops()));
  Graph& inner = *body.graph;
  for (NodeId id : body.effects) {
    const Node& node = inner.node(id);
    if (node.op().is_stateful && !IsHarmless(node.op_name())) {
      return Unimplemented("its gradient would run ", DescribeNode(node), " a second time");
    }
  }
  FunctionGradient made;
  made.types = body.result_types;
  made.first_gradient = static_cast<int>(body.results.size());
  GradientOptions options;
  options.zeros_for_unconnected = true;
  std::vector<OutputRef> ys, xs;
  for (size_t i = 0; i < body.results.size(); ++i) {
    if (!IsDifferentiable(body.result_types[i])) continue;
    const int index = static_cast<int>(body.args.size() + ys.size());
    WB_ASSIGN_OR_RETURN(OutputRef dy, NodeBuilder(&inner, "_Arg")
                                          .Name("dy")
                                          .Attr("T", BaseType(body.result_types[i]))
                                          .Attr("index", index)
                                          .BuildOutput());
    made.results.push_back(static_cast<int>(i));
    ys.push_back(body.results[i]);
    options.grad_ys.push_back(GradientValue::Dense(dy));
  }
  for (size_t i = 0; i < body.args.size(); ++i) {
    if (!IsDifferentiable(body.arg_types[i])) continue;
    made.args.push_back(static_cast<int>(i));
    xs.push_back({body.args[i], 0});
  }
  WB_ASSIGN_OR_RETURN(std::vector<GradientValue> dxs, AddGradients(inner, ys, xs, options));
  for (const GradientValue& dx : dxs) {
    WB_ASSIGN_OR_RETURN(OutputRef dense, ToDense(inner, dx));
    const int index = static_cast<int>(made.types.size());
    WB_RETURN_IF_ERROR(NodeBuilder(&inner, "_Retval")
                           .Name("dx")
                           .Attr("index", index)
                           .Input(dense)
                           .Build()
                           .status());
    made.types.push_back(BaseType(inner.node(dense.node).output_type(dense.index)));
  }
  WB_RETURN_IF_ERROR(graph.functions().AddAll(inner.functions()));
  made.name = UnusedName(graph, function.name);
  WB_ASSIGN_OR_RETURN(std::shared_ptr<const Function> written, FunctionFromGraph(inner, made.name));
  WB_RETURN_IF_ERROR(graph.functions().Add(std::move(written)));
  return made;
}

}  // namespace

absl::StatusOr<FunctionGradient> AddGradientFunction(Graph& graph, const FunctionRef& function) {
  absl::StatusOr<FunctionGradient> made = Differentiate(graph, function);
  if (made.ok()) return made;
  return Annotate(made.status(), absl::StrCat("the function '", function.name, "'"));
}

absl::Status CallGradient(GradContext& c, const std::vector<FunctionRef>& functions,
                          int first_input, absl::string_view call,
                          void (*set_functions)(std::vector<FunctionRef> gradients,
                                                AttrMap* attrs)) {
  std::vector<FunctionRef> gradients;
  FunctionGradient shape;  // the same for all
  for (const FunctionRef& f : functions) {
    WB_ASSIGN_OR_RETURN(shape, AddGradientFunction(*c.mutable_graph(), f));
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
  return CallGradient(
      c, {function}, 0, stateful ? "StatefulPartitionedCall" : "PartitionedCall",
      [](std::vector<FunctionRef> gradients, AttrMap* attrs) { attrs->Set("f", gradients[0]); });
}

}  // namespace warpbeam
