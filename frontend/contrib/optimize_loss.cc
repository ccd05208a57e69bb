#include "frontend/contrib/optimize_loss.h"

#include <algorithm>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/clip.h"
#include "frontend/collections.h"
#include "frontend/layers/normalization.h"
#include "frontend/math.h"
#include "frontend/random.h"
#include "frontend/summary/summary.h"
#include "frontend/training/slot_optimizers.h"
#include "frontend/variables/variable_scope.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace layers {
namespace {

using train::GradientAndVariable;

OptimizerFunction OptimizerNamed(const Scope& scope, const std::string& name) {
  if (name == "Adagrad") {
    return [](const Output& rate) { return std::make_shared<train::AdagradOptimizer>(rate); };
  }
  if (name == "Adam") {
    return [](const Output& rate) { return std::make_shared<train::AdamOptimizer>(rate); };
  }
  if (name == "Ftrl") {
    return [](const Output& rate) { return std::make_shared<train::FtrlOptimizer>(rate); };
  }
  if (name == "Momentum") {
    return [](const Output& rate) { return std::make_shared<train::MomentumOptimizer>(rate, 0.9); };
  }
  if (name == "RMSProp") {
    return [](const Output& rate) { return std::make_shared<train::RMSPropOptimizer>(rate); };
  }
  if (name == "SGD") {
    return
        [](const Output& rate) { return std::make_shared<train::GradientDescentOptimizer>(rate); };
  }
  scope.Fail(InvalidArgument("OptimizeLoss: there is no optimizer '", name, "'; those with names ",
                             "are Adagrad, Adam, Ftrl, Momentum, RMSProp and SGD"));
  return nullptr;
}

// The part of a gradient that has numbers, and the gradient with others in their place.
Output NumbersOf(const Gradient& gradient) {
  return gradient.is_slices() ? gradient.slices().values : gradient.dense();
}
Gradient WithNumbers(const Gradient& gradient, const Output& numbers) {
  if (!gradient.is_slices()) return numbers;
  return IndexedSlices{numbers, gradient.slices().indices, gradient.slices().dense_shape};
}

class Step {
 public:
  Step(const Scope& scope, const OptimizeLossOptions& options) : scope_(scope), options_(options) {}

  bool Tells(const char* what) const {
    return std::find(options_.told.begin(), options_.told.end(), what) != options_.told.end();
  }

  // The loss behind the operations that come before it.
  Output After(const Output& loss) const {
    const std::vector<Operation> updates =
        options_.updates.value_or(::warpbeam::frontend::layers::UpdateOps(scope_));
    if (updates.empty()) return loss;
    return Identity(scope_.ControlDependencies(updates).Named("control_dependency"), loss);
  }

  Output Rate(const Input& given, const Variable& global_step) const {
    Output rate;
    if (given.is_value()) {
      const StatusOr<Tensor> number = given.ValueAs(DType::kFloat);
      if (!number.ok() || number->num_elements() != 1 || !(number->data<float>()[0] >= 0)) {
        scope_.Fail(InvalidArgument("OptimizeLoss: the learning rate must be a number and not ",
                                    "negative"));
        return Output();
      }
      rate = GetVariable(scope_, "learning_rate", {},
                         GetVariableOptions()
                             .initializer(ConstantInitializer(number->data<float>()[0]))
                             .trainable(false));
    } else {
      rate = AsOutput(scope_, given);
    }
    if (options_.decay == nullptr) return rate;
    if (!global_step.valid()) {
      scope_.Fail(InvalidArgument("OptimizeLoss: a learning rate that decays needs a global step"));
      return Output();
    }
    rate = options_.decay(scope_, rate, global_step);
    if (Tells("learning_rate")) summary::Scalar(scope_, "learning_rate", rate);
    return rate;
  }

  void AddNoise(std::vector<GradientAndVariable>* gradients) const {
    if (!options_.noise_scale.has_value()) return;
    for (GradientAndVariable& entry : *gradients) {
      if (!entry.gradient.has_value()) continue;
      const Output dense = entry.gradient.dense();
      const Output noise =
          TruncatedNormal(scope_, BuildOutput(scope_, "Shape", {dense}), 0, 1, dense.dtype());
      entry.gradient = Add(scope_, dense, Multiply(scope_, noise, *options_.noise_scale));
    }
  }

