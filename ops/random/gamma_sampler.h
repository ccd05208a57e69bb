// GammaSampler: samples of the gamma distribution of shape alpha and scale 1, for the host and for
// GPUs.
//
// Marsaglia and Tsang, "A simple method for generating gamma variables" (2000): a cubed normal
// value, accepted or drawn again; for alpha < 1 a sample of alpha + 1 times a power of a uniform.
//
//   StreamDoubles doubles(stream.After(i * kBlocksPerElement));     // on the host
//   double y = GammaSampler(alpha).Sample(doubles);
//
// Every sample has its own stretch of the stream. Draws until a value is accepted or the step is
// over: nobody sees what is returned then. Thread safety: values. Errors: none.
#ifndef WARPBEAM_OPS_RANDOM_GAMMA_SAMPLER_H_
#define WARPBEAM_OPS_RANDOM_GAMMA_SAMPLER_H_

#include "ops/launch/math.h"
#include "ops/launch/pass.h"
#if WB_HOST_PASS
#include "ops/random/distributions.h"
#include "runtime/kernel/running_step.h"
#endif

namespace warpbeam::WB_PASS {

class GammaSampler {
 public:
  WB_HD explicit GammaSampler(double alpha)
      : alpha_(alpha), d_(alpha + (alpha < 1 ? 2.0 / 3 : -1.0 / 3)), c_(1.0 / 3 / Sqrt(d_)) {}

  // Doubles has Uniform(), Normal(), and IsOver().
  template <class Doubles>
  WB_HD double Sample(Doubles& doubles) const {
    if (alpha_ == 1) return -Log1p(-doubles.Uniform());
    while (!doubles.IsOver()) {
      const double x = doubles.Normal();
      const double root = 1 + c_ * x;
      if (root <= 0) continue;
      const double v = root * root * root;
      const double u = doubles.Uniform();
      const double x2 = x * x;
      // The first test decides most cases without a logarithm.
      if (u >= 1 - 0.0331 * x2 * x2 && Log(u) >= 0.5 * x2 + d_ * (1 - v + Log(v))) continue;
      return alpha_ < 1 ? d_ * v * Pow(doubles.Uniform(), 1 / alpha_) : d_ * v;
    }
    return 0;
  }

 private:
  double alpha_, d_, c_;
};

#if WB_HOST_PASS

// The values of a stream, as kernels of the host draw them.
class StreamDoubles {
 public:
  explicit StreamDoubles(const Philox& stream) : stream_(stream) {}
  double Uniform() { return uniform_.Next(stream_); }
  double Normal() { return normal_.Next(stream_); }
  bool IsOver() const { return RunningStep::IsOver(); }

 private:
  Philox stream_;
  UniformDoubles uniform_;
  NormalDoubles normal_;
};

#endif

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_RANDOM_GAMMA_SAMPLER_H_
