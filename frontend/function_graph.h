// FunctionGraph: a library function built by the frontend, such as what a dataset maps its elements
// with.
//
//   FunctionGraph body(scope);
//   Output x = body.AddArg(DType::kFloat, PartialShape({784}));
//   Output y = Multiply(body.scope(), x, k);        // `k` of the outer graph becomes an argument
//   StatusOr<FunctionRef> f = body.Finish({y}, "Dataset_map");   // call with {x, captures()[0]}
//
// The body has name scopes, variables and collections of its own; tensors of the outer graph that
// it uses become further arguments, in the order in which they are first used.
//
// Ownership: the outer graph's library gets the function. The FunctionGraph and handles on its
// nodes are needed only until Finish. Thread safety: that of the Scope. Errors: of building the
// body.
#ifndef WARPBEAM_FRONTEND_FUNCTION_GRAPH_H_
#define WARPBEAM_FRONTEND_FUNCTION_GRAPH_H_

#include <string>
#include <vector>

#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

class FunctionGraph {
 public:
  explicit FunctionGraph(const Scope& outer);
  ~FunctionGraph();
  FunctionGraph(const FunctionGraph&) = delete;
  FunctionGraph& operator=(const FunctionGraph&) = delete;

  const Scope& scope() const { return scope_; }
  // The next argument. Only before the body captures anything.
  Output AddArg(DType dtype, const PartialShape& shape);
  // Outer tensors to pass after the arguments.
  const std::vector<Output>& captures() const { return captures_; }
  // Adds the function, under `name` and a number, to the outer graph's library.
  StatusOr<FunctionRef> Finish(const std::vector<Output>& results, const std::string& name);

 private:
  StatusOr<Output> AddArgNode(const std::string& name, DType dtype, const PartialShape& shape);
  StatusOr<Output> Capture(const Output& outer);

  const Scope outer_;
  Scope scope_;
  int num_args_ = 0;
  std::vector<Output> captures_;
  std::vector<Output> captured_args_;
};

// Adds to the library of `result`'s graph a function without arguments that computes `result`: a
// copy of the nodes that it is made of. FAILED_PRECONDITION, naming the node, where one of them
// cannot be copied: a variable, a placeholder, something with a state.
StatusOr<FunctionRef> CopyIntoFunction(const Scope& scope, const Output& result,
                                       const std::string& name);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_FUNCTION_GRAPH_H_
