// Learning rates that fall as training goes on (tf.train.exponential_decay).
//
//   Output rate = train::ExponentialDecay(scope, 0.1, global_step, 1000, 0.96, /*staircase=*/true);
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_TRAINING_LEARNING_RATE_H_
#define WARPBEAM_FRONTEND_TRAINING_LEARNING_RATE_H_

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace train {

// learning_rate * decay_rate ^ (global_step / decay_steps), the exponent rounded down with
// `staircase`.
Output ExponentialDecay(ScopeRef scope, const Input& learning_rate, const Input& global_step,
                        const Input& decay_steps, const Input& decay_rate, bool staircase = false);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_LEARNING_RATE_H_
