// Lamb: Adam for large batches, each variable's step as long as the variable is large. TensorFlow 1
// has none; names and checkpoints are made as Adam's are.
//
//   LambOptimizer opt(0.002, LambOptions().weight_decay(0.01));
//   opt.set_decay_variables({w});                                     // biases do not decay
//   Operation step = opt.Minimize(scope, loss, global_step);
//
//   m = beta1 * m + (1 - beta1) * g,  v = beta2 * v + (1 - beta2) * g * g
//   r = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon) + weight_decay * w
//   w -= learning_rate * |w| / |r| * r                    (the ratio is 1 where |w| or |r| is 0)
//
// The slots "m" and "v" are the variables "w/LAMB" and "w/LAMB_1"; "beta1_power" and "beta2_power"
// are one for all variables. Since the step of a row depends on the whole variable, a sparse
// gradient moves all rows.
//
// Y. You et al., "Large batch optimization for deep learning", arXiv:1904.00962, algorithm 2, with
// the identity as the function of |w|.
//
// Ownership, thread safety, errors: as Optimizer. An optimizer builds for one graph.
#ifndef WARPBEAM_FRONTEND_TRAINING_LAMB_H_
#define WARPBEAM_FRONTEND_TRAINING_LAMB_H_

#include <string>
#include <utility>
#include <vector>

#include "frontend/training/adam.h"

namespace warpbeam {
namespace frontend {
namespace train {

struct LambOptions {
  LambOptions& beta1(double value) {
    adam.beta1(value);
    return *this;
  }
  LambOptions& beta2(double value) {
    adam.beta2(value);
    return *this;
  }
  LambOptions& epsilon(double value) {
    adam.epsilon(value);
    return *this;
  }
  LambOptions& weight_decay(double value) {
    weight_decay_value = value;
    return *this;
  }

  AdamOptions adam = AdamOptions().epsilon(1e-6);
  double weight_decay_value = 0;
};

class LambOptimizer final : public AdamOptimizer {
 public:
  explicit LambOptimizer(const Input& learning_rate = 0.001,
                         const LambOptions& options = LambOptions(), std::string name = "LAMB")
      : AdamOptimizer(learning_rate, options.adam, std::move(name)),
        weight_decay_(options.weight_decay_value) {}

  // The variables that decay, instead of all.
  void set_decay_variables(std::vector<Variable> variables) {
    decay_variables_ = std::move(variables);
  }

 protected:
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const Variable& variable) override;
  Operation ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                        const Variable& variable) override;

 private:
  // slot = decay * slot + (1 - decay) * values; the slot after that.
  Output Grow(const Scope& scope, const Variable& slot, const Output& decay, const Output& values);
  // The step that follows from the moments.
  Operation Step(const Scope& scope, const Output& m, const Output& v, const Variable& variable);

  const double weight_decay_;
  std::vector<Variable> decay_variables_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_LAMB_H_
