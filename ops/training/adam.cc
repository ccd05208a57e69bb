// Adam, AdamWithAmsgrad, AdaMax: steps by estimates of the gradient's first and second moment.
//
// D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015, algorithm 1 in the
// form with the bias corrections drawn into the rate, and algorithm 2 (AdaMax); T. Dozat,
// "Incorporating Nesterov momentum into Adam", 2016; S. J. Reddi et al., "On the convergence of
// Adam and beyond", 2018 (AMSGrad).

#include "ops/training/rules/adam.h"

#include "ops/training/update_rule.h"

namespace warpbeam::WB_PASS {

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
