// Cond (tf.cond) and Case (tf.case): operations of which only one branch runs.
//
//   auto sum = [&](const Scope& s) { return std::vector<Output>{Add(s, x, z)}; };
//   auto square = [&](const Scope& s) { return std::vector<Output>{Square(s, y)}; };
//   std::vector<Output> r = Cond(scope, Less(scope, x, y), sum, square);
//
// Both functions are called once, to build the graph of the branches; what they build goes into the
// scope they are given, and runs only when its branch is taken. What they read from outside runs
// always. Both return as many tensors, of the same dtypes.
//
// The nodes are those of TensorFlow's own cond (Switch, Merge) under its names.
//
// Ownership: the functions are not kept. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_CONTROL_FLOW_COND_H_
#define WARPBEAM_FRONTEND_CONTROL_FLOW_COND_H_

#include <functional>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

using BranchFunction = std::function<std::vector<Output>(const Scope&)>;

OutputList Cond(ScopeRef scope, const Input& predicate, const BranchFunction& if_true,
                const BranchFunction& if_false);

// The branch of the first predicate that is true, else `otherwise`.
OutputList Case(ScopeRef scope, const std::vector<std::pair<Output, BranchFunction>>& branches,
                const BranchFunction& otherwise);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTROL_FLOW_COND_H_
