// Adadelta: steps in the unit of the variable itself, by the ratio of two decaying mean squares, of
// past steps and of gradients (tf.train.AdadeltaOptimizer).
//
//   AdadeltaOptimizer opt(1.0, /*rho=*/0.95, /*epsilon=*/1e-6);
//   Operation step = opt.Minimize(scope, loss, global_step);
//
// The slots "accum" and "accum_update" are the variables "w/Adadelta" and "w/Adadelta_1".
//
// M. D. Zeiler, "Adadelta: an adaptive learning rate method", arXiv:1212.5701; there the learning
// rate is 1.
//
// Ownership, thread safety, errors: as Optimizer.
#ifndef WARPBEAM_FRONTEND_TRAINING_ADADELTA_H_
#define WARPBEAM_FRONTEND_TRAINING_ADADELTA_H_

#include <string>
#include <utility>
#include <vector>

#include "frontend/training/optimizer.h"

namespace warpbeam {
namespace frontend {
namespace train {

class AdadeltaOptimizer final : public Optimizer {
 public:
  explicit AdadeltaOptimizer(const Input& learning_rate = 0.001, const Input& rho = 0.95,
                             const Input& epsilon = 1e-8, std::string name = "Adadelta")
      : Optimizer(std::move(name)),
        learning_rate_(learning_rate),
        rho_value_(rho),
        epsilon_value_(epsilon) {}

 protected:
  void CreateSlots(const Scope& scope, const std::vector<Variable>& variables) override;
  void Prepare(const Scope& scope) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const Variable& variable) override;
  Operation ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                        const Variable& variable) override;

 private:
  const Input learning_rate_, rho_value_, epsilon_value_;
  Output rate_, rho_, epsilon_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_ADADELTA_H_
