// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_TRAINING_OPS_2_H_
#define WARPBEAM_FRONTEND_OPS_TRAINING_OPS_2_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class ResourceSparseApplyFtrlAttrs : public OpAttrs {
 public:
  ResourceSparseApplyFtrlAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceSparseApplyFtrlAttrs& multiply_linear_by_lr(bool value) {
    Set("multiply_linear_by_lr", value);
    return *this;
  }
};
// (var: resource, accum: resource, linear: resource, grad: T, indices: Tindices, lr: T, l1: T, l2:
//     T, lr_power: T) -> ()
Operation ResourceSparseApplyFtrl(ScopeRef scope, const Input& var, const Input& accum,
    const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1,
    const Input& l2, const Input& lr_power,
    const ResourceSparseApplyFtrlAttrs& attrs = ResourceSparseApplyFtrlAttrs());

class ResourceSparseApplyFtrlV2Attrs : public OpAttrs {
 public:
  ResourceSparseApplyFtrlV2Attrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceSparseApplyFtrlV2Attrs& multiply_linear_by_lr(bool value) {
    Set("multiply_linear_by_lr", value);
    return *this;
  }
};
// (var: resource, accum: resource, linear: resource, grad: T, indices: Tindices, lr: T, l1: T, l2:
//     T, l2_shrinkage: T, lr_power: T) -> ()
Operation ResourceSparseApplyFtrlV2(ScopeRef scope, const Input& var, const Input& accum,
    const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1,
    const Input& l2, const Input& l2_shrinkage, const Input& lr_power,
    const ResourceSparseApplyFtrlV2Attrs& attrs = ResourceSparseApplyFtrlV2Attrs());

class ResourceSparseApplyKerasMomentumAttrs : public OpAttrs {
 public:
  ResourceSparseApplyKerasMomentumAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceSparseApplyKerasMomentumAttrs& use_nesterov(bool value) {
    Set("use_nesterov", value);
    return *this;
  }
};
// (var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T) -> ()
Operation ResourceSparseApplyKerasMomentum(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& grad, const Input& indices, const Input& momentum,
    const ResourceSparseApplyKerasMomentumAttrs& attrs = ResourceSparseApplyKerasMomentumAttrs());

class ResourceSparseApplyMomentumAttrs : public OpAttrs {
 public:
  ResourceSparseApplyMomentumAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  ResourceSparseApplyMomentumAttrs& use_nesterov(bool value) {
    Set("use_nesterov", value);
    return *this;
  }
};
// (var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T) -> ()
Operation ResourceSparseApplyMomentum(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& grad, const Input& indices, const Input& momentum,
    const ResourceSparseApplyMomentumAttrs& attrs = ResourceSparseApplyMomentumAttrs());

class ResourceSparseApplyProximalAdagradAttrs : public OpAttrs {
 public:
  ResourceSparseApplyProximalAdagradAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T, indices: Tindices) -> ()
Operation ResourceSparseApplyProximalAdagrad(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& l1, const Input& l2, const Input& grad, const Input& indices,
    const ResourceSparseApplyProximalAdagradAttrs& attrs = ResourceSparseApplyProximalAdagradAttrs());

class ResourceSparseApplyProximalGradientDescentAttrs : public OpAttrs {
 public:
  ResourceSparseApplyProximalGradientDescentAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, alpha: T, l1: T, l2: T, grad: T, indices: Tindices) -> ()
Operation ResourceSparseApplyProximalGradientDescent(ScopeRef scope, const Input& var,
    const Input& alpha, const Input& l1, const Input& l2, const Input& grad, const Input& indices,
    const ResourceSparseApplyProximalGradientDescentAttrs& attrs = ResourceSparseApplyProximalGradientDescentAttrs());

class ResourceSparseApplyRMSPropAttrs : public OpAttrs {
 public:
  ResourceSparseApplyRMSPropAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T,
//     indices: Tindices) -> ()
Operation ResourceSparseApplyRMSProp(ScopeRef scope, const Input& var, const Input& ms,
    const Input& mom, const Input& lr, const Input& rho, const Input& momentum,
    const Input& epsilon, const Input& grad, const Input& indices,
    const ResourceSparseApplyRMSPropAttrs& attrs = ResourceSparseApplyRMSPropAttrs());

class SparseApplyAdadeltaAttrs : public OpAttrs {
 public:
  SparseApplyAdadeltaAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, grad: T, indices:
//     Tindices) -> (out: Ref(T))
Output SparseApplyAdadelta(ScopeRef scope, const Input& var, const Input& accum,
    const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon,
    const Input& grad, const Input& indices,
    const SparseApplyAdadeltaAttrs& attrs = SparseApplyAdadeltaAttrs());

class SparseApplyAdagradAttrs : public OpAttrs {
 public:
  SparseApplyAdagradAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  SparseApplyAdagradAttrs& update_slots(bool value) {
    Set("update_slots", value);
    return *this;
  }
};
// (var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices) -> (out: Ref(T))
Output SparseApplyAdagrad(ScopeRef scope, const Input& var, const Input& accum, const Input& lr,
    const Input& grad, const Input& indices,
    const SparseApplyAdagradAttrs& attrs = SparseApplyAdagradAttrs());

class SparseApplyAdagradDAAttrs : public OpAttrs {
 public:
  SparseApplyAdagradDAAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T), grad: T,
//     indices: Tindices, lr: T, l1: T, l2: T, global_step: int64) -> (out: Ref(T))
Output SparseApplyAdagradDA(ScopeRef scope, const Input& var, const Input& gradient_accumulator,
    const Input& gradient_squared_accumulator, const Input& grad, const Input& indices,
    const Input& lr, const Input& l1, const Input& l2, const Input& global_step,
    const SparseApplyAdagradDAAttrs& attrs = SparseApplyAdagradDAAttrs());

class SparseApplyAdagradV2Attrs : public OpAttrs {
 public:
  SparseApplyAdagradV2Attrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  SparseApplyAdagradV2Attrs& update_slots(bool value) {
    Set("update_slots", value);
    return *this;
  }
};
// (var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T, indices: Tindices) -> (out: Ref(T))
Output SparseApplyAdagradV2(ScopeRef scope, const Input& var, const Input& accum, const Input& lr,
    const Input& epsilon, const Input& grad, const Input& indices,
    const SparseApplyAdagradV2Attrs& attrs = SparseApplyAdagradV2Attrs());

class SparseApplyCenteredRMSPropAttrs : public OpAttrs {
 public:
  SparseApplyCenteredRMSPropAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad:
//     T, indices: Tindices) -> (out: Ref(T))
Output SparseApplyCenteredRMSProp(ScopeRef scope, const Input& var, const Input& mg,
    const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum,
    const Input& epsilon, const Input& grad, const Input& indices,
    const SparseApplyCenteredRMSPropAttrs& attrs = SparseApplyCenteredRMSPropAttrs());

class SparseApplyFtrlAttrs : public OpAttrs {
 public:
  SparseApplyFtrlAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  SparseApplyFtrlAttrs& multiply_linear_by_lr(bool value) {
    Set("multiply_linear_by_lr", value);
    return *this;
  }
};
// (var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, l1: T, l2: T,
//     lr_power: T) -> (out: Ref(T))
Output SparseApplyFtrl(ScopeRef scope, const Input& var, const Input& accum, const Input& linear,
    const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2,
    const Input& lr_power, const SparseApplyFtrlAttrs& attrs = SparseApplyFtrlAttrs());

class SparseApplyFtrlV2Attrs : public OpAttrs {
 public:
  SparseApplyFtrlV2Attrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  SparseApplyFtrlV2Attrs& multiply_linear_by_lr(bool value) {
    Set("multiply_linear_by_lr", value);
    return *this;
  }
};
// (var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, l1: T, l2: T,
//     l2_shrinkage: T, lr_power: T) -> (out: Ref(T))
Output SparseApplyFtrlV2(ScopeRef scope, const Input& var, const Input& accum, const Input& linear,
    const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2,
    const Input& l2_shrinkage, const Input& lr_power,
    const SparseApplyFtrlV2Attrs& attrs = SparseApplyFtrlV2Attrs());

class SparseApplyMomentumAttrs : public OpAttrs {
 public:
  SparseApplyMomentumAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
  SparseApplyMomentumAttrs& use_nesterov(bool value) {
    Set("use_nesterov", value);
    return *this;
  }
};
// (var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices, momentum: T) -> (out: Ref(T))
Output SparseApplyMomentum(ScopeRef scope, const Input& var, const Input& accum, const Input& lr,
    const Input& grad, const Input& indices, const Input& momentum,
    const SparseApplyMomentumAttrs& attrs = SparseApplyMomentumAttrs());

class SparseApplyProximalAdagradAttrs : public OpAttrs {
 public:
  SparseApplyProximalAdagradAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T, indices: Tindices) -> (out: Ref(T))
Output SparseApplyProximalAdagrad(ScopeRef scope, const Input& var, const Input& accum,
    const Input& lr, const Input& l1, const Input& l2, const Input& grad, const Input& indices,
    const SparseApplyProximalAdagradAttrs& attrs = SparseApplyProximalAdagradAttrs());

class SparseApplyProximalGradientDescentAttrs : public OpAttrs {
 public:
  SparseApplyProximalGradientDescentAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), alpha: T, l1: T, l2: T, grad: T, indices: Tindices) -> (out: Ref(T))
Output SparseApplyProximalGradientDescent(ScopeRef scope, const Input& var, const Input& alpha,
    const Input& l1, const Input& l2, const Input& grad, const Input& indices,
    const SparseApplyProximalGradientDescentAttrs& attrs = SparseApplyProximalGradientDescentAttrs());

class SparseApplyRMSPropAttrs : public OpAttrs {
 public:
  SparseApplyRMSPropAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad: T, indices:
//     Tindices) -> (out: Ref(T))
Output SparseApplyRMSProp(ScopeRef scope, const Input& var, const Input& ms, const Input& mom,
    const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon,
    const Input& grad, const Input& indices,
    const SparseApplyRMSPropAttrs& attrs = SparseApplyRMSPropAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_TRAINING_OPS_2_H_
