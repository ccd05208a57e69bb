#include "examples/average_gradients.h"

#include "frontend/array.h"
#include "frontend/math.h"

namespace warpbeam {
namespace examples {

namespace wb = warpbeam::frontend;

GradsAndVars AverageGradients(const wb::Scope& scope,
                              const std::vector<GradsAndVars>& tower_grads) {
  GradsAndVars average_grads;
  if (!scope.ok() || tower_grads.empty()) return average_grads;
  for (size_t i = 0; i < tower_grads[0].size(); ++i) {
    std::vector<wb::Output> grads;
    for (const GradsAndVars& tower : tower_grads) {
      // Towers are rows of a dimension more, over which the mean is taken.
      wb::Output expanded_g = wb::ExpandDims(scope, tower[i].gradient, 0);
      grads.push_back(expanded_g);
    }
    wb::Output grad = wb::Concat(scope, grads, 0);
    grad = wb::ReduceMean(scope, grad, 0);

    // Towers share the variables: the first tower's will do.
    const wb::Variable v = tower_grads[0][i].variable;
    average_grads.push_back({grad, v});
  }
  return average_grads;
}

}  // namespace examples
}  // namespace warpbeam