  void MultiplySome(std::vector<GradientAndVariable>* gradients) const {
    for (GradientAndVariable& entry : *gradients) {
      const auto found = options_.multipliers.find(entry.variable);
      if (found == options_.multipliers.end() || !entry.gradient.has_value()) continue;
      const Output numbers = NumbersOf(entry.gradient);
      entry.gradient = WithNumbers(entry.gradient, Multiply(scope_, numbers, found->second));
    }
  }

  void Clip(std::vector<GradientAndVariable>* gradients) const {
    if (Tells("global_gradient_norm") || Tells("gradient_norm")) {
      TellNorm("global_norm/gradient_norm", *gradients);
    }
    if (!options_.most_norm.has_value()) return;
    const std::vector<Gradient> clipped =
        ClipByGlobalNorm(scope_, AllOf(*gradients), *options_.most_norm).first;
    for (size_t i = 0; i < clipped.size() && i < gradients->size(); ++i) {
      (*gradients)[i].gradient = clipped[i];
    }
    if (Tells("global_gradient_norm") || Tells("gradient_norm")) {
      TellNorm("global_norm/clipped_gradient_norm", *gradients);
    }
  }

  void TellOfEach(const std::vector<GradientAndVariable>& gradients) const {
    for (const GradientAndVariable& entry : gradients) {
      if (!entry.gradient.has_value()) continue;
      const Output numbers = NumbersOf(entry.gradient);
      const std::string name = entry.variable.name();
      if (Tells("gradients")) summary::Histogram(scope_, "gradients/" + name, numbers);
      if (Tells("gradient_norm")) {
        summary::Scalar(scope_, "gradient_norm/" + name, GlobalNorm(scope_, {Gradient(numbers)}));
      }
    }
  }

 private:
  static std::vector<Gradient> AllOf(const std::vector<GradientAndVariable>& entries) {
    std::vector<Gradient> gradients;
    for (const GradientAndVariable& entry : entries) gradients.push_back(entry.gradient);
    return gradients;
  }
  void TellNorm(const char* name, const std::vector<GradientAndVariable>& gradients) const {
    summary::Scalar(scope_, name, GlobalNorm(scope_, AllOf(gradients)));
  }

  const Scope& scope_;
  const OptimizeLossOptions& options_;
};

}  // namespace

Output OptimizeLoss(ScopeRef scope_ref, const Output& given_loss, const Variable& global_step,
                    const Input& learning_rate, const OptimizerFunction& optimizer,
                    const OptimizeLossOptions& options) {
  const Scope scope = scope_ref.scope();
  if (scope.ok() && given_loss.rank() > 0) {
    scope.Fail(InvalidArgument("OptimizeLoss: the loss '", given_loss.name(),
                               "' must be a scalar, ", "its shape is ",
                               given_loss.shape().ToString()));
  }
  if (optimizer == nullptr) scope.Fail(InvalidArgument("OptimizeLoss: there is no optimizer"));
  if (!scope.ok()) return Output();
  const std::string name = scope.OpNameOr("");
  const Scope inside =
      name.empty() ? scope.DefaultVariableScope("OptimizeLoss") : scope.VariableScope(name);
  const Step step(inside, options);
  const Output loss = step.After(given_loss);
  const Output rate = step.Rate(learning_rate, global_step);
  if (!scope.ok()) return Output();
  const std::shared_ptr<train::Optimizer> made = optimizer(rate);
  if (made == nullptr) {
    scope.Fail(InvalidArgument("OptimizeLoss: the function gave no optimizer"));
    return Output();
  }
  train::ComputeGradientsOptions compute;
  compute.variables(options.optimized);
  std::vector<GradientAndVariable> gradients = made->ComputeGradients(inside, loss, compute);
  if (!scope.ok()) return Output();
  step.AddNoise(&gradients);
  step.MultiplySome(&gradients);
  step.Clip(&gradients);
  if (step.Tells("loss")) summary::Scalar(inside, "loss", loss);
  step.TellOfEach(gradients);
  const Operation applied = made->ApplyGradients(inside.Named("train"), gradients,
                                                 options.counts ? global_step : Variable());
  if (!scope.ok()) return Output();
  return scope(Identity(inside.ControlDependencies({applied}).Named("control_dependency"), loss));
}

Output OptimizeLoss(ScopeRef scope_ref, const Output& loss, const Variable& global_step,
                    const Input& learning_rate, const std::string& optimizer,
                    const OptimizeLossOptions& options) {
  const Scope scope = scope_ref.scope();
  const OptimizerFunction function = OptimizerNamed(scope, optimizer);
  if (!scope.ok()) return Output();
  return OptimizeLoss(scope, loss, global_step, learning_rate, function, options);
}

}  // namespace layers
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
