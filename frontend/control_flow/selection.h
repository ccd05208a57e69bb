// Branches by a number, tensors that wait for each other, and functions that share their variables
// (tf.switch_case, tf.tuple, tf.make_template, tf.vectorized_map).
//
//   std::vector<Output> y = SwitchCase(scope, index, {zero, one}, /*otherwise=*/many);
//   std::vector<Output> both = Tuple(scope, {a, b});            // each once both are computed
//   auto layer = MakeTemplate("layer", [](const Scope& s, const Output& x) {
//     return MatMul(s, x, GetVariable(s, "w", {2, 2}));
//   });
//   Output first = layer(scope, x);                             // makes "layer/w"
//   Output second = layer(scope, first);                        // finds it again
//
// Ownership: a template keeps its function. Thread safety: that of the Scope. Errors: kept in the
// scope.
#ifndef WARPBEAM_FRONTEND_CONTROL_FLOW_SELECTION_H_
#define WARPBEAM_FRONTEND_CONTROL_FLOW_SELECTION_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/control_flow/cond.h"
#include "frontend/control_flow/map_fn.h"
#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// The branch whose number `index` is, an int32 scalar; for other numbers `otherwise`, by default
// the last branch.
OutputList SwitchCase(ScopeRef scope, const Input& index,
                      const std::vector<BranchFunction>& branches,
                      const BranchFunction& otherwise = nullptr);

// The tensors once all of them, and the operations, are computed. Tensors that are not valid stay
// so.
OutputList Tuple(ScopeRef scope, const std::vector<Output>& tensors,
                 const std::vector<Operation>& control_inputs = {});

// MapFn: a function that takes a row gives the same row by row as on all of them.
OutputList VectorizedMap(ScopeRef scope, const RowsFunction& function, const InputList& elems);
Output VectorizedMap(ScopeRef scope, const RowFunction& function, const Input& elems);

// The variable scope of a template: what the first call opened.
class TemplateScope {
 public:
  explicit TemplateScope(std::string name) : name_(std::move(name)) {}
  // The scope for a call: it makes variables the first time and finds them later. Calls from
  // another variable scope than the first are INVALID_ARGUMENT.
  Scope Open(const Scope& scope);

 private:
  const std::string name_;
  bool opened_ = false;
  std::string outer_, inner_;
};

// A function whose first argument is the scope to build in. Copies share the variables.
template <typename Function>
class Template {
 public:
  Template(std::string name, Function function)
      : scope_(std::make_shared<TemplateScope>(std::move(name))), function_(std::move(function)) {}

  template <typename... Arguments>
  auto operator()(ScopeRef scope, const Arguments&... arguments) const {
    return function_(scope_->Open(scope.scope()), arguments...);
  }

 private:
  std::shared_ptr<TemplateScope> scope_;
  Function function_;
};

template <typename Function>
Template<Function> MakeTemplate(std::string name, Function function) {
  return Template<Function>(std::move(name), std::move(function));
}

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTROL_FLOW_SELECTION_H_
