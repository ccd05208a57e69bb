// OptimizeLoss: a training step with what goes with it (tf.contrib.layers.optimize_loss): a
// learning rate that may decay, noise on gradients, gradients clipped and multiplied, summaries.
//
//   contrib::layers::OptimizeLossOptions options;
//   options.clip_gradients(5.0).learning_rate_decay_fn([](const Scope& s, const Output& rate,
//                                                         const Variable& step) {
//     return train::ExponentialDecay(s, rate, step, 1000, 0.96);
//   });
//   Output train = contrib::layers::OptimizeLoss(scope, loss, global_step, 0.1, "Adam", options);
//
// What it gives is the loss, computed when the step has been made. Update operations, such as those
// of batch normalization, run before the loss.
//
// Ownership: none. Thread safety: that of the Scope. Errors: a loss that is no scalar, a negative
// rate, an unknown optimizer, a decay without a global step; kept in the scope.
#ifndef WARPBEAM_FRONTEND_CONTRIB_OPTIMIZE_LOSS_H_
#define WARPBEAM_FRONTEND_CONTRIB_OPTIMIZE_LOSS_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/training/optimizer.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace layers {

using OptimizerFunction =
    std::function<std::shared_ptr<train::Optimizer>(const Output& learning_rate)>;
using DecayFunction = std::function<Output(const Scope& scope, const Output& learning_rate,
                                           const Variable& global_step)>;

struct OptimizeLossOptions {
  // Normal noise of this many times the deviation (1 of the gradient's shape) is added.
  OptimizeLossOptions& gradient_noise_scale(double value) { return noise_scale = value, *this; }
  // What the gradients of variables are multiplied by.
  OptimizeLossOptions& gradient_multipliers(std::map<Variable, double, VariableOrder> value) {
    return multipliers = std::move(value), *this;
  }
  // The norm of all gradients together at most.
  OptimizeLossOptions& clip_gradients(double value) { return most_norm = value, *this; }
  OptimizeLossOptions& learning_rate_decay_fn(DecayFunction value) {
    return decay = std::move(value), *this;
  }
  // Instead of those in GraphKeys::kUpdateOps.
  OptimizeLossOptions& update_ops(std::vector<Operation> value) {
    return updates = std::move(value), *this;
  }
  // Instead of the trainable ones.
  OptimizeLossOptions& variables(std::vector<Variable> value) {
    return optimized = std::move(value), *this;
  }
  // Of "loss", "learning_rate", "gradients", "gradient_norm" and "global_gradient_norm".
  OptimizeLossOptions& summaries(std::vector<std::string> value) {
    return told = std::move(value), *this;
  }
  OptimizeLossOptions& increment_global_step(bool value) { return counts = value, *this; }

  std::optional<double> noise_scale;
  std::map<Variable, double, VariableOrder> multipliers;
  std::optional<double> most_norm;
  DecayFunction decay;
  std::optional<std::vector<Operation>> updates;
  std::vector<Variable> optimized;
  std::vector<std::string> told = {"loss", "learning_rate", "global_gradient_norm"};
  bool counts = true;
};

// `learning_rate` is a number, which becomes the variable "OptimizeLoss/learning_rate", or a
// tensor. `optimizer` is "Adagrad", "Adam", "Ftrl", "Momentum" (of 0.9), "RMSProp" or "SGD".
Output OptimizeLoss(ScopeRef scope, const Output& loss, const Variable& global_step,
                    const Input& learning_rate, const std::string& optimizer,
                    const OptimizeLossOptions& options = OptimizeLossOptions());
Output OptimizeLoss(ScopeRef scope, const Output& loss, const Variable& global_step,
                    const Input& learning_rate, const OptimizerFunction& optimizer,
                    const OptimizeLossOptions& options = OptimizeLossOptions());

}  // namespace layers
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTRIB_OPTIMIZE_LOSS_H_
