// The arithmetic of momentum.cc: see ops/training/update_rule.h for what a rule is.
//
//   UpdateScalars<float> scalars;
//   const GradientDescentRule<float> rule(scalars);
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_TRAINING_RULES_MOMENTUM_H_
#define WARPBEAM_OPS_TRAINING_RULES_MOMENTUM_H_

#include "ops/training/update_block.h"

namespace warpbeam::WB_PASS {

template <class C>
struct GradientDescentRule {
  static constexpr int kVariables = 1;
  C rate;
  WB_HD explicit GradientDescentRule(const UpdateScalars<C>& h) : rate(h[0]) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    s[0] = s[0] - V(rate) * g;
  }
};

template <class C>
struct MomentumRule {
  static constexpr int kVariables = 2;
  C rate, momentum;
  bool nesterov;
  WB_HD explicit MomentumRule(const UpdateScalars<C>& h)
      : rate(h[0]), momentum(h[1]), nesterov(h.flag) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    const V lr(rate), mu(momentum);
    s[1] = s[1] * mu + g;
    s[0] = s[0] - (nesterov ? g * lr + s[1] * mu * lr : s[1] * lr);
  }
};

template <class C>
struct KerasMomentumRule {
  static constexpr int kVariables = 2;
  C rate, momentum;
  bool nesterov;
  WB_HD explicit KerasMomentumRule(const UpdateScalars<C>& h)
      : rate(h[0]), momentum(h[1]), nesterov(h.flag) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    const V lr(rate), mu(momentum);
    s[1] = s[1] * mu - g * lr;
    s[0] = s[0] + (nesterov ? s[1] * mu - g * lr : s[1]);
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_TRAINING_RULES_MOMENTUM_H_
