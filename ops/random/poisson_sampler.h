// PoissonSampler: samples of Poisson distributions.
//
// Small rates: Knuth's product of uniform values (The Art of Computer Programming, vol. 2). Rates
// from 10 on: Hoermann, "The transformed rejection method for generating Poisson random variables"
// (1993), algorithm PTRS.
//
//   double y = PoissonSampler(rate, LargestSample<T>()).Sample(stream);
//
// Draws until a value is accepted, which for some rates never happens, or the step is over: nobody
// sees what is returned then. Thread safety: values. A rate that is not finite has no samples: see
// NoSample.
#ifndef WARPBEAM_OPS_RANDOM_POISSON_SAMPLER_H_
#define WARPBEAM_OPS_RANDOM_POISSON_SAMPLER_H_

#include <cmath>
#include <limits>
#include <type_traits>

#include "ops/launch/type_list.h"
#include "ops/random/distributions.h"
#include "runtime/kernel/running_step.h"

namespace warpbeam {

using PoissonTypes = TypeList<Half, float, double, int32_t, int64_t>;

class PoissonSampler {
 public:
  // `largest` is what the output type holds.
  PoissonSampler(double rate, double largest)
      : rate_(rate),
        largest_(largest),
        log_rate_(std::log(rate)),
        b_(0.931 + 2.53 * std::sqrt(rate)),
        a_(-0.059 + 0.02483 * b_),
        inverse_alpha_(1.1239 + 1.1328 / (b_ - 3.4)) {}

  double Sample(Philox stream) const {
    return rate_ < 10 ? Product(stream) : TransformedRejection(stream);
  }

 private:
  double Product(Philox& stream) const {
    UniformDoubles uniform;
    const double limit = std::exp(-rate_);
    double product = 1, k = 0;
    while (!RunningStep::IsOver()) {
      product *= uniform.Next(stream);
      if (product <= limit && k <= largest_) return k;
      k += 1;
    }
    return 0;
  }
  double TransformedRejection(Philox& stream) const {
    UniformDoubles uniform;
    while (!RunningStep::IsOver()) {
      const double u = uniform.Next(stream) - 0.5;
      const double v = uniform.Next(stream);
      const double us = 0.5 - std::abs(u);
      const double k = std::floor((2 * a_ / us + b_) * u + rate_ + 0.43);
      if (k > largest_) continue;
      if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b_ - 2)) return k;
      if (k < 0 || (us < 0.013 && v > us)) continue;
      const double s = std::log(v * inverse_alpha_ / (a_ / (us * us) + b_));
      if (s <= -rate_ + k * log_rate_ - std::lgamma(k + 1)) return k;
    }
    return 0;
  }

  double rate_, largest_, log_rate_, b_, a_, inverse_alpha_;
};

// The largest value that a type of samples holds.
template <typename T>
double LargestSample() {
  if constexpr (std::is_same_v<T, Half>) {
    return 65504;
  } else {
    return static_cast<double>(std::numeric_limits<T>::max());
  }
}

// The sample of a rate that is not finite: the rate itself, or -1 in integers.
template <typename T>
T NoSample(double rate) {
  if constexpr (std::is_integral_v<T>) {
    return T{-1};
  } else {
    return static_cast<T>(rate);
  }
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_POISSON_SAMPLER_H_
