// The arithmetic of ftrl.cc: see ops/training/update_rule.h for what a rule is.
//
//   UpdateScalars<float> scalars;
//   const FtrlRule<float> rule(scalars);
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_TRAINING_RULES_FTRL_H_
#define WARPBEAM_OPS_TRAINING_RULES_FTRL_H_

#include "ops/training/update_block.h"

namespace warpbeam::WB_PASS {

template <class C>
struct FtrlRule {
  static constexpr int kVariables = 3;  // var, accum, linear
  C rate, l1, l2, shrinkage, power;
  bool linear_has_rate;
  WB_HD FtrlRule(const UpdateScalars<C>& h, C shrink, C lr_power)
      : rate(h[0]),
        l1(h.flag ? h[1] * h[0] : h[1]),
        l2(C(2) * (h.flag ? h[2] * h[0] : h[2])),
        shrinkage(C(2) * shrink),
        power(-lr_power),
        linear_has_rate(h.flag) {}
  WB_HD explicit FtrlRule(const UpdateScalars<C>& h) : FtrlRule(h, C(0), h[3]) {}

  template <class V>
  WB_HD V Root(V sum) const {
    return power == C(0.5) ? Sqrt(sum) : Pow(sum, V(power));
  }
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    const V sum = s[1] + g * g, root = Root(sum), growth = root - Root(s[1]);
    const V pulled = shrinkage == C(0) ? g : g + V(shrinkage) * s[0];
    const V lr(rate), threshold(l1);
    const V step = linear_has_rate ? pulled * lr - growth * s[0] : pulled - growth / lr * s[0];
    s[2] = s[2] + step;
    s[1] = sum;
    const V curvature = (linear_has_rate ? root : root / lr) + V(l2);
    const V beyond = Sign(s[2]) * threshold - s[2];
    s[0] = Where(Abs(s[2]) > threshold, beyond / curvature, V(0));
  }
};

template <class C>
struct FtrlV2Rule : FtrlRule<C> {
  WB_HD explicit FtrlV2Rule(const UpdateScalars<C>& h) : FtrlRule<C>(h, h[3], h[4]) {}
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_TRAINING_RULES_FTRL_H_
