// RandomPoisson, RandomPoissonV2: samples of Poisson distributions, one set for each rate.
//
// Small rates: Knuth's product of uniform values (The Art of Computer Programming, vol. 2). Rates
// from 10 on: Hoermann, "The transformed rejection method for generating Poisson random variables"
// (1993), algorithm PTRS.
#include <cmath>
#include <limits>

#include "graph/op/op_registry.h"
#include "ops/array/index_argument.h"
#include "ops/launch/dispatch.h"
#include "ops/random/distributions.h"
#include "ops/random/random_shapes.h"
#include "ops/random/random_stream.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

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
    while (true) {
      product *= uniform.Next(stream);
      if (product <= limit && k <= largest_) return k;
      k += 1;
    }
  }
  double TransformedRejection(Philox& stream) const {
    UniformDoubles uniform;
    while (true) {
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
  }

  double rate_, largest_, log_rate_, b_, a_, inverse_alpha_;
};

template <typename T>
double Largest() {
  if constexpr (std::is_same_v<T, Half>) {
    return 65504;
  } else {
    return static_cast<double>(std::numeric_limits<T>::max());
  }
}

// Of a rate that is not finite: the rate itself, or -1 in integers.
template <typename T>
T NoSample(double rate) {
  if constexpr (std::is_integral_v<T>) {
    return T{-1};
  } else {
    return static_cast<T>(rate);
  }
}

class RandomPoissonKernel final : public RandomKernel<RandomPoissonKernel> {
 public:
  using RandomKernel::RandomKernel;
  absl::Status Compute(KernelContext& ctx) override {
    const Tensor& rate = ctx.input(1);
    WB_ASSIGN_OR_RETURN(Shape samples, ReadShape(ctx.input(0), "shape"));
    Dims dims(samples.dims().begin(), samples.dims().end());
    dims.insert(dims.end(), rate.shape().dims().begin(), rate.shape().dims().end());
    WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    const Philox base = stream().ReserveForElements(shape.num_elements());
    return DispatchTypes(PoissonTypes{}, rate.dtype(), [&](auto r) {
      return DispatchTypes(PoissonTypes{}, y->dtype(), [&](auto t) -> absl::Status {
        Fill(ctx, rate.data<typename decltype(r)::type>(), rate.num_elements(),
             samples.num_elements(), base, y->data<typename decltype(t)::type>());
        return absl::OkStatus();
      });
    });
  }

 private:
  template <typename R, typename T>
  static void Fill(KernelContext& ctx, const R* rates, int64_t num_rates, int64_t per_rate,
                   const Philox& base, T* out) {
    ctx.ParallelFor(num_rates * per_rate, 200, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t r = i / per_rate, s = i % per_rate;
        const double rate = static_cast<double>(rates[r]);
        T& y = out[s * num_rates + r];
        if (!std::isfinite(rate)) {
          y = NoSample<T>(rate);
        } else {
          y = static_cast<T>(PoissonSampler(rate, Largest<T>())
                                 .Sample(base.After(static_cast<uint64_t>(i) * kBlocksPerElement)));
        }
      }
    });
  }
};

WB_OP("RandomPoisson")
    .Input("shape: S")
    .Input("rate: dtype")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("S: {int32, int64}")
    .Attr("dtype: {half, float, double}")
    .Stateful()
    .Deprecated(25, "RandomPoissonV2 took its place")
    .Shape(SamplesOfParametersShape);
WB_KERNEL("RandomPoisson", RandomPoissonKernel)
    .Cpu({{"dtype", TypeSet{DType::kHalf, DType::kFloat, DType::kDouble}}});

constexpr TypeSet kPoissonTypes = TypeSetOf(PoissonTypes{});
WB_OP("RandomPoissonV2")
    .Input("shape: S")
    .Input("rate: R")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("S: {int32, int64}")
    .Attr("R: {half, float, double, int32, int64} = DT_DOUBLE")
    .Attr("dtype: {half, float, double, int32, int64} = DT_INT64")
    .Stateful()
    .Shape(SamplesOfParametersShape);
WB_KERNEL("RandomPoissonV2", RandomPoissonKernel)
    .Cpu({{"R", kPoissonTypes}, {"dtype", kPoissonTypes}});

}  // namespace
}  // namespace warpbeam
