#include "graph/gradients/symbolic_gradient.h"

#include "graph/build/node_builder.h"
#include "graph/gradients/backward_walk.h"
#include "graph/gradients/gradients.h"

namespace warpbeam {
namespace {

bool IsInSymbolicGradient(DType type) {
  return IsFloating(BaseType(type)) || IsComplex(BaseType(type)) || type == DType::kVariant;
}

Status Differentiate(InstantiatedFunction* body) {
  Graph& graph = *body->graph;
  const size_t num_args = body->args.size();
  GradientOptions options;
  std::vector<OutputRef> ys, xs;
  for (size_t i = 0; i < body->results.size(); ++i) {
    const DType type = BaseType(body->result_types[i]);
    WB_ASSIGN_OR_RETURN(Node * dy, NodeBuilder(&graph, "_Arg")
                                       .Name("dy")
                                       .Attr("T", type)
                                       .Attr("index", static_cast<int64_t>(num_args + i))
                                       .Build());
    body->args.push_back(dy->id());
    body->arg_types.push_back(type);
    if (!IsInSymbolicGradient(type)) continue;
    ys.push_back(body->results[i]);
    options.grad_ys.push_back(GradientValue::Dense({dy->id(), 0}));
  }
  for (size_t i = 0; i < num_args; ++i) {
    if (IsInSymbolicGradient(body->arg_types[i])) xs.push_back({body->args[i], 0});
  }
  WB_ASSIGN_OR_RETURN(std::vector<GradientValue> dxs, AddGradients(graph, ys, xs, options));
  body->results.clear();
  body->retvals.clear();
  body->result_types.clear();
  size_t next = 0;
  for (size_t i = 0; i < num_args; ++i) {
    const OutputRef arg = {body->args[i], 0};
    const bool differentiable = IsInSymbolicGradient(body->arg_types[i]);
    const GradientValue dx = differentiable ? dxs[next++] : GradientValue::None();
    OutputRef result;
    if (dx.is_none()) {
      WB_ASSIGN_OR_RETURN(result, NodeBuilder(&graph, "ZerosLike").Input(arg).BuildOutput());
    } else {
      WB_ASSIGN_OR_RETURN(result, ToDense(graph, dx));
    }
    body->results.push_back(result);
    body->result_types.push_back(graph.node(result.node).output_type(result.index));
  }
  return OkStatus();
}

}  // namespace

StatusOr<InstantiatedFunction> InstantiateGradient(const FunctionLibrary& library,
                                                   const FunctionRef& function,
                                                   const OpRegistry& ops) {
  const std::string given = library.FindGradient(function.name);
  if (!given.empty()) return InstantiateFunction(library, {given, function.attrs}, ops);
  WB_ASSIGN_OR_RETURN(InstantiatedFunction body, InstantiateFunction(library, function, ops));
  Status done = Differentiate(&body);
  if (!done.ok()) return Annotate(done, absl::StrCat("the function '", function.name, "'"));
  return body;
}

StatusOr<InstantiatedFunction> InstantiateCallable(const FunctionLibrary& library,
                                                   const FunctionRef& function,
                                                   const OpRegistry& ops) {
  if (function.name != "SymbolicGradient") return InstantiateFunction(library, function, ops);
  WB_ASSIGN_OR_RETURN(FunctionRef f, function.attrs.Get<FunctionRef>("f"));
  return InstantiateGradient(library, f, ops);
}

}  // namespace warpbeam
