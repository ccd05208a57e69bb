// The arithmetic of adagrad.cc: see ops/training/update_rule.h for what a rule is.
//
//   UpdateScalars<float> scalars;
//   const AdagradRule<float> rule(scalars);
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_TRAINING_RULES_ADAGRAD_H_
#define WARPBEAM_OPS_TRAINING_RULES_ADAGRAD_H_

#include "ops/training/update_block.h"

namespace warpbeam::WB_PASS {

template <class C>
struct AdagradRule {
  static constexpr int kVariables = 2;
  C rate;
  bool update_slots;
  WB_HD explicit AdagradRule(const UpdateScalars<C>& h) : rate(h[0]), update_slots(h.flag) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    if (update_slots) s[1] = s[1] + g * g;
    s[0] = s[0] - g * V(rate) / Sqrt(s[1]);
  }
};

template <class C>
struct AdagradV2Rule {
  static constexpr int kVariables = 2;
  C rate, epsilon;
  bool update_slots;
  WB_HD explicit AdagradV2Rule(const UpdateScalars<C>& h)
      : rate(h[0]), epsilon(h[1]), update_slots(h.flag) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    if (update_slots) s[1] = s[1] + g * g;
    s[0] = s[0] - g * V(rate) / (Sqrt(s[1]) + V(epsilon));
  }
};

template <class C>
struct AdagradDaRule {
  static constexpr int kVariables = 3;  // var, sum of gradients, sum of their squares
  C rate, l1_sum, l2_sum;
  WB_HD explicit AdagradDaRule(const UpdateScalars<C>& h)
      : rate(h[0]), l1_sum(h[1] * h[3]), l2_sum(h[2] * h[3]) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    s[1] = s[1] + g;
    s[2] = s[2] + g * g;
    const V sum = l1_sum > C(0) ? Sign(s[1]) * Max(Abs(s[1]) - V(l1_sum), V(0)) : s[1];
    s[0] = -(V(rate) * sum) / (V(l2_sum) * V(rate) + Sqrt(s[2]));
  }
};

template <class C>
struct ProximalAdagradRule {
  static constexpr int kVariables = 2;
  C rate, l1, l2;
  WB_HD explicit ProximalAdagradRule(const UpdateScalars<C>& h) : rate(h[0]), l1(h[1]), l2(h[2]) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    s[1] = s[1] + g * g;
    const V lr = V(rate) / Sqrt(s[1]), to = s[0] - g * lr;
    s[0] = l1 > C(0) ? Shrink(to, V(l1) * lr, V(l2) * lr) : to / (V(1) + V(l2) * lr);
  }
};

template <class C>
struct ProximalGradientDescentRule {
  static constexpr int kVariables = 1;
  C rate, l1, l2;
  WB_HD explicit ProximalGradientDescentRule(const UpdateScalars<C>& h)
      : rate(h[0]), l1(h[1]), l2(h[2]) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    const V lr(rate), to = s[0] - g * lr;
    s[0] = l1 > C(0) ? Shrink(to, V(l1) * lr, V(l2) * lr) : to / (V(1) + V(l2) * lr);
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_TRAINING_RULES_ADAGRAD_H_
