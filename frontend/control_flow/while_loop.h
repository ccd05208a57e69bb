// WhileLoop (tf.while_loop): operations that run again and again while a condition holds.
//
//   std::vector<Output> r = WhileLoop(
//       scope, [&](const Scope& s, const std::vector<Output>& v) { return Less(s, v[0], 10); },
//       [&](const Scope& s, const std::vector<Output>& v) {
//         return std::vector<Output>{Add(s, v[0], 1), MatMul(s, v[1], w)};
//       },
//       {0, x});
//
// Both functions are called once, to build the loop's graph; what they build goes into the scope
// they are given. They may read any tensor from outside (`w`): it enters the loop by itself. The
// loop's results are the variables' last values. Variables keep their dtype, and their static shape
// unless `shape_invariants` says what of it may change.
//
// The nodes are those of TensorFlow's own while_loop (Enter, Merge, LoopCond, Switch,
// NextIteration, Exit) under its names.
//
// Ownership: the functions are not kept. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_CONTROL_FLOW_WHILE_LOOP_H_
#define WARPBEAM_FRONTEND_CONTROL_FLOW_WHILE_LOOP_H_

#include <functional>
#include <optional>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

using LoopCondition = std::function<Output(const Scope&, const std::vector<Output>&)>;
using LoopBody = std::function<std::vector<Output>(const Scope&, const std::vector<Output>&)>;

struct WhileLoopOptions {
  // How many iterations may be under way at once.
  int parallel_iterations = 10;
  // Ends the loop after so many iterations at the latest, whatever the condition says.
  std::optional<Input> maximum_iterations;
  // One for each variable, or none: the part of its shape that every iteration keeps.
  std::vector<PartialShape> shape_invariants;
};

OutputList WhileLoop(ScopeRef scope, const LoopCondition& condition, const LoopBody& body,
                     const InputList& variables,
                     const WhileLoopOptions& options = WhileLoopOptions());

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTROL_FLOW_WHILE_LOOP_H_
