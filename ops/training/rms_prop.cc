// RMSProp, CenteredRMSProp, Adadelta: steps scaled by a decaying mean of squared gradients.
//
// T. Tieleman and G. Hinton, "Neural networks for machine learning", lecture 6.5, 2012; A. Graves,
// "Generating sequences with recurrent neural networks", 2013, equations 38 to 45 (centered);
// M. D. Zeiler, "ADADELTA: an adaptive learning rate method", 2012.

#include "ops/training/update_rule.h"

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

WB_GPU_UPDATE(RmsPropRule);
WB_GPU_COMPLEX_UPDATE(RmsPropRule);
WB_GPU_UPDATE(CenteredRmsPropRule);
WB_GPU_COMPLEX_UPDATE(CenteredRmsPropRule);
WB_GPU_UPDATE(AdadeltaRule);
WB_GPU_COMPLEX_UPDATE(AdadeltaRule);
WB_GPU_SPARSE_UPDATE(AdadeltaRule);
WB_GPU_SPARSE_COMPLEX_UPDATE(AdadeltaRule);

#if WB_HOST_PASS
namespace {

// The sparse forms of RMSProp have no bfloat16 kernels.
UpdateRule RmsProp() {
  UpdateRule rule{"RMSProp", "ms mom", "lr rho momentum epsilon grad",
                  &FindUpdate<RmsPropRule, UpdateTypes>};
  rule.cpu = kUpdateTypes, rule.gpu = rule.sparse_cpu = kUpdateGpuTypes;
  return rule;
}
UpdateRule CenteredRmsProp() {
  UpdateRule rule{"CenteredRMSProp", "mg ms mom", "lr rho momentum epsilon grad",
                  &FindUpdate<CenteredRmsPropRule, UpdateTypes>};
  rule.cpu = kUpdateTypes, rule.gpu = rule.sparse_cpu = kUpdateGpuTypes;
  return rule;
}
UpdateRule Adadelta() {
  UpdateRule rule{"Adadelta", "accum accum_update", "lr rho epsilon grad",
                  &FindUpdate<AdadeltaRule, UpdateTypes>};
  rule.cpu = rule.sparse_cpu = kUpdateTypes;
  rule.gpu = rule.sparse_gpu = kUpdateGpuTypes;
  return rule;
}

const UpdateOps rms_prop(RmsProp(), WB_OP_LIBRARY);
const UpdateOps centered_rms_prop(CenteredRmsProp(), WB_OP_LIBRARY);
const UpdateOps adadelta(Adadelta(), WB_OP_LIBRARY);

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS
