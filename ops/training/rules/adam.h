// The arithmetic of adam.cc: see ops/training/update_rule.h for what a rule is.
//
//   UpdateScalars<float> scalars;
//   const AdamRule<float> rule(scalars);
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_TRAINING_RULES_ADAM_H_
#define WARPBEAM_OPS_TRAINING_RULES_ADAM_H_

#include "ops/training/update_block.h"

namespace warpbeam::WB_PASS {

template <class C>
struct AdamRule {
  static constexpr int kVariables = 3;
  C alpha, beta1, one_less_beta1, one_less_beta2, epsilon;
  bool nesterov;
  WB_HD explicit AdamRule(const UpdateScalars<C>& h)
      : alpha(h[2] * Sqrt(C(1) - h[1]) / (C(1) - h[0])),
        beta1(h[3]),
        one_less_beta1(C(1) - h[3]),
        one_less_beta2(C(1) - h[4]),
        epsilon(h[5]),
        nesterov(h.flag) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    s[1] = s[1] + (g - s[1]) * V(one_less_beta1);
    s[2] = s[2] + (g * g - s[2]) * V(one_less_beta2);
    const V m = nesterov ? g * V(one_less_beta1) + V(beta1) * s[1] : s[1];
    s[0] = s[0] - m * V(alpha) / (Sqrt(s[2]) + V(epsilon));
  }
};

template <class C>
struct AmsgradRule {
  static constexpr int kVariables = 4;
  AdamRule<C> adam;
  WB_HD explicit AmsgradRule(const UpdateScalars<C>& h) : adam(h) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    s[1] = s[1] + (g - s[1]) * V(adam.one_less_beta1);
    s[2] = s[2] + (g * g - s[2]) * V(adam.one_less_beta2);
    s[3] = Max(s[3], s[2]);
    s[0] = s[0] - s[1] * V(adam.alpha) / (Sqrt(s[3]) + V(adam.epsilon));
  }
};

template <class C>
struct AdaMaxRule {
  static constexpr int kVariables = 3;
  C alpha, one_less_beta1, beta2, epsilon;
  WB_HD explicit AdaMaxRule(const UpdateScalars<C>& h)
      : alpha(h[1] / (C(1) - h[0])), one_less_beta1(C(1) - h[2]), beta2(h[3]), epsilon(h[4]) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    s[1] = s[1] + (g - s[1]) * V(one_less_beta1);
    s[2] = Max(V(beta2) * s[2], Abs(g));
    s[0] = s[0] - V(alpha) * (s[1] / (s[2] + V(epsilon)));
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_TRAINING_RULES_ADAM_H_
