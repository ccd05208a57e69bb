// ExponentialMovingAverage: shadow variables that follow others slowly
// (tf.train.ExponentialMovingAverage).
//
//   ExponentialMovingAverage ema(0.99, global_step);
//   Operation average = ema.Apply(scope, TrainableVariables(scope));
//   Variable shadow = ema.Average(w);                       // "layer1/w/ExponentialMovingAverage"
//
// Apply makes the shadows, beside their variables and with the variables' initial values, and the
// operation that moves them: shadow -= (1 - decay) * (shadow - variable). With `num_updates` the
// decay is min(decay, (1 + num_updates) / (10 + num_updates)), so that averages move fast at first.
// Names are TensorFlow's, and checkpoints go both ways.
//
// Ownership: needed while the graph is built. Thread safety: that of the Scope. Errors: kept in the
// scope.
#ifndef WARPBEAM_FRONTEND_TRAINING_MOVING_AVERAGE_H_
#define WARPBEAM_FRONTEND_TRAINING_MOVING_AVERAGE_H_

#include <map>
#include <string>
#include <vector>

#include "frontend/input.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {
namespace train {

class ExponentialMovingAverage {
 public:
  explicit ExponentialMovingAverage(double decay, const Output& num_updates = Output(),
                                    std::string name = "ExponentialMovingAverage")
      : decay_(decay), num_updates_(num_updates), name_(std::move(name)) {}

  // May be called again for further variables; each is averaged once per run of the operation.
  Operation Apply(ScopeRef scope, const std::vector<Variable>& variables);
  // The shadow; not valid for a variable that was not applied.
  Variable Average(const Variable& variable) const;
  // The name under which the shadow is saved.
  std::string AverageName(const Variable& variable) const;
  // What a Saver is given to restore a model for use: averages in the place of the variables that
  // have one, `averaged` (by default the trainable variables and those applied), and all other
  // global variables by their own names.
  std::map<std::string, Variable> VariablesToRestore(
      const Scope& scope, const std::vector<Variable>& averaged = {}) const;
  const std::string& name() const { return name_; }

 private:
  Variable MakeShadow(const Scope& scope, const Variable& variable);
  Output Decay(const Scope& scope) const;

  const double decay_;
  const Output num_updates_;
  const std::string name_;
  std::map<Variable, Variable, VariableOrder> shadows_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_MOVING_AVERAGE_H_
