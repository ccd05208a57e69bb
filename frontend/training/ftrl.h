// Ftrl: follow the regularised leader, each element with a rate of its own
// (tf.train.FtrlOptimizer).
//
//   FtrlOptimizer opt(0.1, FtrlOptions().l1(0.01).l2_shrinkage(0.1));
//   Operation step = opt.Minimize(scope, loss, global_step);
//
// The slots "accum" and "linear" are the variables "w/Ftrl" and "w/Ftrl_1", unless the options name
// them. `l2` bounds the weights of the leader, `l2_shrinkage` is a penalty on large weights that is
// added to the loss.
//
// H. B. McMahan et al., "Ad click prediction: a view from the trenches", 2013.
//
// Ownership, thread safety: as Optimizer. Errors: as Optimizer; a negative strength or initial
// value and a positive power are INVALID_ARGUMENT.
#ifndef WARPBEAM_FRONTEND_TRAINING_FTRL_H_
#define WARPBEAM_FRONTEND_TRAINING_FTRL_H_

#include <string>
#include <utility>
#include <vector>

#include "frontend/training/optimizer.h"

namespace warpbeam {
namespace frontend {
namespace train {

struct FtrlOptions {
  FtrlOptions& learning_rate_power(double value) {
    power_value = value;
    return *this;
  }
  FtrlOptions& initial_accumulator_value(double value) {
    initial_value = value;
    return *this;
  }
  FtrlOptions& l1(double value) {
    l1_value = value;
    return *this;
  }
  FtrlOptions& l2(double value) {
    l2_value = value;
    return *this;
  }
  FtrlOptions& l2_shrinkage(double value) {
    l2_shrinkage_value = value;
    return *this;
  }
  // The larger, the smaller the first steps.
  FtrlOptions& beta(double value) {
    beta_value = value;
    return *this;
  }
  // What the slots' variables are called below the variable, instead of as the optimizer.
  FtrlOptions& accum_name(std::string value) {
    accum = std::move(value);
    return *this;
  }
  FtrlOptions& linear_name(std::string value) {
    linear = std::move(value);
    return *this;
  }

  double power_value = -0.5;
  double initial_value = 0.1;
  double l1_value = 0;
  double l2_value = 0;
  double l2_shrinkage_value = 0;
  double beta_value = 0;
  std::string accum, linear;
};

class FtrlOptimizer final : public Optimizer {
 public:
  explicit FtrlOptimizer(const Input& learning_rate, const FtrlOptions& options = FtrlOptions(),
                         std::string name = "Ftrl")
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
  const FtrlOptions options_;
  Output rate_, l1_, l2_, l2_shrinkage_, power_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_FTRL_H_
