// Momentum: the gradients of before go on having an effect (tf.train.MomentumOptimizer).
//
//   MomentumOptimizer opt(0.01, 0.9, /*use_nesterov=*/true);
//   Operation step = opt.Minimize(scope, loss, global_step);
//
// The slot "momentum" is the variable "w/Momentum".
//
// Ownership, thread safety, errors: as Optimizer.
#ifndef WARPBEAM_FRONTEND_TRAINING_MOMENTUM_H_
#define WARPBEAM_FRONTEND_TRAINING_MOMENTUM_H_

#include <string>
#include <utility>
#include <vector>

#include "frontend/training/optimizer.h"

namespace warpbeam {
namespace frontend {
namespace train {

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

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_MOMENTUM_H_
