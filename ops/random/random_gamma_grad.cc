// RandomGammaGrad: the derivative of gamma distributions' samples by their shape parameter alpha.

#include "ops/launch/elementwise_table.h"

#if WB_CUDA_PASS
#pragma nv_diag_suppress 20012  // of what Eigen marks for devices without need
#endif
#include <unsupported/Eigen/SpecialFunctions>

namespace warpbeam::WB_PASS {

struct RandomGammaGradFn {
  static constexpr int kPicoseconds = 500000;
  template <class V>
  WB_HD V operator()(V alpha, V sample) const {
    return Eigen::numext::gamma_sample_der_alpha(alpha, sample);
  }
};

using GammaGradTypes = TypeList<float, double>;
WB_BINARY_KERNEL("RandomGammaGrad", RandomGammaGradFn, SameType, GammaGradTypes, GammaGradTypes);

#if WB_HOST_PASS
WB_OP("RandomGammaGrad")
    .Input("alpha: T")
    .Input("sample: T")
    .Output("output: T")
    .Attr("T: {float, double}")
    .Shape(shapes::BroadcastBinary);
#endif

}  // namespace warpbeam::WB_PASS
