// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_TRAINING_OPS_H_
#define WARPBEAM_FRONTEND_OPS_TRAINING_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class ApplyAdaMaxAttrs : public OpAttrs {
 public:
  ApplyAdaMaxAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad:
//     T) -> (out: Ref(T))
Output ApplyAdaMax(ScopeRef scope, const Input& var, const Input& m, const Input& v,
    const Input& beta1_power, const Input& lr, const Input& beta1, const Input& beta2,
    const Input& epsilon, const Input& grad, const ApplyAdaMaxAttrs& attrs = ApplyAdaMaxAttrs());

class ApplyAdadeltaAttrs : public OpAttrs {
 public:
  ApplyAdadeltaAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, grad: T) -> (out:
//     Ref(T))
Output ApplyAdadelta(ScopeRef scope, const Input& var, const Input& accum,
    const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon,
    const Input& grad, const ApplyAdadeltaAttrs& attrs = ApplyAdadeltaAttrs());

class ApplyAdagradAttrs : public OpAttrs {
 public:
  ApplyAdagradAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ApplyAdagradAttrs& update_slots(bool value) {
    Set("update_slots", value);
    return *this;
  }
};
// (var: Ref(T), accum: Ref(T), lr: T, grad: T) -> (out: Ref(T))
Output ApplyAdagrad(ScopeRef scope, const Input& var, const Input& accum, const Input& lr,
    const Input& grad, const ApplyAdagradAttrs& attrs = ApplyAdagradAttrs());

class ApplyAdagradDAAttrs : public OpAttrs {
 public:
  ApplyAdagradDAAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T), grad: T, lr: T,
//     l1: T, l2: T, global_step: int64) -> (out: Ref(T))
Output ApplyAdagradDA(ScopeRef scope, const Input& var, const Input& gradient_accumulator,
    const Input& gradient_squared_accumulator, const Input& grad, const Input& lr, const Input& l1,
    const Input& l2, const Input& global_step,
    const ApplyAdagradDAAttrs& attrs = ApplyAdagradDAAttrs());

class ApplyAdagradV2Attrs : public OpAttrs {
 public:
  ApplyAdagradV2Attrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ApplyAdagradV2Attrs& update_slots(bool value) {
    Set("update_slots", value);
    return *this;
  }
};
// (var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T) -> (out: Ref(T))
Output ApplyAdagradV2(ScopeRef scope, const Input& var, const Input& accum, const Input& lr,
    const Input& epsilon, const Input& grad,
    const ApplyAdagradV2Attrs& attrs = ApplyAdagradV2Attrs());

class ApplyAdamAttrs : public OpAttrs {
 public:
  ApplyAdamAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ApplyAdamAttrs& use_nesterov(bool value) {
    Set("use_nesterov", value);
    return *this;
  }
};
// (var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T,
//     epsilon: T, grad: T) -> (out: Ref(T))
Output ApplyAdam(ScopeRef scope, const Input& var, const Input& m, const Input& v,
    const Input& beta1_power, const Input& beta2_power, const Input& lr, const Input& beta1,
    const Input& beta2, const Input& epsilon, const Input& grad,
    const ApplyAdamAttrs& attrs = ApplyAdamAttrs());

class ApplyAddSignAttrs : public OpAttrs {
 public:
  ApplyAddSignAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), m: Ref(T), lr: T, alpha: T, sign_decay: T, beta: T, grad: T) -> (out: Ref(T))
Output ApplyAddSign(ScopeRef scope, const Input& var, const Input& m, const Input& lr,
    const Input& alpha, const Input& sign_decay, const Input& beta, const Input& grad,
    const ApplyAddSignAttrs& attrs = ApplyAddSignAttrs());

