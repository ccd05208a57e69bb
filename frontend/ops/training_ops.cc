// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/training_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output ApplyAdaMax(ScopeRef scope, const Input& var, const Input& m, const Input& v,
    const Input& beta1_power, const Input& lr, const Input& beta1, const Input& beta2,
    const Input& epsilon, const Input& grad, const ApplyAdaMaxAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyAdaMax", {var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad},
      attrs);
}

Output ApplyAdadelta(ScopeRef scope, const Input& var, const Input& accum,
    const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon,
    const Input& grad, const ApplyAdadeltaAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyAdadelta", {var, accum, accum_update, lr, rho, epsilon, grad},
      attrs);
}

Output ApplyAdagrad(ScopeRef scope, const Input& var, const Input& accum, const Input& lr,
    const Input& grad, const ApplyAdagradAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyAdagrad", {var, accum, lr, grad},
      attrs);
}

Output ApplyAdagradDA(ScopeRef scope, const Input& var, const Input& gradient_accumulator,
    const Input& gradient_squared_accumulator, const Input& grad, const Input& lr, const Input& l1,
    const Input& l2, const Input& global_step, const ApplyAdagradDAAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyAdagradDA", {var, gradient_accumulator, gradient_squared_accumulator,
          grad, lr, l1, l2, global_step},
      attrs);
}

Output ApplyAdagradV2(ScopeRef scope, const Input& var, const Input& accum, const Input& lr,
    const Input& epsilon, const Input& grad, const ApplyAdagradV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyAdagradV2", {var, accum, lr, epsilon, grad},
      attrs);
}

Output ApplyAdam(ScopeRef scope, const Input& var, const Input& m, const Input& v,
    const Input& beta1_power, const Input& beta2_power, const Input& lr, const Input& beta1,
    const Input& beta2, const Input& epsilon, const Input& grad, const ApplyAdamAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyAdam", {var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon,
          grad},
      attrs);
}

Output ApplyAddSign(ScopeRef scope, const Input& var, const Input& m, const Input& lr,
    const Input& alpha, const Input& sign_decay, const Input& beta, const Input& grad,
    const ApplyAddSignAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyAddSign", {var, m, lr, alpha, sign_decay, beta, grad},
      attrs);
}

Output ApplyCenteredRMSProp(ScopeRef scope, const Input& var, const Input& mg, const Input& ms,
    const Input& mom, const Input& lr, const Input& rho, const Input& momentum,
    const Input& epsilon, const Input& grad, const ApplyCenteredRMSPropAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyCenteredRMSProp", {var, mg, ms, mom, lr, rho, momentum, epsilon, grad},
      attrs);
}

Output ApplyFtrl(ScopeRef scope, const Input& var, const Input& accum, const Input& linear,
    const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power,
    const ApplyFtrlAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyFtrl", {var, accum, linear, grad, lr, l1, l2, lr_power},
      attrs);
}

Output ApplyFtrlV2(ScopeRef scope, const Input& var, const Input& accum, const Input& linear,
    const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage,
    const Input& lr_power, const ApplyFtrlV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyFtrlV2", {var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power},
      attrs);
}

Output ApplyGradientDescent(ScopeRef scope, const Input& var, const Input& alpha,
    const Input& delta, const ApplyGradientDescentAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyGradientDescent", {var, alpha, delta},
      attrs);
}

Output ApplyMomentum(ScopeRef scope, const Input& var, const Input& accum, const Input& lr,
    const Input& grad, const Input& momentum, const ApplyMomentumAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyMomentum", {var, accum, lr, grad, momentum},
      attrs);
}

Output ApplyPowerSign(ScopeRef scope, const Input& var, const Input& m, const Input& lr,
    const Input& logbase, const Input& sign_decay, const Input& beta, const Input& grad,
    const ApplyPowerSignAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyPowerSign", {var, m, lr, logbase, sign_decay, beta, grad},
      attrs);
}

Output ApplyProximalAdagrad(ScopeRef scope, const Input& var, const Input& accum, const Input& lr,
    const Input& l1, const Input& l2, const Input& grad, const ApplyProximalAdagradAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyProximalAdagrad", {var, accum, lr, l1, l2, grad},
      attrs);
}

Output ApplyProximalGradientDescent(ScopeRef scope, const Input& var, const Input& alpha,
    const Input& l1, const Input& l2, const Input& delta,
    const ApplyProximalGradientDescentAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyProximalGradientDescent", {var, alpha, l1, l2, delta},
      attrs);
}

Output ApplyRMSProp(ScopeRef scope, const Input& var, const Input& ms, const Input& mom,
    const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon,
    const Input& grad, const ApplyRMSPropAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyRMSProp", {var, ms, mom, lr, rho, momentum, epsilon, grad},
      attrs);
}

Operation ResourceApplyAdaMax(ScopeRef scope, const Input& var, const Input& m, const Input& v,
    const Input& beta1_power, const Input& lr, const Input& beta1, const Input& beta2,
    const Input& epsilon, const Input& grad, const ResourceApplyAdaMaxAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyAdaMax", {var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad},
      attrs);
}

Operation ResourceApplyAdadelta(ScopeRef scope, const Input& var, const Input& accum,
    const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon,
    const Input& grad, const ResourceApplyAdadeltaAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyAdadelta", {var, accum, accum_update, lr, rho, epsilon, grad},
      attrs);
}

Operation ResourceApplyAdagrad(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& grad, const ResourceApplyAdagradAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyAdagrad", {var, accum, lr, grad},
      attrs);
}

Operation ResourceApplyAdagradDA(ScopeRef scope, const Input& var,
    const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad,
    const Input& lr, const Input& l1, const Input& l2, const Input& global_step,
    const ResourceApplyAdagradDAAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyAdagradDA", {var, gradient_accumulator,
          gradient_squared_accumulator, grad, lr, l1, l2, global_step},
      attrs);
}

Operation ResourceApplyAdagradV2(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& epsilon, const Input& grad,
    const ResourceApplyAdagradV2Attrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyAdagradV2", {var, accum, lr, epsilon, grad},
      attrs);
}

Operation ResourceApplyAdam(ScopeRef scope, const Input& var, const Input& m, const Input& v,
    const Input& beta1_power, const Input& beta2_power, const Input& lr, const Input& beta1,
    const Input& beta2, const Input& epsilon, const Input& grad, const ResourceApplyAdamAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyAdam", {var, m, v, beta1_power, beta2_power, lr, beta1, beta2,
          epsilon, grad},
      attrs);
}

Operation ResourceApplyAdamWithAmsgrad(ScopeRef scope, const Input& var, const Input& m,
    const Input& v, const Input& vhat, const Input& beta1_power, const Input& beta2_power,
    const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon,
    const Input& grad, const ResourceApplyAdamWithAmsgradAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyAdamWithAmsgrad", {var, m, v, vhat, beta1_power, beta2_power, lr,
          beta1, beta2, epsilon, grad},
      attrs);
}

Operation ResourceApplyAddSign(ScopeRef scope, const Input& var, const Input& m, const Input& lr,
    const Input& alpha, const Input& sign_decay, const Input& beta, const Input& grad,
    const ResourceApplyAddSignAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyAddSign", {var, m, lr, alpha, sign_decay, beta, grad},
      attrs);
}

Operation ResourceApplyCenteredRMSProp(ScopeRef scope, const Input& var, const Input& mg,
    const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum,
    const Input& epsilon, const Input& grad, const ResourceApplyCenteredRMSPropAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyCenteredRMSProp", {var, mg, ms, mom, lr, rho, momentum, epsilon,
          grad},
      attrs);
}

Operation ResourceApplyFtrl(ScopeRef scope, const Input& var, const Input& accum,
    const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2,
    const Input& lr_power, const ResourceApplyFtrlAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyFtrl", {var, accum, linear, grad, lr, l1, l2, lr_power},
      attrs);
}

Operation ResourceApplyFtrlV2(ScopeRef scope, const Input& var, const Input& accum,
    const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2,
    const Input& l2_shrinkage, const Input& lr_power, const ResourceApplyFtrlV2Attrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyFtrlV2", {var, accum, linear, grad, lr, l1, l2, l2_shrinkage,
          lr_power},
      attrs);
}

Operation ResourceApplyGradientDescent(ScopeRef scope, const Input& var, const Input& alpha,
    const Input& delta, const ResourceApplyGradientDescentAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyGradientDescent", {var, alpha, delta},
      attrs);
}

Operation ResourceApplyKerasMomentum(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& grad, const Input& momentum,
    const ResourceApplyKerasMomentumAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyKerasMomentum", {var, accum, lr, grad, momentum},
      attrs);
}

Operation ResourceApplyMomentum(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& grad, const Input& momentum,
    const ResourceApplyMomentumAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyMomentum", {var, accum, lr, grad, momentum},
      attrs);
}

Operation ResourceApplyPowerSign(ScopeRef scope, const Input& var, const Input& m, const Input& lr,
    const Input& logbase, const Input& sign_decay, const Input& beta, const Input& grad,
    const ResourceApplyPowerSignAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyPowerSign", {var, m, lr, logbase, sign_decay, beta, grad},
      attrs);
}

Operation ResourceApplyProximalAdagrad(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& l1, const Input& l2, const Input& grad,
    const ResourceApplyProximalAdagradAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyProximalAdagrad", {var, accum, lr, l1, l2, grad},
      attrs);
}

Operation ResourceApplyProximalGradientDescent(ScopeRef scope, const Input& var, const Input& alpha,
    const Input& l1, const Input& l2, const Input& delta,
    const ResourceApplyProximalGradientDescentAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyProximalGradientDescent", {var, alpha, l1, l2, delta},
      attrs);
}

Operation ResourceApplyRMSProp(ScopeRef scope, const Input& var, const Input& ms, const Input& mom,
    const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon,
    const Input& grad, const ResourceApplyRMSPropAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyRMSProp", {var, ms, mom, lr, rho, momentum, epsilon, grad},
      attrs);
}

Operation ResourceSparseApplyAdadelta(ScopeRef scope, const Input& var, const Input& accum,
    const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon,
    const Input& grad, const Input& indices, const ResourceSparseApplyAdadeltaAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceSparseApplyAdadelta", {var, accum, accum_update, lr, rho, epsilon,
          grad, indices},
      attrs);
}

Operation ResourceSparseApplyAdagrad(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& grad, const Input& indices,
    const ResourceSparseApplyAdagradAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceSparseApplyAdagrad", {var, accum, lr, grad, indices},
      attrs);
}

Operation ResourceSparseApplyAdagradDA(ScopeRef scope, const Input& var,
    const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad,
    const Input& indices, const Input& lr, const Input& l1, const Input& l2,
    const Input& global_step, const ResourceSparseApplyAdagradDAAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceSparseApplyAdagradDA", {var, gradient_accumulator,
          gradient_squared_accumulator, grad, indices, lr, l1, l2, global_step},
      attrs);
}

Operation ResourceSparseApplyAdagradV2(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& epsilon, const Input& grad, const Input& indices,
    const ResourceSparseApplyAdagradV2Attrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceSparseApplyAdagradV2", {var, accum, lr, epsilon, grad, indices},
      attrs);
}

Operation ResourceSparseApplyCenteredRMSProp(ScopeRef scope, const Input& var, const Input& mg,
    const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum,
    const Input& epsilon, const Input& grad, const Input& indices,
    const ResourceSparseApplyCenteredRMSPropAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceSparseApplyCenteredRMSProp", {var, mg, ms, mom, lr, rho, momentum,
          epsilon, grad, indices},
      attrs);
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
