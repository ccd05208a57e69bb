#include "ops/nn/norm/lrn_inputs.h"

#include <limits>

namespace warpbeam {

StatusOr<LrnAttrs> ReadLrnAttrs(const AttrMap& attrs) {
  LrnAttrs a;
  WB_ASSIGN_OR_RETURN(a.radius, attrs.Get<int64_t>("depth_radius"));
  WB_ASSIGN_OR_RETURN(a.bias, attrs.Get<float>("bias"));
  WB_ASSIGN_OR_RETURN(a.alpha, attrs.Get<float>("alpha"));
  WB_ASSIGN_OR_RETURN(a.beta, attrs.Get<float>("beta"));
  if (a.radius < 0 || a.radius > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("'depth_radius' must be from 0 to 2^31 - 1, but is ", a.radius);
  }
  return a;
}

Status CheckLrnInputs(const KernelContext& ctx) {
  const Shape& first = ctx.input(0).shape();
  if (ctx.num_inputs() == 1) {
    if (first.rank() == 4) return OkStatus();
    return InvalidArgument("LRN takes data of 4 dimensions, but it has shape ", first.ToString());
  }
  const Shape &x = ctx.input(1).shape(), &y = ctx.input(2).shape();
  if (first.rank() == 4 && x == first && y == first) return OkStatus();
  return InvalidArgument("LRNGrad takes three tensors of one shape with 4 dimensions, but has ",
                         first.ToString(), ", ", x.ToString(), " and ", y.ToString());
}

}  // namespace warpbeam
