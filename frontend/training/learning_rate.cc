#include "frontend/training/learning_rate.h"

#include "frontend/build.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace train {

Output ExponentialDecay(ScopeRef scope_ref, const Input& learning_rate, const Input& global_step,
                        const Input& decay_steps, const Input& decay_rate, bool staircase) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("ExponentialDecay");
  const Output initial = AsOutput(inside.Named("initial_learning_rate"), learning_rate);
  const DType dtype = initial.dtype();
  const Output steps = Cast(inside, decay_steps, dtype);
  const Output rate = Cast(inside, decay_rate, dtype);
  const Output step = Cast(inside, global_step, dtype);
  Output exponent = Divide(inside, step, steps);
  if (staircase) exponent = Floor(inside, exponent);
  const Output factor = Pow(inside, rate, exponent);
  return scope(Multiply(inside.Named(inside.name_scope()), initial, factor));
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
