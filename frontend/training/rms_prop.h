// RMSProp: steps by the root of a decaying mean square of the gradients
// (tf.train.RMSPropOptimizer).
//
//   RMSPropOptimizer opt(0.01, RMSPropOptions().momentum(0.9).centered(true));
//   Operation step = opt.Minimize(scope, loss, global_step);
//
// The slots "rms", "mg" (of the centered one only) and "momentum" are the variables "w/RMSProp",
// "w/RMSProp_1"….
//
// Ownership, thread safety, errors: as Optimizer.
#ifndef WARPBEAM_FRONTEND_TRAINING_RMS_PROP_H_
#define WARPBEAM_FRONTEND_TRAINING_RMS_PROP_H_

#include <string>
#include <utility>
#include <vector>

#include "frontend/training/optimizer.h"

namespace warpbeam {
namespace frontend {
namespace train {

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

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_RMS_PROP_H_
