// Ftrl, FtrlV2: follow the regularised leader, each coordinate with a rate of its own.
//
// H. B. McMahan et al., "Ad click prediction: a view from the trenches", 2013, algorithm 1. V2 adds
// a shrinkage that pulls the gradient, not the sums, towards zero weights.

#include "ops/training/update_rule.h"

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

WB_GPU_UPDATE(FtrlRule);
WB_GPU_SPARSE_UPDATE(FtrlRule);
WB_GPU_UPDATE(FtrlV2Rule);
WB_GPU_SPARSE_UPDATE(FtrlV2Rule);

#if WB_HOST_PASS
namespace {

UpdateRule Ftrl() {
  UpdateRule rule{"Ftrl", "accum linear", "grad lr l1 l2 lr_power",
                  &FindUpdate<FtrlRule, FloatTypeList>};
  rule.attr = "multiply_linear_by_lr: bool = false";
  rule.cpu = rule.sparse_cpu = kUpdateRealTypes;
  rule.gpu = rule.sparse_gpu = kUpdateRealGpuTypes;
  rule.positive = "lr", rule.not_negative = "l1 l2 l2_shrinkage", rule.not_positive = "lr_power";
  rule.dense_is_checked = false;
  rule.flag_allows_zero = true;
  return rule;
}
UpdateRule FtrlV2() {
  UpdateRule rule = Ftrl();
  rule.name = "FtrlV2";
  rule.arguments = "grad lr l1 l2 l2_shrinkage lr_power";
  rule.find = &FindUpdate<FtrlV2Rule, FloatTypeList>;
  return rule;
}

const UpdateOps ftrl(Ftrl(), WB_OP_LIBRARY);
const UpdateOps ftrl_v2(FtrlV2(), WB_OP_LIBRARY);

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS
