// Gradients that a program defines itself, and second derivatives (tf.custom_gradient,
// tf.grad_pass_through, tf.hessians).
//
//   auto log1pexp = [](const Scope& s, const std::vector<Output>& x) {
//     return std::vector<Output>{Log1p(s, Exp(s, x[0]))};
//   };
//   auto slope = [](const Scope& s, const std::vector<Output>& x, const std::vector<Output>& dy) {
//     return std::vector<Output>{Multiply(s, dy[0], Sigmoid(s, x[0]))};
//   };
//   Output y = CustomGradient(scope, log1pexp, slope, {x})[0];
//
// Ownership: the functions are not kept: both are called once, to build a function of the graph's
// library each. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_DIFFERENTIATION_CUSTOM_GRADIENT_H_
#define WARPBEAM_FRONTEND_DIFFERENTIATION_CUSTOM_GRADIENT_H_

#include <functional>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

using TensorsFunction =
    std::function<std::vector<Output>(const Scope& scope, const std::vector<Output>& x)>;
// Gives a gradient for each x from those of the results.
using TensorsGradient = std::function<std::vector<Output>(
    const Scope& scope, const std::vector<Output>& x, const std::vector<Output>& dy)>;

// What `function` gives of `x`, with the gradient that `gradient` says. Both may use their
// arguments and constants, but no other tensors and no variables. The graph calls a function of its
// library ("PartitionedCall") to which the library names the gradient, as TensorFlow's does.
OutputList CustomGradient(ScopeRef scope, const TensorsFunction& function,
                          const TensorsGradient& gradient, const InputList& x);

// What `function` gives of x, of one shape and type with it, with the gradient of x itself: such as
// of rounding.
Output GradPassThrough(ScopeRef scope,
                       const std::function<Output(const Scope& scope, const Output& x)>& function,
                       const Output& x);

// For each x, which must be a tensor of a known shape, the second derivatives of the sum of ys: of
// the shape of x twice. A gradient is built for each element of x.
OutputList Hessians(ScopeRef scope, const InputList& ys, const std::vector<Output>& xs);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_DIFFERENTIATION_CUSTOM_GRADIENT_H_
