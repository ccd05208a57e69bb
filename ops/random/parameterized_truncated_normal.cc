// ParameterizedTruncatedNormal: normal values cut to an interval, with parameters for each batch.
//
// Wide intervals: normal values, drawn again until one lies inside. Narrow ones and tails: Robert,
// "Simulation of truncated normal variables" (1995), from a uniform or an exponential proposal,
// whichever is accepted more often.
#include <cmath>
#include <utility>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/index_argument.h"
#include "ops/launch/dispatch.h"
#include "ops/random/distributions.h"
#include "ops/random/random_shapes.h"
#include "ops/random/random_stream.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// A bound this many deviations away on one side leaves so much mass that plain drawing is best.
constexpr double kWide = 1.3;

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

// The parameters of one batch: each input has one value for all or one for each.
template <typename T>
absl::StatusOr<std::vector<TruncatedSampler>> Samplers(KernelContext& ctx, int64_t batches) {
  const auto value = [&](int input, int64_t batch) {
    const Tensor& t = ctx.input(input);
    return static_cast<double>(t.data<T>()[t.num_elements() == 1 ? 0 : batch]);
  };
  std::vector<TruncatedSampler> samplers;
  for (int64_t b = 0; b < batches; ++b) {
    WB_ASSIGN_OR_RETURN(TruncatedSampler s,
                        TruncatedSampler::Make(value(1, b), value(2, b), value(3, b), value(4, b)));
    samplers.push_back(s);
  }
  return samplers;
}

class ParameterizedTruncatedNormalKernel final
    : public RandomKernel<ParameterizedTruncatedNormalKernel> {
 public:
  using RandomKernel::RandomKernel;
  absl::Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(0), "shape"));
    if (shape.rank() == 0) return InvalidArgument("'shape' must not be empty");
    bool alike = true;
    for (int i = 1; i < 5; ++i) {
      const Tensor& t = ctx.input(i);
      if (t.rank() > 1 || (t.num_elements() != 1 && t.num_elements() != shape.dim(0))) {
        return InvalidArgument("input ", i, " must have one value or one for each of ",
                               shape.dim(0), " batches, not the shape ", t.shape().ToString());
      }
      alike = alike && t.num_elements() == 1;
    }
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    const int64_t count = shape.num_elements();
    if (count == 0) return absl::OkStatus();
    const int64_t batches = alike ? 1 : shape.dim(0);
    const int64_t per_batch = count / batches;
    const Philox base = stream().ReserveForElements(count);
    using Types = TypeList<Half, float, double>;
    return DispatchTypes(Types{}, y->dtype(), [&](auto tag) -> absl::Status {
      using T = typename decltype(tag)::type;
      WB_ASSIGN_OR_RETURN(std::vector<TruncatedSampler> samplers, Samplers<T>(ctx, batches));
      T* out = y->data<T>();
      ctx.ParallelFor(count, 120, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const Philox own = base.After(static_cast<uint64_t>(i) * kBlocksPerElement);
          out[i] = static_cast<T>(samplers[static_cast<size_t>(i / per_batch)].Sample(own));
        }
      });
      return absl::OkStatus();
    });
  }
};

constexpr TypeSet kTypes = {DType::kHalf, DType::kFloat, DType::kDouble};
WB_OP("ParameterizedTruncatedNormal")
    .Input("shape: T")
    .Input("means: dtype")
    .Input("stdevs: dtype")
    .Input("minvals: dtype")
    .Input("maxvals: dtype")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("dtype: {half, bfloat16, float, double}")
    .Attr("T: {int32, int64}")
    .Stateful()
    .Shape(RandomShape);
WB_KERNEL("ParameterizedTruncatedNormal", ParameterizedTruncatedNormalKernel)
    .Cpu({{"dtype", kTypes}})
    .Gpu({{"dtype", kTypes}})
    .HostMemory({"shape"});
WB_NO_GRADIENT("ParameterizedTruncatedNormal");

}  // namespace
}  // namespace warpbeam
