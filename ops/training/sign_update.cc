// AddSign, PowerSign: larger steps where the gradient and its mean agree in sign.
//
// I. Bello et al., "Neural optimizer search with reinforcement learning", 2017.

#include "ops/training/update_rule.h"

namespace warpbeam::WB_PASS {

// Scalars: lr, alpha or logbase, sign_decay, beta. The mean is updated first.
template <class C>
struct SignRule {
  static constexpr int kVariables = 2;
  C rate, weight, decay, beta;
  WB_HD explicit SignRule(const UpdateScalars<C>& h)
      : rate(h[0]), weight(h[1]), decay(h[2]), beta(h[3]) {}
  template <class V>
  WB_HD V UpdateMean(V* s, V g) const {
    s[1] = s[1] * V(beta) + g * V(C(1) - beta);
    return Sign(g) * Sign(s[1]);
  }
};

template <class C>
struct AddSignRule : SignRule<C> {
  using SignRule<C>::SignRule;
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    const V agreement = this->UpdateMean(s, g);
    s[0] = s[0] - V(this->rate) * (V(this->weight) + V(this->decay) * agreement) * g;
  }
};

template <class C>
struct PowerSignRule : SignRule<C> {
  using SignRule<C>::SignRule;
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    const V agreement = this->UpdateMean(s, g);
    s[0] = s[0] - V(this->rate) * Exp(V(this->weight * this->decay) * agreement) * g;
  }
};

WB_GPU_UPDATE(AddSignRule);
WB_GPU_UPDATE(PowerSignRule);

#if WB_HOST_PASS
namespace {

UpdateRule AddSign() {
  UpdateRule rule{"AddSign", "m", "lr alpha sign_decay beta grad",
                  &FindUpdate<AddSignRule, FloatTypeList>};
  rule.cpu = kUpdateRealTypes, rule.gpu = kUpdateRealGpuTypes;
  return rule;
}
UpdateRule PowerSign() {
  UpdateRule rule{"PowerSign", "m", "lr logbase sign_decay beta grad",
                  &FindUpdate<PowerSignRule, FloatTypeList>};
  rule.cpu = kUpdateRealTypes, rule.gpu = kUpdateRealGpuTypes;
  return rule;
}

const UpdateOps add_sign(AddSign(), WB_OP_LIBRARY);
const UpdateOps power_sign(PowerSign(), WB_OP_LIBRARY);

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS
