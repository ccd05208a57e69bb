// Gradients of ops by names of one's own (tf.RegisterGradient, tf.Graph.gradient_override_map).
//
//   RegisterGradient(scope, "Clipped", [](const Scope& s, const Operation& op,
//                                         const std::vector<Output>& dy) {
//     return std::vector<Output>{ClipByValue(s, dy[0], -1, 1)};
//   });
//   Scope clipped = scope.GradientOverrideMap({{"Identity", "Clipped"}, {"Sign", "Identity"}});
//   Output y = Identity(clipped, x);          // dy/dx is what "Clipped" says
//   Output z = Sign(clipped, x);              // and here that of Identity: dz passes through
//
// The name is kept in the node ("_gradient_op_type"), as TensorFlow keeps it.
//
// Ownership: the graph keeps the functions. Thread safety: that of the Scope. Errors: a name that
// is registered twice, an empty function, one that does not give a gradient for each input; a name
// that stands for nothing is an error of taking the gradient. Kept in the scope.
#ifndef WARPBEAM_FRONTEND_DIFFERENTIATION_GRADIENT_OVERRIDE_H_
#define WARPBEAM_FRONTEND_DIFFERENTIATION_GRADIENT_OVERRIDE_H_

#include <functional>
#include <string>
#include <vector>

#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// The gradients of an operation's inputs, from those of its outputs; an Output that is not valid
// where nothing flows back. The operation's inputs and outputs may be used.
using OpGradient = std::function<std::vector<Output>(const Scope& scope, const Operation& op,
                                                     const std::vector<Output>& dy)>;

// For gradients that are taken in the scope's graph and in functions built for it afterwards.
void RegisterGradient(ScopeRef scope, const std::string& name, OpGradient gradient);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_DIFFERENTIATION_GRADIENT_OVERRIDE_H_
