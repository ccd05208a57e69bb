// BinomialSampler: how many of `count` trials succeed that each do so with a given probability.
//
// Few successes: geometric values are added up until they exceed the count (Devroye, "Non-Uniform
// Random Variate Generation", 1986). Many: Hoermann, "The generation of binomial random variates"
// (1993), algorithm BTRS. Probabilities above a half count the failures.
//
//   const auto sampler = BinomialSampler::Make<float>(count, probability);
//   double y = sampler.Sample(stream.After(i * kBlocksPerElement));
//
// Draws until a value is accepted or the step is over: nobody sees what is returned then. Thread
// safety: values. Parameters that are not numbers give NaN; counts and probabilities that
// are not positive give 0.
#ifndef WARPBEAM_OPS_RANDOM_BINOMIAL_SAMPLER_H_
#define WARPBEAM_OPS_RANDOM_BINOMIAL_SAMPLER_H_

#include <cmath>
#include <limits>

#include "ops/random/distributions.h"
#include "runtime/kernel/running_step.h"

namespace warpbeam {

class BinomialSampler {
 public:
  // T is the parameters' type: which algorithm samples is decided in its precision.
  template <typename T>
  static BinomialSampler Make(T count, T probability) {
    BinomialSampler s;
    s.count_ = static_cast<double>(count);
    if (s.count_ <= 0 || probability <= T(0.0f)) {
      s.method_ = kFixed;
    } else if (probability >= T(1.0f)) {
      s.method_ = kFixed;
      s.fixed_ = s.count_;
    } else if (std::isnan(static_cast<double>(probability)) || !std::isfinite(s.count_)) {
      s.method_ = kFixed;
      s.fixed_ = std::numeric_limits<double>::quiet_NaN();
    } else {
      s.failures_ = probability > T(0.5f);
      const T p = s.failures_ ? T(1.0f) - probability : probability;
      s.p_ = static_cast<double>(p);
      s.method_ = count * p >= T(10.0f) ? kRejection : kGeometric;
    }
    return s;
  }

  // How far apart the samples of one stream begin.
  uint64_t blocks_per_sample() const { return method_ == kGeometric ? 42 : 256; }

  double Sample(Philox stream) const {
    if (method_ == kFixed) return fixed_;
    const double k = method_ == kRejection ? Rejection(stream) : Geometric(stream);
    return failures_ ? count_ - k : k;
  }

 private:
  enum Method { kFixed, kGeometric, kRejection };

  double Geometric(Philox& stream) const {
    UniformDoubles uniform;
    double sum = 0, k = 0;
    while (!RunningStep::IsOver()) {
      sum += std::ceil(std::log(uniform.Next(stream)) / std::log1p(-p_));
      if (!(sum <= count_)) return k;
      k += 1;
    }
    return 0;
  }

  double Rejection(Philox& stream) const {
    UniformDoubles uniform;
    const double deviation = std::sqrt(count_ * p_ * (1 - p_));
    const double b = 1.15 + 2.53 * deviation;
    const double a = -0.0873 + 0.0248 * b + 0.01 * p_;
    const double c = count_ * p_ + 0.5;
    const double sure = 0.92 - 4.2 / b;
    const double odds = p_ / (1 - p_);
    const double alpha = (2.83 + 5.1 / b) * deviation;
    const double mode = std::floor((count_ + 1) * p_);
    while (!RunningStep::IsOver()) {
      const double u = uniform.Next(stream) - 0.5;
      const double v = uniform.Next(stream);
      const double us = 0.5 - std::abs(u);
      const double k = std::floor((2 * a / us + b) * u + c);
      if (us >= 0.07 && v <= sure) return k;
      if (k < 0 || k > count_) continue;
      const double bound = (mode + 0.5) * std::log((mode + 1) / (odds * (count_ - mode + 1))) +
                           (count_ + 1) * std::log((count_ - mode + 1) / (count_ - k + 1)) +
                           (k + 0.5) * std::log(odds * (count_ - k + 1) / (k + 1)) +
                           StirlingTail(mode) + StirlingTail(count_ - mode) - StirlingTail(k) -
                           StirlingTail(count_ - k);
      if (std::log(v * alpha / (a / (us * us) + b)) <= bound) return k;
    }
    return 0;
  }

  // log(k!) less Stirling's approximation.
  static double StirlingTail(double k) {
    static constexpr double kSmall[] = {
        0.0810614667953272,  0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
        0.0166446911898211,  0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
        0.00925546218271273, 0.00833056343336287};
    if (k >= 0 && k <= 9) return kSmall[static_cast<int>(k)];
    const double square = (k + 1) * (k + 1);
    return (1.0 / 12 - (1.0 / 360 + 1.0 / 1260 / square) / square) / (k + 1);
  }

  Method method_ = kFixed;
  bool failures_ = false;
  double count_ = 0, p_ = 0, fixed_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_BINOMIAL_SAMPLER_H_
