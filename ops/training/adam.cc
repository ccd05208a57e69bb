// Adam, AdamWithAmsgrad, AdaMax: steps by estimates of the gradient's first and second moment.
//
// D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015, algorithm 1 in the
// form with the bias corrections drawn into the rate, and algorithm 2 (AdaMax); T. Dozat,
// "Incorporating Nesterov momentum into Adam", 2016; S. J. Reddi et al., "On the convergence of
// Adam and beyond", 2018 (AMSGrad).

#include "ops/training/update_rule.h"

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

WB_GPU_UPDATE(AdamRule);
WB_GPU_COMPLEX_UPDATE(AdamRule);
WB_GPU_UPDATE(AmsgradRule);
WB_GPU_UPDATE(AdaMaxRule);

#if WB_HOST_PASS
namespace {

UpdateRule Adam() {
  UpdateRule rule{"Adam", "m v", "beta1_power beta2_power lr beta1 beta2 epsilon grad",
                  &FindUpdate<AdamRule, UpdateTypes>};
  rule.attr = "use_nesterov: bool = false";
  rule.cpu = kUpdateTypes, rule.gpu = kUpdateGpuTypes;
  return rule;
}
UpdateRule Amsgrad() {
  UpdateRule rule{"AdamWithAmsgrad", "m v vhat",
                  "beta1_power beta2_power lr beta1 beta2 epsilon grad",
                  &FindUpdate<AmsgradRule, FloatTypeList>};
  rule.has_ref = false;
  rule.cpu = kUpdateRealTypes, rule.gpu = kUpdateRealGpuTypes;
  return rule;
}
UpdateRule AdaMax() {
  UpdateRule rule{"AdaMax", "m v", "beta1_power lr beta1 beta2 epsilon grad",
                  &FindUpdate<AdaMaxRule, FloatTypeList>};
  rule.cpu = rule.gpu = kUpdateRealGpuTypes;
  return rule;
}

const UpdateOps adam(Adam(), WB_OP_LIBRARY);
const UpdateOps amsgrad(Amsgrad(), WB_OP_LIBRARY);
const UpdateOps ada_max(AdaMax(), WB_OP_LIBRARY);

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS
