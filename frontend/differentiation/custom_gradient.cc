#include "frontend/differentiation/custom_gradient.h"

#include <string>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/function_graph.h"
#include "frontend/gradients.h"
#include "graph/functions/function_library.h"
#include "graph/graph.h"

namespace warpbeam {
namespace frontend {
namespace {

std::vector<DType> TypesOf(const std::vector<Output>& outputs) {
  std::vector<DType> types;
  for (const Output& output : outputs) types.push_back(output.dtype());
  return types;
}

std::vector<Output> ArgumentsLike(FunctionGraph* body, const std::vector<Output>& outer) {
  std::vector<Output> arguments;
  for (const Output& output : outer)
    arguments.push_back(body->AddArg(output.dtype(), output.shape()));
  return arguments;
}

// Adds what has been built to the library; nothing of the outer graph may be in it.
StatusOr<FunctionRef> FinishClosed(FunctionGraph* body, const std::vector<Output>& results,
                                   const char* name) {
  WB_RETURN_IF_ERROR(body->scope().status());
  if (!body->captures().empty()) {
    return InvalidArgument(
        "a function with a gradient of its own may use its arguments and "
        "constants alone; pass it the tensor it uses from outside: ",
        body->captures()[0].name());
  }
  return body->Finish(results, name);
}

StatusOr<std::vector<Output>> BuildCall(const Scope& scope, const TensorsFunction& function,
                                        const TensorsGradient& gradient,
                                        const std::vector<Output>& x) {
  if (function == nullptr || gradient == nullptr) {
    return InvalidArgument("a gradient of its own needs a function and the function's gradient");
  }
  FunctionGraph forward(scope);
  const std::vector<Output> y = function(forward.scope(), ArgumentsLike(&forward, x));
  const std::vector<DType> types = TypesOf(y);
  FunctionGraph backward(scope);
  const std::vector<Output> arguments = ArgumentsLike(&backward, x);
  const std::vector<Output> dx = gradient(backward.scope(), arguments, ArgumentsLike(&backward, y));
  WB_ASSIGN_OR_RETURN(const FunctionRef forward_name, FinishClosed(&forward, y, "custom"));
  WB_ASSIGN_OR_RETURN(const FunctionRef backward_name,
                      FinishClosed(&backward, dx, "custom_gradient"));
  if (dx.size() != x.size()) {
    return InvalidArgument("the gradient function must return a gradient for each of the ",
                           x.size(), " arguments; it returned ", dx.size());
  }
  WB_RETURN_IF_ERROR(scope.graph()->functions().AddGradient(forward_name.name, backward_name.name));
  return BuildOutputs(scope, "PartitionedCall", {InputList(x)},
                      OpAttrs().Set("f", forward_name).Set("Tout", types),
                      static_cast<int>(types.size()));
}

}  // namespace

OutputList CustomGradient(ScopeRef scope_ref, const TensorsFunction& function,
                          const TensorsGradient& gradient, const InputList& x) {
  const Scope scope = scope_ref.scope();
  std::vector<Output> arguments;
  for (const Input& item : x.items()) arguments.push_back(AsOutput(scope.Named(""), item));
  // After an error there is one result, which is not valid, so that it can be taken.
  std::vector<Output> none(1);
  if (!scope.ok()) return none;
  StatusOr<std::vector<Output>> results = BuildCall(scope, function, gradient, arguments);
  if (results.ok()) return *std::move(results);
  scope.Fail(results.status());
  return none;
}

Output GradPassThrough(ScopeRef scope_ref,
                       const std::function<Output(const Scope& scope, const Output& x)>& function,
                       const Output& x) {
  const Scope scope = scope_ref.scope();
  if (function == nullptr) scope.Fail(InvalidArgument("GradPassThrough: the function is empty"));
  if (!scope.ok()) return Output();
  const std::vector<Output> results = CustomGradient(
      scope,
      [&](const Scope& s, const std::vector<Output>& in) {
        return std::vector<Output>{function(s, in[0])};
      },
      [](const Scope& s, const std::vector<Output>& in, const std::vector<Output>& dy) {
        return std::vector<Output>{Identity(s, dy[0])};
      },
      {x});
  return results.empty() ? Output() : results[0];
}

OutputList Hessians(ScopeRef scope_ref, const InputList& ys, const std::vector<Output>& xs) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return std::vector<Output>(xs.size());
  const Scope inside = scope.OpenScope("hessians");
  std::vector<Output> hessians;
  for (const Output& x : xs) {
    const StatusOr<Shape> shape = x.shape().AsShape();
    if (!shape.ok()) {
      scope.Fail(InvalidArgument("Hessians needs a tensor of a known shape; that of ", x.name(),
                                 " is ", x.shape().ToString()));
      return std::vector<Output>(xs.size());
    }
    GradientsOptions zeros;
    zeros.zeros_for_unconnected = true;
    const Output slope = Gradients(inside, ys, {x}, zeros)[0];
    const Output list = Reshape(inside, slope, {-1});
    std::vector<Output> rows;
    for (int64_t i = 0; i < shape->num_elements(); ++i) {
      rows.push_back(
          Gradients(inside, {ElementAt(inside, list, static_cast<int>(i))}, {x}, zeros)[0]);
    }
    if (!scope.ok()) return std::vector<Output>(xs.size());
    std::vector<int64_t> twice(shape->dims().begin(), shape->dims().end());
    twice.insert(twice.end(), shape->dims().begin(), shape->dims().end());
    const Output dims =
        Constant(inside, twice, DType::kInt32, Shape({static_cast<int64_t>(twice.size())}));
    hessians.push_back(scope(rows.empty() ? Reshape(inside, list, dims)
                                          : Reshape(inside, Stack(inside, rows), dims)));
  }
  return hessians;
}

}  // namespace frontend
}  // namespace warpbeam
