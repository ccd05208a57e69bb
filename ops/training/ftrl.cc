// Ftrl, FtrlV2: follow the regularised leader, each coordinate with a rate of its own.
//
// H. B. McMahan et al., "Ad click prediction: a view from the trenches", 2013, algorithm 1. V2 adds
// a shrinkage that pulls the gradient, not the sums, towards zero weights.

#include "ops/training/rules/ftrl.h"

#include "ops/training/update_rule.h"

namespace warpbeam::WB_PASS {

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
