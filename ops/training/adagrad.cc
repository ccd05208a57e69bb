// Adagrad, AdagradV2, AdagradDA, ProximalAdagrad, ProximalGradientDescent.
//
// J. Duchi, E. Hazan, Y. Singer, "Adaptive subgradient methods for online learning and stochastic
// optimization", 2011 (DA: the primal-dual form with the l1 projection); J. Duchi and Y. Singer,
// "Efficient online and batch learning using forward backward splitting", 2009 (proximal steps).

#include "ops/training/rules/adagrad.h"

#include "ops/training/update_rule.h"

namespace warpbeam::WB_PASS {

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
