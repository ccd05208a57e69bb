// Learning rates that change as training goes on (tf.train.exponential_decay and its kin).
//
//   Output rate = train::ExponentialDecay(scope, 0.1, global_step, 1000, 0.96, /*staircase=*/true);
//   GradientDescentOptimizer opt(train::LinearWarmup(scope, rate, global_step, 500));
//
// Each is a scalar of the type of `learning_rate`, computed anew in every step; `global_step` is an
// integer or float scalar, which is below written step. The formulas are those of TensorFlow's
// functions, where their sources are named: "SGDR" is https://arxiv.org/abs/1608.03983.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_TRAINING_LEARNING_RATE_H_
#define WARPBEAM_FRONTEND_TRAINING_LEARNING_RATE_H_

#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace train {

// learning_rate * decay_rate ^ (global_step / decay_steps), the exponent rounded down with
// `staircase`.
Output ExponentialDecay(ScopeRef scope, const Input& learning_rate, const Input& global_step,
                        const Input& decay_steps, const Input& decay_rate, bool staircase = false);

// learning_rate * e ^ (-decay_rate * step / decay_steps).
Output NaturalExpDecay(ScopeRef scope, const Input& learning_rate, const Input& global_step,
                       const Input& decay_steps, const Input& decay_rate, bool staircase = false);

// learning_rate / (1 + decay_rate * step / decay_steps).
Output InverseTimeDecay(ScopeRef scope, const Input& learning_rate, const Input& global_step,
                        const Input& decay_steps, const Input& decay_rate, bool staircase = false);

// values[i] for boundaries[i - 1] < x <= boundaries[i]; one value more than boundaries, which
// ascend. Boundaries of an integer `x` are whole numbers.
Output PiecewiseConstant(ScopeRef scope, const Input& x, const std::vector<double>& boundaries,
                         const std::vector<double>& values, DType dtype = DType::kFloat);

inline Output PiecewiseConstantDecay(ScopeRef scope, const Input& x,
                                     const std::vector<double>& boundaries,
                                     const std::vector<double>& values,
                                     DType dtype = DType::kFloat) {
  return PiecewiseConstant(scope, x, boundaries, values, dtype);
}
// (learning_rate - end) * (1 - step / decay_steps) ^ power + end, and `end` after decay_steps. With
// `cycle` decay_steps is doubled, tripled… instead whenever step gets there.
Output PolynomialDecay(ScopeRef scope, const Input& learning_rate, const Input& global_step,
                       double decay_steps, double end_learning_rate = 0.0001, double power = 1,
                       bool cycle = false);

// learning_rate * ((1 - alpha) * (1 + cos(π * step / decay_steps)) / 2 + alpha); then it stays.
Output CosineDecay(ScopeRef scope, const Input& learning_rate, const Input& global_step,
                   double decay_steps, double alpha = 0);

// A cosine decay that begins again (SGDR): after `first_decay_steps`, then after t_mul times as
// many, and so on; each time with m_mul times the learning rate before.
Output CosineDecayRestarts(ScopeRef scope, const Input& learning_rate, const Input& global_step,
                           double first_decay_steps, double t_mul = 2, double m_mul = 1,
                           double alpha = 0);

// learning_rate * ((alpha + 1 - done) * (1 + cos(2π * num_periods * done)) / 2 + beta), where done
// is step / decay_steps, at most 1: a straight decay times a wave. arXiv:1709.07417.
Output LinearCosineDecay(ScopeRef scope, const Input& learning_rate, const Input& global_step,
                         double decay_steps, double num_periods = 0.5, double alpha = 0,
                         double beta = 0.001);
struct NoisyDecayOptions {
  // The variance of the noise: initial_variance / (1 + step) ^ variance_decay.
  NoisyDecayOptions& initial_variance(double value) {
    first_variance = value;
    return *this;
  }
  NoisyDecayOptions& variance_decay(double value) {
    decay_of_variance = value;
    return *this;
  }
  NoisyDecayOptions& num_periods(double value) {
    periods = value;
    return *this;
  }
  NoisyDecayOptions& alpha(double value) {
    alpha_value = value;
    return *this;
  }
  NoisyDecayOptions& beta(double value) {
    beta_value = value;
    return *this;
  }

  double first_variance = 1;
  double decay_of_variance = 0.55;
  double periods = 0.5;
  double alpha_value = 0;
  double beta_value = 0.001;
};
// The same with noise added to the straight decay.
Output NoisyLinearCosineDecay(ScopeRef scope, const Input& learning_rate, const Input& global_step,
                              double decay_steps,
                              const NoisyDecayOptions& options = NoisyDecayOptions());
// `rate` times min(1, step / warmup_steps): for the first steps of a training.
Output LinearWarmup(ScopeRef scope, const Output& rate, const Input& global_step,
                    double warmup_steps);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_LEARNING_RATE_H_