class ApplyCenteredRMSPropAttrs : public OpAttrs {
 public:
  ApplyCenteredRMSPropAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad:
//     T) -> (out: Ref(T))
Output ApplyCenteredRMSProp(ScopeRef scope, const Input& var, const Input& mg, const Input& ms,
    const Input& mom, const Input& lr, const Input& rho, const Input& momentum,
    const Input& epsilon, const Input& grad,
    const ApplyCenteredRMSPropAttrs& attrs = ApplyCenteredRMSPropAttrs());

class ApplyFtrlAttrs : public OpAttrs {
 public:
  ApplyFtrlAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ApplyFtrlAttrs& multiply_linear_by_lr(bool value) {
    Set("multiply_linear_by_lr", value);
    return *this;
  }
};
// (var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, lr_power: T) -> (out:
//     Ref(T))
Output ApplyFtrl(ScopeRef scope, const Input& var, const Input& accum, const Input& linear,
    const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power,
    const ApplyFtrlAttrs& attrs = ApplyFtrlAttrs());

class ApplyFtrlV2Attrs : public OpAttrs {
 public:
  ApplyFtrlV2Attrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ApplyFtrlV2Attrs& multiply_linear_by_lr(bool value) {
    Set("multiply_linear_by_lr", value);
    return *this;
  }
};
// (var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, l2_shrinkage: T,
//     lr_power: T) -> (out: Ref(T))
Output ApplyFtrlV2(ScopeRef scope, const Input& var, const Input& accum, const Input& linear,
    const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage,
    const Input& lr_power, const ApplyFtrlV2Attrs& attrs = ApplyFtrlV2Attrs());

class ApplyGradientDescentAttrs : public OpAttrs {
 public:
  ApplyGradientDescentAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), alpha: T, delta: T) -> (out: Ref(T))
Output ApplyGradientDescent(ScopeRef scope, const Input& var, const Input& alpha,
    const Input& delta, const ApplyGradientDescentAttrs& attrs = ApplyGradientDescentAttrs());

class ApplyMomentumAttrs : public OpAttrs {
 public:
  ApplyMomentumAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ApplyMomentumAttrs& use_nesterov(bool value) {
    Set("use_nesterov", value);
    return *this;
  }
};
// (var: Ref(T), accum: Ref(T), lr: T, grad: T, momentum: T) -> (out: Ref(T))
Output ApplyMomentum(ScopeRef scope, const Input& var, const Input& accum, const Input& lr,
    const Input& grad, const Input& momentum, const ApplyMomentumAttrs& attrs = ApplyMomentumAttrs());

class ApplyPowerSignAttrs : public OpAttrs {
 public:
  ApplyPowerSignAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), m: Ref(T), lr: T, logbase: T, sign_decay: T, beta: T, grad: T) -> (out: Ref(T))
Output ApplyPowerSign(ScopeRef scope, const Input& var, const Input& m, const Input& lr,
    const Input& logbase, const Input& sign_decay, const Input& beta, const Input& grad,
    const ApplyPowerSignAttrs& attrs = ApplyPowerSignAttrs());

class ApplyProximalAdagradAttrs : public OpAttrs {
 public:
  ApplyProximalAdagradAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T) -> (out: Ref(T))
Output ApplyProximalAdagrad(ScopeRef scope, const Input& var, const Input& accum, const Input& lr,
    const Input& l1, const Input& l2, const Input& grad,
    const ApplyProximalAdagradAttrs& attrs = ApplyProximalAdagradAttrs());

class ApplyProximalGradientDescentAttrs : public OpAttrs {
 public:
  ApplyProximalGradientDescentAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), alpha: T, l1: T, l2: T, delta: T) -> (out: Ref(T))
Output ApplyProximalGradientDescent(ScopeRef scope, const Input& var, const Input& alpha,
    const Input& l1, const Input& l2, const Input& delta,
    const ApplyProximalGradientDescentAttrs& attrs = ApplyProximalGradientDescentAttrs());

