// TruncatedSampler: normal values cut to an interval, equal to TensorFlow's bit by bit.
//
// Wide intervals: normal values, drawn again until one lies inside. Narrow ones and tails: Robert,
// "Simulation of truncated normal variables" (1995), from a uniform or an exponential proposal,
// whichever is accepted more often.
//
//   WB_ASSIGN_OR_RETURN(auto sampler, TruncatedSampler<float>::Make(mean, stdev, low, high));
//   WB_RETURN_IF_ERROR(sampler.Fill(stream, out, /*count=*/100, /*stride=*/1));
//
// Whole blocks are drawn from the stream, as many as the rejections need; T rounds every single
// result, because its rounding decides what is accepted. Thread safety: values. Errors:
// INVALID_ARGUMENT for parameters that describe no distribution, INTERNAL when a thousand values in
// a row were not accepted.
#ifndef WARPBEAM_OPS_RANDOM_TRUNCATED_SAMPLER_H_
#define WARPBEAM_OPS_RANDOM_TRUNCATED_SAMPLER_H_

#include <cmath>
#include <utility>

#include "graph/types/errors.h"
#include "ops/launch/type_list.h"
#include "ops/random/distributions.h"

namespace warpbeam {

template <typename T>
class TruncatedSampler {
 public:
  // A value is drawn at most so many times.
  static constexpr int kMostTries = 1000;

  static StatusOr<TruncatedSampler> Make(T mean, T stdev, T low, T high) {
    const bool is_unbounded = std::isinf(Wide(low)) && std::isinf(Wide(high));
    if (!(stdev > T(0.0f)) || !std::isfinite(Wide(mean)) || !(low < high) || is_unbounded) {
      return InvalidArgument("invalid parameters: mean ", Wide(mean), ", standard deviation ",
                             Wide(stdev), ", interval [", Wide(low), ", ", Wide(high),
                             "]: the deviation must be positive and the interval not empty and ",
                             "bounded on one side at least");
    }
    TruncatedSampler s;
    s.mean_ = mean;
    s.scale_ = stdev;
    // The half that holds more of the interval is made the right one.
    if (std::isinf(Wide(low)) || high < mean) {
      std::swap(low, high);
      s.scale_ = -stdev;
    }
    s.low_ = (low - mean) / s.scale_;
    s.high_ = (high - mean) / s.scale_;
    return s;
  }

  // Writes out[0], out[stride], … `count` values.
  Status Fill(Philox& stream, T* out, int64_t count, int64_t stride) {
    out_ = out;
    left_ = count;
    stride_ = stride;
    tries_ = 0;
    // A bound this many deviations away on one side leaves so much mass that plain drawing is best.
    const T wide = T(1.3f), zero = T(0.0f);
    if ((low_ < -wide && high_ >= zero) || (high_ > wide && low_ <= zero)) return DrawAgain(stream);
    const T root = Rounded([](auto v) { return std::sqrt(v); }, low_ * low_ + T(4.0f));
    const T cutoff = T(2.0f) * Exp(T(0.5f) + (low_ * (low_ - root)) / T(4.0f)) / (low_ + root);
    const T range = high_ - low_;
    return range < cutoff ? FromUniform(stream, range)
                          : FromExponential(stream, (low_ + root) / T(2.0f));
  }

 private:
  static double Wide(T x) { return static_cast<double>(x); }
  template <typename Fn>
  static T Rounded(Fn fn, T x) {
    return static_cast<T>(fn(static_cast<ComputeType<T>>(x)));
  }
  static T Exp(T x) {
    return Rounded([](auto v) { return std::exp(v); }, x);
  }

  Status DrawAgain(Philox& stream) {
    while (left_ > 0) {
      for (const T z : NormalBlock<T>(stream)) {
        WB_RETURN_IF_ERROR(Offer(z, z >= low_ && z <= high_));
      }
    }
    return OkStatus();
  }

  Status FromUniform(Philox& stream, T range) {
    // The density where it is highest in the interval.
    const T highest = low_ < T(0.0f) ? T(0.0f) : low_ * low_;
    while (left_ > 0) {
      const BlockValues<T> place = UniformBlock<T>(stream), height = UniformBlock<T>(stream);
      for (size_t i = 0; i < place.size(); ++i) {
        const T z = place[i] * range + low_;
        WB_RETURN_IF_ERROR(Offer(z, height[i] <= Exp((highest - z * z) / T(2.0f))));
      }
    }
    return OkStatus();
  }

  Status FromExponential(Philox& stream, T rate) {
    while (left_ > 0) {
      const BlockValues<T> values = UniformBlock<T>(stream);
      for (size_t i = 0; i < values.size(); i += 2) {
        const T z = -Rounded([](auto v) { return std::log(v); }, values[i]) / rate + low_;
        const T x = low_ < rate ? rate - z : low_ - rate;
        WB_RETURN_IF_ERROR(Offer(z, values[i + 1] <= Exp(-x * x / T(2.0f)) && z < high_));
      }
    }
    return OkStatus();
  }

  // What a block has beyond the last value is dropped.
  Status Offer(T z, bool accepted) {
    if (left_ == 0) return OkStatus();
    if (accepted) {
      *out_ = z * scale_ + mean_;
      out_ += stride_;
      --left_;
      tries_ = 0;
      return OkStatus();
    }
    if (++tries_ < kMostTries) return OkStatus();
    return Internal("none of ", kMostTries, " values in a row was accepted in the interval [",
                    Wide(low_), ", ", Wide(high_), "] of the standard normal distribution");
  }

  T mean_ = T(0.0f), scale_ = T(1.0f), low_ = T(0.0f), high_ = T(0.0f);
  T* out_ = nullptr;
  int64_t left_ = 0, stride_ = 1;
  int tries_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_TRUNCATED_SAMPLER_H_
