// AddSign, PowerSign: larger steps where the gradient and its mean agree in sign.
//
// I. Bello et al., "Neural optimizer search with reinforcement learning", 2017.

#include "ops/training/rules/sign_update.h"

#include "ops/training/update_rule.h"

namespace warpbeam::WB_PASS {

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
