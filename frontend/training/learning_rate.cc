#include "frontend/training/learning_rate.h"

#include <algorithm>
#include <cmath>

#include "frontend/build.h"
#include "frontend/math.h"
#include "frontend/random.h"
#include "graph/types/errors.h"

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

Output NaturalExpDecay(ScopeRef scope_ref, const Input& learning_rate, const Input& global_step,
                       const Input& decay_steps, const Input& decay_rate, bool staircase) {
  const Scope scope = scope_ref.scope();
  const Output base = Exp(scope, Negative(scope, decay_rate));
  return ExponentialDecay(scope, learning_rate, global_step, decay_steps, base, staircase);
}

Output InverseTimeDecay(ScopeRef scope_ref, const Input& learning_rate, const Input& global_step,
                        const Input& decay_steps, const Input& decay_rate, bool staircase) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("InverseTimeDecay");
  const Output initial = AsOutput(inside.Named("initial_learning_rate"), learning_rate);
  const DType dtype = initial.dtype();
  const Output steps = Cast(inside, decay_steps, dtype);
  const Output rate = Cast(inside, decay_rate, dtype);
  Output passed = Divide(inside, Cast(inside, global_step, dtype), steps);
  if (staircase) passed = Floor(inside, passed);
  const Output divisor = Add(inside, Multiply(inside, rate, passed), 1.0);
  return scope(Divide(inside.Named(inside.name_scope()), initial, divisor));
}

Output PiecewiseConstant(ScopeRef scope_ref, const Input& x, const std::vector<double>& boundaries,
                         const std::vector<double>& values, DType dtype) {
  const Scope scope = scope_ref.scope();
  if (values.size() != boundaries.size() + 1 ||
      !std::is_sorted(boundaries.begin(), boundaries.end())) {
    scope.Fail(
        InvalidArgument("PiecewiseConstant needs ascending boundaries and one value more; "
                        "it got ",
                        boundaries.size(), " boundaries and ", values.size(), " values"));
    return Output();
  }
  const Scope inside = scope.OpenScope("PiecewiseConstant");
  const Output position = AsOutput(inside.Named("x"), x);
  Output rate = Constant(inside, values.back(), dtype);
  for (size_t i = boundaries.size(); i-- > 0;) {
    const auto whole = static_cast<int64_t>(boundaries[i]);
    const bool is_count =
        IsInteger(position.dtype()) && static_cast<double>(whole) == boundaries[i];
    const Input boundary = is_count ? Input(whole) : Input(boundaries[i]);
    const Output below = LessEqual(inside, position, boundary);
    const Output value = Constant(inside, values[i], dtype);
    rate = BuildOutput(inside, "SelectV2", {below, value, rate});
  }
  return scope(rate);
}

Output PolynomialDecay(ScopeRef scope_ref, const Input& learning_rate, const Input& global_step,
                       double decay_steps, double end_learning_rate, double power, bool cycle) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("PolynomialDecay");
  const Output initial = AsOutput(inside.Named("initial_learning_rate"), learning_rate);
  const Output step = Cast(inside, global_step, initial.dtype());
  Output done;
  if (cycle) {
    // The first cycle has begun at step 0.
    const Output begun = BuildOutput(inside, "Ceil", {Divide(inside, step, decay_steps)});
    const Output length = Multiply(inside, Maximum(inside, begun, 1.0), decay_steps);
    done = Divide(inside, step, length);
  } else {
    done = Divide(inside, Minimum(inside, step, decay_steps), decay_steps);
  }
  const Output range = Subtract(inside, initial, end_learning_rate);
  const Output left = Pow(inside, Subtract(inside, 1.0, done), power);
  return scope(
      Add(inside.Named(inside.name_scope()), Multiply(inside, range, left), end_learning_rate));
}

namespace {

// (1 - alpha) * (1 + cos(π * done)) / 2 * scale + alpha.
Output CosineFactor(const Scope& scope, const Output& done, const Output& scale, double alpha) {
  const Output wave = BuildOutput(scope, "Cos", {Multiply(scope, done, M_PI)});
  Output factor = Multiply(scope, Add(scope, wave, 1.0), 0.5);
  if (scale.valid()) factor = Multiply(scope, factor, scale);
  return Add(scope, Multiply(scope, factor, 1.0 - alpha), alpha);
}

}  // namespace

Output CosineDecay(ScopeRef scope_ref, const Input& learning_rate, const Input& global_step,
                   double decay_steps, double alpha) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("CosineDecay");
  const Output initial = AsOutput(inside.Named("initial_learning_rate"), learning_rate);
  const Output step = Minimum(inside, Cast(inside, global_step, initial.dtype()), decay_steps);
  const Output done = Divide(inside, step, decay_steps);
  const Output factor = CosineFactor(inside, done, Output(), alpha);
  return scope(Multiply(inside.Named(inside.name_scope()), initial, factor));
}

