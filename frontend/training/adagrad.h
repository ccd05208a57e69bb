// Adagrad and the optimizers that are made of it: steps by the root of all squared gradients so
// far.
//
//   AdagradOptimizer opt(0.1);                                       // tf.train.AdagradOptimizer
//   ProximalAdagradOptimizer sparse(0.1, 0.1, /*l1=*/0.01);
//   AdagradDAOptimizer dual(0.1, global_step, AdagradDAOptions().l1(0.01));
//
// The slots are "accumulator" ("w/Adagrad", "w/ProximalAdagrad"); of AdagradDA
// "gradient_accumulator" and "gradient_squared_accumulator" ("w/AdagradDA", "w/AdagradDA_1").
//
// J. Duchi et al., "Adaptive subgradient methods for online learning and stochastic optimization",
// 2011; the proximal form: J. Duchi, Y. Singer, "Efficient learning using forward-backward
// splitting", 2009.
//
// Ownership, thread safety: as Optimizer. Errors: as Optimizer; an initial value that is not
// positive is INVALID_ARGUMENT.
#ifndef WARPBEAM_FRONTEND_TRAINING_ADAGRAD_H_
#define WARPBEAM_FRONTEND_TRAINING_ADAGRAD_H_

#include <string>
#include <utility>
#include <vector>

#include "frontend/training/optimizer.h"

namespace warpbeam {
namespace frontend {
namespace train {

// accumulator += gradient^2; variable -= learning_rate * gradient / sqrt(accumulator).
class AdagradOptimizer final : public Optimizer {
 public:
  explicit AdagradOptimizer(const Input& learning_rate, double initial_accumulator_value = 0.1,
                            std::string name = "Adagrad")
      : Optimizer(std::move(name)),
        learning_rate_(learning_rate),
        initial_accumulator_value_(initial_accumulator_value) {}

 protected:
  void CreateSlots(const Scope& scope, const std::vector<Variable>& variables) override;
  void Prepare(const Scope& scope) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const Variable& variable) override;
  Operation ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                        const Variable& variable) override;

 private:
  const Input learning_rate_;
  const double initial_accumulator_value_;
  Output rate_;
};

// Adagrad, then towards zero: by `l1` alike for all elements, by `l2` as large as they are.
class ProximalAdagradOptimizer final : public Optimizer {
 public:
  explicit ProximalAdagradOptimizer(const Input& learning_rate,
                                    double initial_accumulator_value = 0.1, double l1 = 0,
                                    double l2 = 0, std::string name = "ProximalAdagrad")
      : Optimizer(std::move(name)),
        learning_rate_(learning_rate),
        initial_accumulator_value_(initial_accumulator_value),
        l1_value_(l1),
        l2_value_(l2) {}

 protected:
  void CreateSlots(const Scope& scope, const std::vector<Variable>& variables) override;
  void Prepare(const Scope& scope) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const Variable& variable) override;
  Operation ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                        const Variable& variable) override;

 private:
  const Input learning_rate_;
  const double initial_accumulator_value_, l1_value_, l2_value_;
  Output rate_, l1_, l2_;
};

struct AdagradDAOptions {
  AdagradDAOptions& initial_gradient_squared_accumulator_value(double value) {
    initial_value = value;
    return *this;
  }
  AdagradDAOptions& l1(double value) {
    l1_value = value;
    return *this;
  }
  AdagradDAOptions& l2(double value) {
    l2_value = value;
    return *this;
  }

  double initial_value = 0.1;
  double l1_value = 0;
  double l2_value = 0;
};

// Adagrad of dual averages: each step gives the best weights for the sum of all gradients so far,
// so that with `l1` weights without evidence are exactly zero. What the variable began with is
// forgotten. `global_step` says how many steps there have been.
class AdagradDAOptimizer final : public Optimizer {
 public:
  AdagradDAOptimizer(const Input& learning_rate, const Input& global_step,
                     const AdagradDAOptions& options = AdagradDAOptions(),
                     std::string name = "AdagradDA")
      : Optimizer(std::move(name)),
        learning_rate_(learning_rate),
        global_step_(global_step),
        options_(options) {}

 protected:
  void CreateSlots(const Scope& scope, const std::vector<Variable>& variables) override;
  void Prepare(const Scope& scope) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const Variable& variable) override;
  Operation ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                        const Variable& variable) override;

 private:
  // `indices` is not valid for a dense gradient.
  Operation Apply(const Scope& scope, const Output& gradient, const Output& indices,
                  const Variable& variable);

  const Input learning_rate_, global_step_;
  const AdagradDAOptions options_;
  Output rate_, next_step_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_ADAGRAD_H_
