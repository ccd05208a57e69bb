// TruncatedSampler: normal values cut to an interval.
//
// Wide intervals: normal values, drawn again until one lies inside. Narrow ones and tails: Robert,
// "Simulation of truncated normal variables" (1995), from a uniform or an exponential proposal,
// whichever is accepted more often.
//
//   WB_ASSIGN_OR_RETURN(TruncatedSampler s, TruncatedSampler::Make(mean, stdev, low, high));
//   double y = s.Sample(stream);
//
// Thread safety: values. Errors: INVALID_ARGUMENT for parameters that describe no distribution.
#ifndef WARPBEAM_OPS_RANDOM_TRUNCATED_SAMPLER_H_
#define WARPBEAM_OPS_RANDOM_TRUNCATED_SAMPLER_H_

#include <cmath>
#include <utility>

#include "ops/random/distributions.h"

namespace warpbeam {

// A bound this many deviations away on one side leaves so much mass that plain drawing is best.
inline constexpr double kWide = 1.3;

class TruncatedSampler {
 public:
  static absl::StatusOr<TruncatedSampler> Make(double mean, double stdev, double low, double high) {
    if (!(stdev > 0) || !std::isfinite(mean) || !(low < high)) {
      return InvalidArgument("invalid parameters: mean ", mean, ", standard deviation ", stdev,
                             ", interval [", low, ", ", high, "]");
    }
    TruncatedSampler s;
    s.mean_ = mean;
    s.scale_ = stdev;
    s.low_ = (low - mean) / stdev;
    s.high_ = (high - mean) / stdev;
    // The half that holds more of the interval is made the right one.
    if (std::isinf(s.low_) || s.high_ < 0) {
      std::swap(s.low_, s.high_);
      s.low_ = -s.low_;
      s.high_ = -s.high_;
      s.scale_ = -stdev;
    }
    if (std::isinf(s.low_)) {
      return InvalidArgument("the interval must be bounded on one side at least");
    }
    const double root = std::sqrt(s.low_ * s.low_ + 4);
    s.rate_ = (s.low_ + root) / 2;
    const double cutoff = 2 * std::exp(0.5 + s.low_ * (s.low_ - root) / 4) / (s.low_ + root);
    if ((s.low_ < -kWide && s.high_ >= 0) || (s.high_ > kWide && s.low_ <= 0)) {
      s.method_ = kDrawAgain;
    } else {
      s.method_ = s.high_ - s.low_ < cutoff ? kUniform : kExponential;
    }
    return s;
  }

  double Sample(Philox stream) const { return Standard(stream) * scale_ + mean_; }

 private:
  enum Method { kDrawAgain, kUniform, kExponential };

  double Standard(Philox& stream) const {
    UniformDoubles uniform;
    NormalDoubles normal;
    while (true) {
      if (method_ == kDrawAgain) {
        const double z = normal.Next(stream);
        if (z >= low_ && z <= high_) return z;
        continue;
      }
      if (method_ == kUniform) {
        const double z = low_ + uniform.Next(stream) * (high_ - low_);
        const double highest = low_ > 0 ? low_ * low_ : 0;  // of the density, where z² is least
        if (uniform.Next(stream) <= std::exp((highest - z * z) / 2)) return z;
        continue;
      }
      const double z = low_ - std::log1p(-uniform.Next(stream)) / rate_;
      const double x = low_ < rate_ ? rate_ - z : low_ - rate_;
      if (uniform.Next(stream) <= std::exp(-x * x / 2) && z < high_) return z;
    }
  }

  Method method_ = kDrawAgain;
  double mean_ = 0, scale_ = 1, low_ = 0, high_ = 0, rate_ = 1;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_TRUNCATED_SAMPLER_H_
