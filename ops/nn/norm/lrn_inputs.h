// The attributes and inputs of LRN and LRNGrad, on every device.
//
//   WB_ASSIGN_OR_RETURN(const LrnAttrs attrs, ReadLrnAttrs(init.attrs));
//   WB_RETURN_IF_ERROR(CheckLrnInputs(ctx));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for a radius that does not fit 32 bits, or naming
// the shapes that LRN (one input) and LRNGrad (three) do not take.
#ifndef WARPBEAM_OPS_NN_NORM_LRN_INPUTS_H_
#define WARPBEAM_OPS_NN_NORM_LRN_INPUTS_H_

#include "graph/types/attr_value.h"
#include "graph/types/errors.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct LrnAttrs {
  int64_t radius;
  float bias, alpha, beta;
};

StatusOr<LrnAttrs> ReadLrnAttrs(const AttrMap& attrs);
Status CheckLrnInputs(const KernelContext& ctx);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_NORM_LRN_INPUTS_H_