namespace {

// The rate at `step` where the straight decay and the part done are these.
Output LinearTimesCosine(const Scope& inside, const Output& initial, const Output& linear,
                         const Output& done, double num_periods, double alpha, double beta) {
  const Output angle = Multiply(inside, Multiply(inside, done, 2 * num_periods), M_PI);
  const Output wave = Multiply(inside, Add(inside, BuildOutput(inside, "Cos", {angle}), 1.0), 0.5);
  const Output factor = Add(inside, Multiply(inside, Add(inside, linear, alpha), wave), beta);
  return Multiply(inside.Named(inside.name_scope()), initial, factor);
}

}  // namespace

Output LinearCosineDecay(ScopeRef scope_ref, const Input& learning_rate, const Input& global_step,
                         double decay_steps, double num_periods, double alpha, double beta) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("LinearCosineDecay");
  const Output initial = AsOutput(inside.Named("initial_learning_rate"), learning_rate);
  if (!scope.ok()) return Output();
  const Output step = Minimum(inside, Cast(inside, global_step, initial.dtype()), decay_steps);
  const Output linear = Divide(inside, Subtract(inside, decay_steps, step), decay_steps);
  const Output done = Divide(inside, step, decay_steps);
  return scope(LinearTimesCosine(inside, initial, linear, done, num_periods, alpha, beta));
}

Output NoisyLinearCosineDecay(ScopeRef scope_ref, const Input& learning_rate,
                              const Input& global_step, double decay_steps,
                              const NoisyDecayOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("NoisyLinearCosineDecay");
  const Output initial = AsOutput(inside.Named("initial_learning_rate"), learning_rate);
  if (!scope.ok()) return Output();
  const Output step = Minimum(inside, Cast(inside, global_step, initial.dtype()), decay_steps);
  const Output linear = Divide(inside, Subtract(inside, decay_steps, step), decay_steps);
  const Output variance = Divide(inside, options.first_variance,
                                 Pow(inside, Add(inside, step, 1.0), options.decay_of_variance));
  const Output deviation = BuildOutput(inside, "Sqrt", {variance});
  const Output noise = RandomNormal(inside, std::vector<int32_t>{}, 0, deviation, initial.dtype());
  const Output done = Divide(inside, step, decay_steps);
  return scope(LinearTimesCosine(inside, initial, Add(inside, linear, noise), done, options.periods,
                                 options.alpha_value, options.beta_value));
}

Output CosineDecayRestarts(ScopeRef scope_ref, const Input& learning_rate, const Input& global_step,
                           double first_decay_steps, double t_mul, double m_mul, double alpha) {
  const Scope scope = scope_ref.scope();
  if (!(first_decay_steps > 0) || !(t_mul >= 1)) {
    scope.Fail(
        InvalidArgument("CosineDecayRestarts needs first_decay_steps above 0 and t_mul of "
                        "at least 1; they are ",
                        first_decay_steps, " and ", t_mul));
    return Output();
  }
  const Scope inside = scope.OpenScope("SGDRDecay");
  const Output initial = AsOutput(inside.Named("initial_learning_rate"), learning_rate);
  const Output step = Cast(inside, global_step, initial.dtype());
  const Output passed = Divide(inside, step, first_decay_steps);
  Output restarts, done;
  if (t_mul == 1) {
    restarts = Floor(inside, passed);
    done = Subtract(inside, passed, restarts);
  } else {
    // Cycles are 1, t, t^2… long: n of them take (1 - t^n) / (1 - t).
    const Output inner = Subtract(inside, 1.0, Multiply(inside, passed, 1.0 - t_mul));
    restarts = Floor(inside, Divide(inside, Log(inside, inner), std::log(t_mul)));
    const Output length = Pow(inside, t_mul, restarts);
    const Output before = Divide(inside, Subtract(inside, 1.0, length), 1.0 - t_mul);
    done = Divide(inside, Subtract(inside, passed, before), length);
  }
  const Output scale = Pow(inside, m_mul, restarts);
  const Output factor = CosineFactor(inside, done, scale, alpha);
  return scope(Multiply(inside.Named(inside.name_scope()), initial, factor));
}

Output LinearWarmup(ScopeRef scope_ref, const Output& rate, const Input& global_step,
                    double warmup_steps) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("LinearWarmup");
  const Output step = Cast(inside, global_step, rate.dtype());
  const Output share = Minimum(inside, Divide(inside, step, warmup_steps), 1.0);
  return scope(Multiply(inside.Named(inside.name_scope()), rate, share));
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
