// The arithmetic of sign_update.cc: see ops/training/update_rule.h for what a rule is.
//
//   UpdateScalars<float> scalars;
//   const AddSignRule<float> rule(scalars);
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_TRAINING_RULES_SIGN_UPDATE_H_
#define WARPBEAM_OPS_TRAINING_RULES_SIGN_UPDATE_H_

#include "ops/training/update_block.h"

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

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_TRAINING_RULES_SIGN_UPDATE_H_
