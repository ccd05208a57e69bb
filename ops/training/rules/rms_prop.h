// The arithmetic of rms_prop.cc: see ops/training/update_rule.h for what a rule is.
//
//   UpdateScalars<float> scalars;
//   const RmsPropRule<float> rule(scalars);
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_TRAINING_RULES_RMS_PROP_H_
#define WARPBEAM_OPS_TRAINING_RULES_RMS_PROP_H_

#include "ops/training/update_block.h"

namespace warpbeam::WB_PASS {

template <class C>
struct RmsPropRule {
  static constexpr int kVariables = 3;  // var, ms, mom
  C rate, one_less_rho, momentum, epsilon;
  WB_HD explicit RmsPropRule(const UpdateScalars<C>& h)
      : rate(h[0]), one_less_rho(C(1) - h[1]), momentum(h[2]), epsilon(h[3]) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    s[1] = s[1] + (g * g - s[1]) * V(one_less_rho);
    s[2] = s[2] * V(momentum) + g * V(rate) / Sqrt(s[1] + V(epsilon));
    s[0] = s[0] - s[2];
  }
};

template <class C>
struct CenteredRmsPropRule {
  static constexpr int kVariables = 4;  // var, mg, ms, mom
  C rate, one_less_rho, momentum, epsilon;
  WB_HD explicit CenteredRmsPropRule(const UpdateScalars<C>& h)
      : rate(h[0]), one_less_rho(C(1) - h[1]), momentum(h[2]), epsilon(h[3]) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    s[2] = s[2] + (g * g - s[2]) * V(one_less_rho);
    s[1] = s[1] + (g - s[1]) * V(one_less_rho);
    const V variance = s[2] - s[1] * s[1] + V(epsilon);
    s[3] = s[3] * V(momentum) + g * V(rate) / Sqrt(variance);
    s[0] = s[0] - s[3];
  }
};

template <class C>
struct AdadeltaRule {
  static constexpr int kVariables = 3;  // var, accum, accum_update
  C rate, rho, one_less_rho, epsilon;
  WB_HD explicit AdadeltaRule(const UpdateScalars<C>& h)
      : rate(h[0]), rho(h[1]), one_less_rho(C(1) - h[1]), epsilon(h[2]) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    s[1] = s[1] * V(rho) + g * g * V(one_less_rho);
    const V step = Sqrt(s[2] + V(epsilon)) / Sqrt(s[1] + V(epsilon)) * g;
    s[0] = s[0] - step * V(rate);
    s[2] = s[2] * V(rho) + step * step * V(one_less_rho);
  }
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_TRAINING_RULES_RMS_PROP_H_
