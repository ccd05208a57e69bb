// The mean of the gradients of all towers, for every variable that they share.
//
//   std::vector<GradsAndVars> tower_grads;                 // one for each tower
//   GradsAndVars grads = AverageGradients(cpu, tower_grads);
//   wb::Operation apply_gradient_op = opt.ApplyGradients(cpu, grads, global_step);
//
// This is where towers wait for each other. Ownership: the graph owns the nodes. Thread safety:
// that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_EXAMPLES_AVERAGE_GRADIENTS_H_
#define WARPBEAM_EXAMPLES_AVERAGE_GRADIENTS_H_

#include <vector>

#include "frontend/scope.h"
#include "frontend/training/optimizer.h"

namespace warpbeam {
namespace examples {

using GradsAndVars = std::vector<frontend::train::GradientAndVariable>;

GradsAndVars AverageGradients(const frontend::Scope& scope,
                              const std::vector<GradsAndVars>& tower_grads);

}  // namespace examples
}  // namespace warpbeam

#endif  // WARPBEAM_EXAMPLES_AVERAGE_GRADIENTS_H_
