// RMSProp, CenteredRMSProp, Adadelta: steps scaled by a decaying mean of squared gradients.
//
// T. Tieleman and G. Hinton, "Neural networks for machine learning", lecture 6.5, 2012; A. Graves,
// "Generating sequences with recurrent neural networks", 2013, equations 38 to 45 (centered);
// M. D. Zeiler, "ADADELTA: an adaptive learning rate method", 2012.

#include "ops/training/rules/rms_prop.h"

#include "ops/training/update_rule.h"

namespace warpbeam::WB_PASS {

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
