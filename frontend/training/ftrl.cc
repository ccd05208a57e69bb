#include "frontend/training/ftrl.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {

void FtrlOptimizer::CreateSlots(const Scope& scope, const std::vector<Variable>& variables) {
  for (const auto& [what, value] : std::vector<std::pair<const char*, double>>{
           {"the accumulator's initial value", options_.initial_value},
           {"l1", options_.l1_value},
           {"l2", options_.l2_value},
           {"l2_shrinkage", options_.l2_shrinkage_value},
           {"minus the learning rate's power", -options_.power_value}}) {
    if (!(value >= 0)) {
      scope.Fail(InvalidArgument(name(), ": ", what, " must not be negative, got ", value));
    }
  }
  const Initializer initial([this](const Scope& inside, const Shape& shape, DType dtype) {
    return Multiply(inside.Named("mul"), Ones(inside, shape, dtype), options_.initial_value);
  });
  for (const Variable& variable : variables) {
    MakeSlot(scope, variable, "accum", initial, options_.accum);
    MakeSlot(scope, variable, "linear", ZerosInitializer(), options_.linear);
  }
}

void FtrlOptimizer::Prepare(const Scope& scope) {
  rate_ = AsOutput(scope.Named("learning_rate"), learning_rate_);
  l1_ = Constant(scope.Named("l1_regularization_strength"), options_.l1_value);
  // The ops have no beta: it is an l2 that grows as the learning rate falls.
  const Output rate = Maximum(scope, learning_rate_, 1e-36);
  const Output twice = Multiply(scope.Named("mul"), 2.0, rate);
  const Output of_beta = Divide(scope.Named("truediv"), options_.beta_value, twice);
  l2_ = Add(scope.Named("add"), options_.l2_value, of_beta);
  Constant(scope.Named("beta"), options_.beta_value);
  l2_shrinkage_ =
      Constant(scope.Named("l2_shrinkage_regularization_strength"), options_.l2_shrinkage_value);
  power_ = Constant(scope.Named("learning_rate_power"), options_.power_value);
}

Operation FtrlOptimizer::Apply(const Scope& scope, const Output& gradient, const Output& indices,
                               const Variable& variable) {
  const bool sparse = indices.valid(), shrinks = options_.l2_shrinkage_value > 0;
  std::vector<ArgumentInput> inputs = {variable, GetSlot(variable, "accum"),
                                       GetSlot(variable, "linear"), gradient};
  if (sparse) inputs.push_back(indices);
  std::vector<Output> scalars = {rate_, l1_, l2_};
  if (shrinks) scalars.push_back(l2_shrinkage_);
  scalars.push_back(power_);
  for (const Output& scalar : scalars) inputs.push_back(Cast(scope, scalar, variable.dtype()));
  const char* const plain = sparse ? "SparseApplyFtrl" : "ApplyFtrl";
  const char* const shrinking = sparse ? "SparseApplyFtrlV2" : "ApplyFtrlV2";
  return BuildOp(scope, shrinks ? shrinking : plain, inputs, UpdateAttrs());
}

Operation FtrlOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                    const Variable& variable) {
  return Apply(scope, gradient, Output(), variable);
}

Operation FtrlOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                     const Variable& variable) {
  const IndexedSlices g = Deduplicate(scope, gradient);
  return Apply(scope, g.values, g.indices, variable);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
