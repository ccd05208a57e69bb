// Adagrad, AdagradV2, AdagradDA, ProximalAdagrad, ProximalGradientDescent.
//
// J. Duchi, E. Hazan, Y. Singer, "Adaptive subgradient methods for online learning and stochastic
// optimization", 2011 (DA: the primal-dual form with the l1 projection); J. Duchi and Y. Singer,
// "Efficient online and batch learning using forward backward splitting", 2009 (proximal steps).

#include "ops/training/update_rule.h"

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

WB_GPU_UPDATE(AdagradRule);
WB_GPU_COMPLEX_UPDATE(AdagradRule);
WB_GPU_SPARSE_UPDATE(AdagradRule);
WB_GPU_UPDATE(AdagradV2Rule);
WB_GPU_COMPLEX_UPDATE(AdagradV2Rule);
WB_GPU_SPARSE_UPDATE(AdagradV2Rule);
WB_GPU_UPDATE(ProximalAdagradRule);
WB_GPU_SPARSE_UPDATE(ProximalAdagradRule);

#if WB_HOST_PASS
namespace {

UpdateRule Adagrad() {
  UpdateRule rule{"Adagrad", "accum", "lr grad", &FindUpdate<AdagradRule, UpdateTypes>};
  rule.attr = "update_slots: bool = true";
  rule.cpu = rule.sparse_cpu = kUpdateTypes;
  rule.gpu = kUpdateGpuTypes, rule.sparse_gpu = kUpdateRealGpuTypes;
  return rule;
}
UpdateRule AdagradV2() {
  UpdateRule rule = Adagrad();
  rule.name = "AdagradV2";
  rule.arguments = "lr epsilon grad";
  rule.find = &FindUpdate<AdagradV2Rule, UpdateTypes>;
  return rule;
}
UpdateRule AdagradDa() {
  UpdateRule rule{"AdagradDA", "gradient_accumulator gradient_squared_accumulator",
                  "grad lr l1 l2 global_step", &FindUpdate<AdagradDaRule, TypeList<float, double>>};
  rule.cpu = rule.sparse_cpu = kUpdateWideTypes;
  return rule;
}
// Half has GPU kernels only.
UpdateRule ProximalAdagrad() {
  UpdateRule rule{"ProximalAdagrad", "accum", "lr l1 l2 grad",
                  &FindUpdate<ProximalAdagradRule, TypeList<Half, float, double>>};
  rule.cpu = rule.sparse_cpu = kUpdateWideTypes;
  rule.gpu = rule.sparse_gpu = kUpdateRealGpuTypes;
  rule.positive = "lr", rule.not_negative = "l1 l2";
  return rule;
}
UpdateRule ProximalGradientDescent() {
  UpdateRule rule{"ProximalGradientDescent", "", "alpha l1 l2 delta",
                  &FindUpdate<ProximalGradientDescentRule, TypeList<float, double>>};
  rule.cpu = rule.sparse_cpu = kUpdateWideTypes;
  return rule;
}

const UpdateOps adagrad(Adagrad(), WB_OP_LIBRARY);
const UpdateOps adagrad_v2(AdagradV2(), WB_OP_LIBRARY);
const UpdateOps adagrad_da(AdagradDa(), WB_OP_LIBRARY);
const UpdateOps proximal_adagrad(ProximalAdagrad(), WB_OP_LIBRARY);
const UpdateOps proximal_gradient_descent(ProximalGradientDescent(), WB_OP_LIBRARY);

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS
