// Adam: steps by the ratio of two decaying moments of the gradients (tf.train.AdamOptimizer), and
// AdamW, which decays the weights beside it (tf.contrib.opt.AdamWOptimizer).
//
//   AdamOptimizer opt(0.001, AdamOptions().beta1(0.8));
//   AdamWOptimizer decaying(/*weight_decay=*/0.01, 0.001);
//   decaying.set_decay_variables({w});                                // biases stay as they are
//   Operation step = decaying.Minimize(scope, loss, global_step);
//
// The slots "m" and "v" are the variables "w/Adam" and "w/Adam_1" ("w/AdamW"…); "beta1_power" and
// "beta2_power" are one for all variables. The moments of all rows decay, also of those that a
// sparse gradient does not name, as in TensorFlow.
//
// D. P. Kingma, J. Ba, "Adam: a method for stochastic optimization", arXiv:1412.6980; I.
// Loshchilov, F. Hutter, "Decoupled weight decay regularization", arXiv:1711.05101.
//
// Ownership, thread safety, errors: as Optimizer. An optimizer builds for one graph.
#ifndef WARPBEAM_FRONTEND_TRAINING_ADAM_H_
#define WARPBEAM_FRONTEND_TRAINING_ADAM_H_

#include <string>
#include <utility>
#include <vector>

#include "frontend/training/optimizer.h"

namespace warpbeam {
namespace frontend {
namespace train {

struct AdamOptions {
  AdamOptions& beta1(double value) {
    beta1_value = value;
    return *this;
  }
  AdamOptions& beta2(double value) {
    beta2_value = value;
    return *this;
  }
  AdamOptions& epsilon(double value) {
    epsilon_value = value;
    return *this;
  }

  double beta1_value = 0.9;
  double beta2_value = 0.999;
  double epsilon_value = 1e-8;
};

class AdamOptimizer : public Optimizer {
 public:
  explicit AdamOptimizer(const Input& learning_rate = 0.001,
                         const AdamOptions& options = AdamOptions(), std::string name = "Adam")
      : Optimizer(std::move(name)), learning_rate_(learning_rate), options_(options) {}

 protected:
  void CreateSlots(const Scope& scope, const std::vector<Variable>& variables) override;
  std::vector<Variable> NonSlotVariables() const override;
  void Prepare(const Scope& scope) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const Variable& variable) override;
  Operation ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                        const Variable& variable) override;
  // The update of the rows of `gradient`, in which none occurs twice.
  Operation ApplyRows(const Scope& scope, const IndexedSlices& gradient, const Variable& variable);
  // The powers of the betas grow after all updates have used them.
  Operation Finish(const Scope& scope, const std::vector<Operation>& updates) override;

  // slot = decay * slot, then (1 - decay) * values to its rows; the slot after that.
  Output Decay(const Scope& scope, const Variable& slot, const Output& decay, const Output& indices,
               const Output& values);

  const Input learning_rate_;
  const AdamOptions options_;
  // The betas to the power of the steps so far and one, for all variables.
  Variable beta1_power_, beta2_power_;
  Output rate_, beta1_, beta2_, epsilon_;
};

// Adam on variable - weight_decay * variable: the decay is no part of the gradient, nor multiplied
// by the learning rate. A sparse gradient decays its rows alone.
//
// The decay of a variable waits for the variable's gradient, which it would otherwise change: the
// one edge that TensorFlow's graph does not have.
class AdamWOptimizer final : public AdamOptimizer {
 public:
  explicit AdamWOptimizer(const Input& weight_decay, const Input& learning_rate = 0.001,
                          const AdamOptions& options = AdamOptions(), std::string name = "AdamW")
      : AdamOptimizer(learning_rate, options, std::move(name)), weight_decay_(weight_decay) {}

  // The variables that decay, instead of all.
  void set_decay_variables(std::vector<Variable> variables) {
    decay_variables_ = std::move(variables);
  }

 protected:
  void Prepare(const Scope& scope) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const Variable& variable) override;
  Operation ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                        const Variable& variable) override;

 private:
  bool Decays(const Variable& variable) const;

  const Input weight_decay_;
  std::vector<Variable> decay_variables_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_ADAM_H_
