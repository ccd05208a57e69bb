// GradientDescent, Momentum, KerasMomentum: steps along the gradient, with or without inertia.
//
// Momentum: B. T. Polyak, "Some methods of speeding up the convergence of iteration methods", 1964;
// Nesterov's form as in I. Sutskever et al., "On the importance of initialization and momentum in
// deep learning", 2013. KerasMomentum keeps the learning rate inside the accumulator.

#include "ops/training/rules/momentum.h"

#include "ops/training/update_rule.h"

namespace warpbeam::WB_PASS {

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