class ApplyRMSPropAttrs : public OpAttrs {
 public:
  ApplyRMSPropAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad: T) -> (out:
//     Ref(T))
Output ApplyRMSProp(ScopeRef scope, const Input& var, const Input& ms, const Input& mom,
    const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon,
    const Input& grad, const ApplyRMSPropAttrs& attrs = ApplyRMSPropAttrs());

class ResourceApplyAdaMaxAttrs : public OpAttrs {
 public:
  ResourceApplyAdaMaxAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, m: resource, v: resource, beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T,
//     grad: T) -> ()
Operation ResourceApplyAdaMax(ScopeRef scope, const Input& var, const Input& m, const Input& v,
    const Input& beta1_power, const Input& lr, const Input& beta1, const Input& beta2,
    const Input& epsilon, const Input& grad,
    const ResourceApplyAdaMaxAttrs& attrs = ResourceApplyAdaMaxAttrs());

class ResourceApplyAdadeltaAttrs : public OpAttrs {
 public:
  ResourceApplyAdadeltaAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T, grad: T) ->
//     ()
Operation ResourceApplyAdadelta(ScopeRef scope, const Input& var, const Input& accum,
    const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon,
    const Input& grad, const ResourceApplyAdadeltaAttrs& attrs = ResourceApplyAdadeltaAttrs());

class ResourceApplyAdagradAttrs : public OpAttrs {
 public:
  ResourceApplyAdagradAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceApplyAdagradAttrs& update_slots(bool value) {
    Set("update_slots", value);
    return *this;
  }
};
// (var: resource, accum: resource, lr: T, grad: T) -> ()
Operation ResourceApplyAdagrad(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& grad,
    const ResourceApplyAdagradAttrs& attrs = ResourceApplyAdagradAttrs());

class ResourceApplyAdagradDAAttrs : public OpAttrs {
 public:
  ResourceApplyAdagradDAAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource, grad: T,
//     lr: T, l1: T, l2: T, global_step: int64) -> ()
Operation ResourceApplyAdagradDA(ScopeRef scope, const Input& var,
    const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad,
    const Input& lr, const Input& l1, const Input& l2, const Input& global_step,
    const ResourceApplyAdagradDAAttrs& attrs = ResourceApplyAdagradDAAttrs());

class ResourceApplyAdagradV2Attrs : public OpAttrs {
 public:
  ResourceApplyAdagradV2Attrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceApplyAdagradV2Attrs& update_slots(bool value) {
    Set("update_slots", value);
    return *this;
  }
};
// (var: resource, accum: resource, lr: T, epsilon: T, grad: T) -> ()
Operation ResourceApplyAdagradV2(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& epsilon, const Input& grad,
    const ResourceApplyAdagradV2Attrs& attrs = ResourceApplyAdagradV2Attrs());

class ResourceApplyAdamAttrs : public OpAttrs {
 public:
  ResourceApplyAdamAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceApplyAdamAttrs& use_nesterov(bool value) {
    Set("use_nesterov", value);
    return *this;
  }
};
// (var: resource, m: resource, v: resource, beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2:
//     T, epsilon: T, grad: T) -> ()
Operation ResourceApplyAdam(ScopeRef scope, const Input& var, const Input& m, const Input& v,
    const Input& beta1_power, const Input& beta2_power, const Input& lr, const Input& beta1,
    const Input& beta2, const Input& epsilon, const Input& grad,
    const ResourceApplyAdamAttrs& attrs = ResourceApplyAdamAttrs());

class ResourceApplyAdamWithAmsgradAttrs : public OpAttrs {
 public:
  ResourceApplyAdamWithAmsgradAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, m: resource, v: resource, vhat: resource, beta1_power: T, beta2_power: T, lr: T,
//     beta1: T, beta2: T, epsilon: T, grad: T) -> ()
Operation ResourceApplyAdamWithAmsgrad(ScopeRef scope, const Input& var, const Input& m,
    const Input& v, const Input& vhat, const Input& beta1_power, const Input& beta2_power,
    const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon,
    const Input& grad,
    const ResourceApplyAdamWithAmsgradAttrs& attrs = ResourceApplyAdamWithAmsgradAttrs());

class ResourceApplyAddSignAttrs : public OpAttrs {
 public:
  ResourceApplyAddSignAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, m: resource, lr: T, alpha: T, sign_decay: T, beta: T, grad: T) -> ()
Operation ResourceApplyAddSign(ScopeRef scope, const Input& var, const Input& m, const Input& lr,
    const Input& alpha, const Input& sign_decay, const Input& beta, const Input& grad,
    const ResourceApplyAddSignAttrs& attrs = ResourceApplyAddSignAttrs());

class ResourceApplyCenteredRMSPropAttrs : public OpAttrs {
 public:
  ResourceApplyCenteredRMSPropAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon:
//     T, grad: T) -> ()
Operation ResourceApplyCenteredRMSProp(ScopeRef scope, const Input& var, const Input& mg,
    const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum,
    const Input& epsilon, const Input& grad,
    const ResourceApplyCenteredRMSPropAttrs& attrs = ResourceApplyCenteredRMSPropAttrs());

class ResourceApplyFtrlAttrs : public OpAttrs {
 public:
  ResourceApplyFtrlAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceApplyFtrlAttrs& multiply_linear_by_lr(bool value) {
    Set("multiply_linear_by_lr", value);
    return *this;
  }
};
// (var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, lr_power: T) ->
//     ()
Operation ResourceApplyFtrl(ScopeRef scope, const Input& var, const Input& accum,
    const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2,
    const Input& lr_power, const ResourceApplyFtrlAttrs& attrs = ResourceApplyFtrlAttrs());

class ResourceApplyFtrlV2Attrs : public OpAttrs {
 public:
  ResourceApplyFtrlV2Attrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceApplyFtrlV2Attrs& multiply_linear_by_lr(bool value) {
    Set("multiply_linear_by_lr", value);
    return *this;
  }
};
// (var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, l2_shrinkage: T,
//     lr_power: T) -> ()
Operation ResourceApplyFtrlV2(ScopeRef scope, const Input& var, const Input& accum,
    const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2,
    const Input& l2_shrinkage, const Input& lr_power,
    const ResourceApplyFtrlV2Attrs& attrs = ResourceApplyFtrlV2Attrs());

class ResourceApplyGradientDescentAttrs : public OpAttrs {
 public:
  ResourceApplyGradientDescentAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, alpha: T, delta: T) -> ()
Operation ResourceApplyGradientDescent(ScopeRef scope, const Input& var, const Input& alpha,
    const Input& delta,
    const ResourceApplyGradientDescentAttrs& attrs = ResourceApplyGradientDescentAttrs());

class ResourceApplyKerasMomentumAttrs : public OpAttrs {
 public:
  ResourceApplyKerasMomentumAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceApplyKerasMomentumAttrs& use_nesterov(bool value) {
    Set("use_nesterov", value);
    return *this;
  }
};
// (var: resource, accum: resource, lr: T, grad: T, momentum: T) -> ()
Operation ResourceApplyKerasMomentum(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& grad, const Input& momentum,
    const ResourceApplyKerasMomentumAttrs& attrs = ResourceApplyKerasMomentumAttrs());

class ResourceApplyMomentumAttrs : public OpAttrs {
 public:
  ResourceApplyMomentumAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceApplyMomentumAttrs& use_nesterov(bool value) {
    Set("use_nesterov", value);
    return *this;
  }
};
// (var: resource, accum: resource, lr: T, grad: T, momentum: T) -> ()
Operation ResourceApplyMomentum(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& grad, const Input& momentum,
    const ResourceApplyMomentumAttrs& attrs = ResourceApplyMomentumAttrs());

class ResourceApplyPowerSignAttrs : public OpAttrs {
 public:
  ResourceApplyPowerSignAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, m: resource, lr: T, logbase: T, sign_decay: T, beta: T, grad: T) -> ()
Operation ResourceApplyPowerSign(ScopeRef scope, const Input& var, const Input& m, const Input& lr,
    const Input& logbase, const Input& sign_decay, const Input& beta, const Input& grad,
    const ResourceApplyPowerSignAttrs& attrs = ResourceApplyPowerSignAttrs());

class ResourceApplyProximalAdagradAttrs : public OpAttrs {
 public:
  ResourceApplyProximalAdagradAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T) -> ()
Operation ResourceApplyProximalAdagrad(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& l1, const Input& l2, const Input& grad,
    const ResourceApplyProximalAdagradAttrs& attrs = ResourceApplyProximalAdagradAttrs());

class ResourceApplyProximalGradientDescentAttrs : public OpAttrs {
 public:
  ResourceApplyProximalGradientDescentAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, alpha: T, l1: T, l2: T, delta: T) -> ()
Operation ResourceApplyProximalGradientDescent(ScopeRef scope, const Input& var, const Input& alpha,
    const Input& l1, const Input& l2, const Input& delta,
    const ResourceApplyProximalGradientDescentAttrs& attrs = ResourceApplyProximalGradientDescentAttrs());

class ResourceApplyRMSPropAttrs : public OpAttrs {
 public:
  ResourceApplyRMSPropAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T) ->
//     ()
Operation ResourceApplyRMSProp(ScopeRef scope, const Input& var, const Input& ms, const Input& mom,
    const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon,
    const Input& grad, const ResourceApplyRMSPropAttrs& attrs = ResourceApplyRMSPropAttrs());

class ResourceSparseApplyAdadeltaAttrs : public OpAttrs {
 public:
  ResourceSparseApplyAdadeltaAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T, grad: T,
//     indices: Tindices) -> ()
Operation ResourceSparseApplyAdadelta(ScopeRef scope, const Input& var, const Input& accum,
    const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon,
    const Input& grad, const Input& indices,
    const ResourceSparseApplyAdadeltaAttrs& attrs = ResourceSparseApplyAdadeltaAttrs());

class ResourceSparseApplyAdagradAttrs : public OpAttrs {
 public:
  ResourceSparseApplyAdagradAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceSparseApplyAdagradAttrs& update_slots(bool value) {
    Set("update_slots", value);
    return *this;
  }
};
// (var: resource, accum: resource, lr: T, grad: T, indices: Tindices) -> ()
Operation ResourceSparseApplyAdagrad(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& grad, const Input& indices,
    const ResourceSparseApplyAdagradAttrs& attrs = ResourceSparseApplyAdagradAttrs());

class ResourceSparseApplyAdagradDAAttrs : public OpAttrs {
 public:
  ResourceSparseApplyAdagradDAAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource, grad: T,
//     indices: Tindices, lr: T, l1: T, l2: T, global_step: int64) -> ()
Operation ResourceSparseApplyAdagradDA(ScopeRef scope, const Input& var,
    const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad,
    const Input& indices, const Input& lr, const Input& l1, const Input& l2,
    const Input& global_step,
    const ResourceSparseApplyAdagradDAAttrs& attrs = ResourceSparseApplyAdagradDAAttrs());

class ResourceSparseApplyAdagradV2Attrs : public OpAttrs {
 public:
  ResourceSparseApplyAdagradV2Attrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceSparseApplyAdagradV2Attrs& update_slots(bool value) {
    Set("update_slots", value);
    return *this;
  }
};
// (var: resource, accum: resource, lr: T, epsilon: T, grad: T, indices: Tindices) -> ()
Operation ResourceSparseApplyAdagradV2(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& epsilon, const Input& grad, const Input& indices,
    const ResourceSparseApplyAdagradV2Attrs& attrs = ResourceSparseApplyAdagradV2Attrs());

class ResourceSparseApplyCenteredRMSPropAttrs : public OpAttrs {
 public:
  ResourceSparseApplyCenteredRMSPropAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon:
//     T, grad: T, indices: Tindices) -> ()
Operation ResourceSparseApplyCenteredRMSProp(ScopeRef scope, const Input& var, const Input& mg,
    const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum,
    const Input& epsilon, const Input& grad, const Input& indices,
    const ResourceSparseApplyCenteredRMSPropAttrs& attrs = ResourceSparseApplyCenteredRMSPropAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_TRAINING_OPS_H_
