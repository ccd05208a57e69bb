// GammaSampler: samples of the gamma distribution of shape alpha and scale 1.
//
// Marsaglia and Tsang, "A simple method for generating gamma variables" (2000): a cubed normal
// value, accepted or drawn again; for alpha < 1 a sample of alpha + 1 times a power of a uniform.
//
//   GammaSampler sampler(alpha);
//   double y = sampler.Sample(stream.After(i * kBlocksPerElement));
//
// Draws until a value is accepted or the step is over: nobody sees what is returned then. Thread
// safety: values.
#ifndef WARPBEAM_OPS_RANDOM_GAMMA_SAMPLER_H_
#define WARPBEAM_OPS_RANDOM_GAMMA_SAMPLER_H_

#include <cmath>

#include "ops/random/distributions.h"
#include "runtime/kernel/running_step.h"

namespace warpbeam {

class GammaSampler {
 public:
  explicit GammaSampler(double alpha)
      : alpha_(alpha), d_(alpha + (alpha < 1 ? 2.0 / 3 : -1.0 / 3)), c_(1.0 / 3 / std::sqrt(d_)) {}

  // Every sample has its own stretch of the stream.
  double Sample(Philox stream) const {
    UniformDoubles uniform;
    if (alpha_ == 1) return -std::log1p(-uniform.Next(stream));
    NormalDoubles normal;
    while (!RunningStep::IsOver()) {
      const double x = normal.Next(stream);
      const double root = 1 + c_ * x;
      if (root <= 0) continue;
      const double v = root * root * root;
      const double u = uniform.Next(stream);
      const double x2 = x * x;
      // The first test decides most cases without a logarithm.
      if (u >= 1 - 0.0331 * x2 * x2 && std::log(u) >= 0.5 * x2 + d_ * (1 - v + std::log(v))) {
        continue;
      }
      return alpha_ < 1 ? d_ * v * std::pow(uniform.Next(stream), 1 / alpha_) : d_ * v;
    }
    return 0;
  }

 private:
  double alpha_, d_, c_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_GAMMA_SAMPLER_H_
