// Optimizers that keep variables beside each variable: Adam, momentum, RMSProp, Adagrad.
//
//   AdamOptimizer opt(0.001, AdamOptions().beta1(0.8));
//   Operation step = opt.Minimize(scope, loss, global_step);
//   session.Run({GlobalVariablesInitializer(scope)});       // initialises the slots, too
//
// The slots have TensorFlow's names, so that its checkpoints fit: "w/Adam" and "w/Adam_1",
// "beta1_power", "beta2_power"; "w/Momentum"; "w/RMSProp", "w/RMSProp_1", …; "w/Adagrad". They are
// global variables, not trainable, on their variable's device. `GetSlot` gives them by what they
// hold: "m", "v"; "momentum"; "rms", "mg", "momentum"; "accumulator".
//
// A sparse gradient changes only its rows, and each once, however often an index occurs. Of Adam
// all rows move, since the moments of all decay, as in TensorFlow.
//
// Ownership, thread safety, errors: as Optimizer. An optimizer builds for one graph.
#ifndef WARPBEAM_FRONTEND_TRAINING_SLOT_OPTIMIZERS_H_
#define WARPBEAM_FRONTEND_TRAINING_SLOT_OPTIMIZERS_H_

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

class AdamOptimizer final : public Optimizer {
 public:
  explicit AdamOptimizer(const Input& learning_rate = 0.001,
                         const AdamOptions& options = AdamOptions(), std::string name = "Adam")
      : Optimizer(std::move(name)), learning_rate_(learning_rate), options_(options) {}

 protected:
  void CreateSlots(const Scope& scope, const std::vector<Variable>& variables) override;
  void Prepare(const Scope& scope) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const Variable& variable) override;
  Operation ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                        const Variable& variable) override;
  // The powers of the betas grow after all updates have used them.
  Operation Finish(const Scope& scope, const std::vector<Operation>& updates) override;

 private:
  // slot = decay * slot, then one_less_decay * values to its rows; the slot after that.
  Output Decay(const Scope& scope, const Variable& slot, const Output& decay, const Output& indices,
               const Output& values);

  const Input learning_rate_;
  const AdamOptions options_;
  Variable beta1_power_, beta2_power_;
  Output rate_, beta1_, beta2_, epsilon_;
};

// accumulator = momentum * accumulator + gradient; variable -= learning_rate * accumulator.
class MomentumOptimizer final : public Optimizer {
 public:
  MomentumOptimizer(const Input& learning_rate, const Input& momentum, bool use_nesterov = false,
                    std::string name = "Momentum")
      : Optimizer(std::move(name)),
        learning_rate_(learning_rate),
        momentum_value_(momentum),
        use_nesterov_(use_nesterov) {}

 protected:
  void CreateSlots(const Scope& scope, const std::vector<Variable>& variables) override;
  void Prepare(const Scope& scope) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const Variable& variable) override;
  Operation ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                        const Variable& variable) override;

 private:
  const Input learning_rate_, momentum_value_;
  const bool use_nesterov_;
  Output rate_, momentum_;
};

struct RMSPropOptions {
  RMSPropOptions& decay(double value) {
    decay_value = value;
    return *this;
  }
  RMSPropOptions& momentum(double value) {
    momentum_value = value;
    return *this;
  }
  RMSPropOptions& epsilon(double value) {
    epsilon_value = value;
    return *this;
  }
  // By the variance of the gradients instead of their mean square.
  RMSPropOptions& centered(bool value) {
    is_centered = value;
    return *this;
  }

  double decay_value = 0.9;
  double momentum_value = 0;
  double epsilon_value = 1e-10;
  bool is_centered = false;
};

class RMSPropOptimizer final : public Optimizer {
 public:
  explicit RMSPropOptimizer(const Input& learning_rate,
                            const RMSPropOptions& options = RMSPropOptions(),
                            std::string name = "RMSProp")
      : Optimizer(std::move(name)), learning_rate_(learning_rate), options_(options) {}

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

  const Input learning_rate_;
  const RMSPropOptions options_;
  Output rate_, decay_, momentum_, epsilon_;
};

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

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_SLOT_OPTIMIZERS_H_
