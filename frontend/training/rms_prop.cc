#include "frontend/training/rms_prop.h"

#include "frontend/build.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace train {
void RMSPropOptimizer::CreateSlots(const Scope& scope, const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    MakeSlot(scope, variable, "rms", OnesInitializer());
    if (options_.is_centered) MakeSlot(scope, variable, "mg", ZerosInitializer());
    MakeSlot(scope, variable, "momentum", ZerosInitializer());
  }
}

void RMSPropOptimizer::Prepare(const Scope& scope) {
  rate_ = AsOutput(scope.Named("learning_rate"), learning_rate_);
  decay_ = Constant(scope.Named("decay"), options_.decay_value, DType::kFloat);
  momentum_ = Constant(scope.Named("momentum"), options_.momentum_value, DType::kFloat);
  epsilon_ = Constant(scope.Named("epsilon"), options_.epsilon_value, DType::kFloat);
}

Operation RMSPropOptimizer::Apply(const Scope& scope, const Output& gradient, const Output& indices,
                                  const Variable& variable) {
  const bool sparse = indices.valid();
  std::vector<ArgumentInput> inputs = {variable};
  if (options_.is_centered) inputs.push_back(GetSlot(variable, "mg"));
  inputs.push_back(GetSlot(variable, "rms"));
  inputs.push_back(GetSlot(variable, "momentum"));
  for (const Output& scalar : {rate_, decay_, momentum_, epsilon_}) {
    inputs.push_back(Cast(scope, scalar, variable.dtype()));
  }
  inputs.push_back(gradient);
  if (sparse) inputs.push_back(indices);
  const char* const plain = sparse ? "SparseApplyRMSProp" : "ApplyRMSProp";
  const char* const centered = sparse ? "SparseApplyCenteredRMSProp" : "ApplyCenteredRMSProp";
  return BuildOp(scope, options_.is_centered ? centered : plain, inputs, UpdateAttrs());
}

Operation RMSPropOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                       const Variable& variable) {
  return Apply(scope, gradient, Output(), variable);
}

Operation RMSPropOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                        const Variable& variable) {
  const IndexedSlices g = Deduplicate(scope, gradient);
  return Apply(scope, g.values, g.indices, variable);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
