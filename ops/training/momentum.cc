// GradientDescent, Momentum, KerasMomentum: steps along the gradient, with or without inertia.
//
// Momentum: B. T. Polyak, "Some methods of speeding up the convergence of iteration methods", 1964;
// Nesterov's form as in I. Sutskever et al., "On the importance of initialization and momentum in
// deep learning", 2013. KerasMomentum keeps the learning rate inside the accumulator.

#include "ops/training/update_rule.h"

namespace warpbeam::WB_PASS {

template <class C>
struct GradientDescentRule {
  static constexpr int kVariables = 1;
  C rate;
  WB_HD explicit GradientDescentRule(const UpdateScalars<C>& h) : rate(h[0]) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    s[0] = s[0] - V(rate) * g;
  }
};

template <class C>
struct MomentumRule {
  static constexpr int kVariables = 2;
  C rate, momentum;
  bool nesterov;
  WB_HD explicit MomentumRule(const UpdateScalars<C>& h)
      : rate(h[0]), momentum(h[1]), nesterov(h.flag) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    const V lr(rate), mu(momentum);
    s[1] = s[1] * mu + g;
    s[0] = s[0] - (nesterov ? g * lr + s[1] * mu * lr : s[1] * lr);
  }
};

template <class C>
struct KerasMomentumRule {
  static constexpr int kVariables = 2;
  C rate, momentum;
  bool nesterov;
  WB_HD explicit KerasMomentumRule(const UpdateScalars<C>& h)
      : rate(h[0]), momentum(h[1]), nesterov(h.flag) {}
  template <class V>
  WB_HD void operator()(V* s, V g) const {
    const V lr(rate), mu(momentum);
    s[1] = s[1] * mu - g * lr;
    s[0] = s[0] + (nesterov ? s[1] * mu - g * lr : s[1]);
  }
};

WB_GPU_UPDATE(GradientDescentRule);
WB_GPU_COMPLEX_UPDATE(GradientDescentRule);
WB_GPU_UPDATE(MomentumRule);
WB_GPU_COMPLEX_UPDATE(MomentumRule);
WB_GPU_UPDATE(KerasMomentumRule);
WB_GPU_COMPLEX_UPDATE(KerasMomentumRule);
WB_GPU_SPARSE_UPDATE(KerasMomentumRule);
WB_GPU_SPARSE_COMPLEX_UPDATE(KerasMomentumRule);

#if WB_HOST_PASS
namespace {

UpdateRule GradientDescent() {
  UpdateRule rule{"GradientDescent", "", "alpha delta",
                  &FindUpdate<GradientDescentRule, UpdateTypes>};
  rule.cpu = kUpdateTypes, rule.gpu = kUpdateGpuTypes;
  return rule;
}
UpdateRule Momentum() {
  UpdateRule rule{"Momentum", "accum", "lr grad momentum", &FindUpdate<MomentumRule, UpdateTypes>};
  rule.attr = "use_nesterov: bool = false";
  rule.cpu = rule.sparse_cpu = kUpdateTypes, rule.gpu = kUpdateGpuTypes;
  return rule;
}
UpdateRule KerasMomentum() {
  UpdateRule rule{"KerasMomentum", "accum", "lr grad momentum",
                  &FindUpdate<KerasMomentumRule, UpdateTypes>};
  rule.attr = "use_nesterov: bool = false";
  rule.has_ref = false;
  rule.cpu = rule.sparse_cpu = kUpdateTypes, rule.gpu = rule.sparse_gpu = kUpdateGpuTypes;
  return rule;
}

const UpdateOps gradient_descent(GradientDescent(), WB_OP_LIBRARY);
const UpdateOps momentum(Momentum(), WB_OP_LIBRARY);
const UpdateOps keras_momentum(KerasMomentum(), WB_OP_LIBRARY);

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS
