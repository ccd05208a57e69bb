// Gradient descent, then towards zero: by `l1` alike for all elements (small ones become zero), by
// `l2` as large as they are (tf.train.ProximalGradientDescentOptimizer).
//
//   ProximalGradientDescentOptimizer opt(0.1, /*l1=*/0.01);
//   Operation step = opt.Minimize(scope, loss, global_step);
//
// J. Duchi, Y. Singer, "Efficient learning using forward-backward splitting", 2009.
//
// Ownership, thread safety, errors: as Optimizer.
#ifndef WARPBEAM_FRONTEND_TRAINING_PROXIMAL_GRADIENT_DESCENT_H_
#define WARPBEAM_FRONTEND_TRAINING_PROXIMAL_GRADIENT_DESCENT_H_

#include <string>
#include <utility>
#include <vector>

#include "frontend/training/optimizer.h"

namespace warpbeam {
namespace frontend {
namespace train {

class ProximalGradientDescentOptimizer final : public Optimizer {
 public:
  explicit ProximalGradientDescentOptimizer(const Input& learning_rate, double l1 = 0,
                                            double l2 = 0,
                                            std::string name = "ProximalGradientDescent")
      : Optimizer(std::move(name)), learning_rate_(learning_rate), l1_value_(l1), l2_value_(l2) {}

 protected:
  void Prepare(const Scope& scope) override;
  Operation ApplyDense(const Scope& scope, const Output& gradient,
                       const Variable& variable) override;
  Operation ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                        const Variable& variable) override;

 private:
  const Input learning_rate_;
  const double l1_value_, l2_value_;
  Output rate_, l1_, l2_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_PROXIMAL_GRADIENT_DESCENT_H_
