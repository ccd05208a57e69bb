// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/training_ops_2.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Operation ResourceSparseApplyFtrl(ScopeRef scope, const Input& var, const Input& accum,
    const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1,
    const Input& l2, const Input& lr_power, const ResourceSparseApplyFtrlAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceSparseApplyFtrl", {var, accum, linear, grad, indices, lr, l1, l2,
          lr_power},
      attrs);
}

Operation ResourceSparseApplyFtrlV2(ScopeRef scope, const Input& var, const Input& accum,
    const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1,
    const Input& l2, const Input& l2_shrinkage, const Input& lr_power,
    const ResourceSparseApplyFtrlV2Attrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceSparseApplyFtrlV2", {var, accum, linear, grad, indices, lr, l1, l2,
          l2_shrinkage, lr_power},
      attrs);
}

Operation ResourceSparseApplyKerasMomentum(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& grad, const Input& indices, const Input& momentum,
    const ResourceSparseApplyKerasMomentumAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceSparseApplyKerasMomentum", {var, accum, lr, grad, indices, momentum},
      attrs);
}

Operation ResourceSparseApplyMomentum(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& grad, const Input& indices, const Input& momentum,
    const ResourceSparseApplyMomentumAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceSparseApplyMomentum", {var, accum, lr, grad, indices, momentum},
      attrs);
}

Operation ResourceSparseApplyProximalAdagrad(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& l1, const Input& l2, const Input& grad, const Input& indices,
    const ResourceSparseApplyProximalAdagradAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceSparseApplyProximalAdagrad", {var, accum, lr, l1, l2, grad, indices},
      attrs);
}

Operation ResourceSparseApplyProximalGradientDescent(ScopeRef scope, const Input& var,
    const Input& alpha, const Input& l1, const Input& l2, const Input& grad, const Input& indices,
    const ResourceSparseApplyProximalGradientDescentAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceSparseApplyProximalGradientDescent", {var, alpha, l1, l2, grad,
          indices},
      attrs);
}

Operation ResourceSparseApplyRMSProp(ScopeRef scope, const Input& var, const Input& ms,
    const Input& mom, const Input& lr, const Input& rho, const Input& momentum,
    const Input& epsilon, const Input& grad, const Input& indices,
    const ResourceSparseApplyRMSPropAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceSparseApplyRMSProp", {var, ms, mom, lr, rho, momentum, epsilon, grad,
          indices},
      attrs);
}

Output SparseApplyAdadelta(ScopeRef scope, const Input& var, const Input& accum,
    const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon,
    const Input& grad, const Input& indices, const SparseApplyAdadeltaAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "SparseApplyAdadelta", {var, accum, accum_update, lr, rho, epsilon, grad,
          indices},
      attrs);
}

Output SparseApplyAdagrad(ScopeRef scope, const Input& var, const Input& accum, const Input& lr,
    const Input& grad, const Input& indices, const SparseApplyAdagradAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "SparseApplyAdagrad", {var, accum, lr, grad, indices},
      attrs);
}

Output SparseApplyAdagradDA(ScopeRef scope, const Input& var, const Input& gradient_accumulator,
    const Input& gradient_squared_accumulator, const Input& grad, const Input& indices,
    const Input& lr, const Input& l1, const Input& l2, const Input& global_step,
    const SparseApplyAdagradDAAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "SparseApplyAdagradDA", {var, gradient_accumulator,
          gradient_squared_accumulator, grad, indices, lr, l1, l2, global_step},
      attrs);
}

Output SparseApplyAdagradV2(ScopeRef scope, const Input& var, const Input& accum, const Input& lr,
    const Input& epsilon, const Input& grad, const Input& indices,
    const SparseApplyAdagradV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "SparseApplyAdagradV2", {var, accum, lr, epsilon, grad, indices},
      attrs);
}

Output SparseApplyCenteredRMSProp(ScopeRef scope, const Input& var, const Input& mg,
    const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum,
    const Input& epsilon, const Input& grad, const Input& indices,
    const SparseApplyCenteredRMSPropAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "SparseApplyCenteredRMSProp", {var, mg, ms, mom, lr, rho, momentum, epsilon,
          grad, indices},
      attrs);
}

Output SparseApplyFtrl(ScopeRef scope, const Input& var, const Input& accum, const Input& linear,
    const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2,
    const Input& lr_power, const SparseApplyFtrlAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "SparseApplyFtrl", {var, accum, linear, grad, indices, lr, l1, l2, lr_power},
      attrs);
}

Output SparseApplyFtrlV2(ScopeRef scope, const Input& var, const Input& accum, const Input& linear,
    const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2,
    const Input& l2_shrinkage, const Input& lr_power, const SparseApplyFtrlV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "SparseApplyFtrlV2", {var, accum, linear, grad, indices, lr, l1, l2,
          l2_shrinkage, lr_power},
      attrs);
}

Output SparseApplyMomentum(ScopeRef scope, const Input& var, const Input& accum, const Input& lr,
    const Input& grad, const Input& indices, const Input& momentum,
    const SparseApplyMomentumAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "SparseApplyMomentum", {var, accum, lr, grad, indices, momentum},
      attrs);
}

Output SparseApplyProximalAdagrad(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& l1, const Input& l2, const Input& grad, const Input& indices,
    const SparseApplyProximalAdagradAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "SparseApplyProximalAdagrad", {var, accum, lr, l1, l2, grad, indices},
      attrs);
}

Output SparseApplyProximalGradientDescent(ScopeRef scope, const Input& var, const Input& alpha,
    const Input& l1, const Input& l2, const Input& grad, const Input& indices,
    const SparseApplyProximalGradientDescentAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "SparseApplyProximalGradientDescent", {var, alpha, l1, l2, grad, indices},
      attrs);
}

Output SparseApplyRMSProp(ScopeRef scope, const Input& var, const Input& ms, const Input& mom,
    const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon,
    const Input& grad, const Input& indices, const SparseApplyRMSPropAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "SparseApplyRMSProp", {var, ms, mom, lr, rho, momentum, epsilon, grad, indices},
      attrs);
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
