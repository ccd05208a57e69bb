// KmeansPlusPlusInitialization: centers to begin k-means with, drawn from the points one after the
// other, each with a chance in proportion to the square of its distance from those drawn before:
// Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding" (SODA 2007). With
// retries, the best of several draws is taken: the one that leaves the least sum of squares.
// KMC2ChainInitialization: one such draw out of candidates, as the last state of a Markov chain:
// Bachem, Lucic, Hassani and Krause, "Approximate k-means++ in sublinear time" (AAAI 2016).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/nn/sampling/range_sampler.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// The order of the random numbers is TensorFlow's, so that a seed gives the same centers.
class CenterDraw {
 public:
  CenterDraw(const Tensor& points, uint64_t seed)
      : points_(points.data<float>()),
        count_(points.dim(0)),
        width_(points.dim(1)),
        numbers_(Philox(seed, 0)),
        nearest_(static_cast<size_t>(count_), std::numeric_limits<float>::infinity()),
        sums_(static_cast<size_t>(count_)) {}

  // The next point; `tries` draws are compared.
  int64_t Next(KernelContext& ctx, int64_t tries) {
    if (!first_) std::partial_sum(nearest_.begin(), nearest_.end(), sums_.begin());
    std::vector<float> best;
    float least = std::numeric_limits<float>::infinity();
    int64_t chosen = -1;
    for (int64_t i = 0; i < tries && (i == 0 || !ctx.IsCancelled()); ++i) {
      const int64_t drawn = Draw();
      std::vector<float> nearest = NearestWith(ctx, drawn);
      const float sum = std::accumulate(nearest.begin(), nearest.end(), 0.0f);
      if (chosen >= 0 && !(sum < least)) continue;
      chosen = drawn;
      least = sum;
      best.swap(nearest);
    }
    nearest_.swap(best);
    first_ = false;
    return chosen;
  }

 private:
  // A point that stands where one is already has no chance, unless all do.
  int64_t Draw() {
    if (first_) return static_cast<int64_t>(numbers_.Below64(static_cast<uint64_t>(count_)));
    const float at = numbers_.Float() * sums_.back();
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), at);
    return std::min<int64_t>(found - sums_.begin(), count_ - 1);
  }

  // Half the squares of the distances to the nearest center, were `center` one of them.
  std::vector<float> NearestWith(KernelContext& ctx, int64_t center) const {
    std::vector<float> nearest = nearest_;
    const float* to = points_ + center * width_;
    ctx.ParallelFor(count_, width_ + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const float* from = points_ + i * width_;
        float square = 0;
        for (int64_t d = 0; d < width_; ++d) square += (from[d] - to[d]) * (from[d] - to[d]);
        float& least = nearest[static_cast<size_t>(i)];
        least = std::min(least, square / 2);
      }
    });
    return nearest;
  }

  const float* const points_;
  const int64_t count_, width_;
  SamplerNumbers numbers_;
  std::vector<float> nearest_, sums_;
  bool first_ = true;
};

Status CheckScalar(const Tensor& t, const char* name) {
  if (t.rank() == 0) return OkStatus();
  return InvalidArgument("Input ", name, " should be a scalar, not of shape ",
                         t.shape().ToString());
}

class KmeansPlusPlusKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<KmeansPlusPlusKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& points = ctx.input(0);
    if (points.rank() != 2) {
      return InvalidArgument("Input points should be a matrix, not of shape ",
                             points.shape().ToString());
    }
    WB_RETURN_IF_ERROR(CheckScalar(ctx.input(1), "num_to_sample"));
    WB_RETURN_IF_ERROR(CheckScalar(ctx.input(2), "seed"));
    WB_RETURN_IF_ERROR(CheckScalar(ctx.input(3), "num_retries_per_sample"));
    const int64_t rows = points.dim(0), width = points.dim(1);
    const int64_t wanted = ctx.input(1).scalar<int64_t>();
    if (rows < 1) return InvalidArgument("Expected points.rows() > 0.");
    if (wanted < 1) return InvalidArgument("Expected num_to_sample > 0., but it is ", wanted);
    if (wanted > rows) {
      return InvalidArgument("Expected num_to_sample <= points.rows(). ", wanted, " vs ", rows,
                             ".");
    }
    int64_t retries = ctx.input(3).scalar<int64_t>();
    if (retries < 0) retries = 2 + static_cast<int64_t>(std::log(wanted));
    if (retries == std::numeric_limits<int64_t>::max()) --retries;
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({wanted, width}));
    WB_ASSIGN_OR_RETURN(Tensor * centers, ctx.Allocate(0, shape));
    // Points without coordinates, of which there may be any number, are one as good as the other.
    if (width == 0) return OkStatus();
    CenterDraw draw(points, static_cast<uint64_t>(ctx.input(2).scalar<int64_t>()));
    for (int64_t i = 0; i < wanted; ++i) {
      if (ctx.IsCancelled()) return Cancelled("the step has been cancelled");
      const int64_t point = draw.Next(ctx, retries + 1);
      std::copy_n(points.data<float>() + point * width, width, centers->data<float>() + i * width);
    }
    return OkStatus();
  }
};

class ChainKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ChainKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& distances = ctx.input(0);
    if (distances.rank() != 1) {
      return InvalidArgument("Input distances should be a vector, not of shape ",
                             distances.shape().ToString());
    }
    WB_RETURN_IF_ERROR(CheckScalar(ctx.input(1), "seed"));
    if (distances.dim(0) < 1) return InvalidArgument("Expected distances_tensor.size() > 0.");
    SamplerNumbers numbers(Philox(static_cast<uint64_t>(ctx.input(1).scalar<int64_t>()), 0));
    const float* d = distances.data<float>();
    int64_t state = 0;
    for (int64_t i = 1; i < distances.dim(0); ++i) {
      if (d[i] > numbers.Float() * d[state]) state = i;
    }
    WB_ASSIGN_OR_RETURN(Tensor * index, ctx.Allocate(0, Shape()));
    index->data<int64_t>()[0] = state;
    return OkStatus();
  }
};

WB_OP("KmeansPlusPlusInitialization")
    .Input("points: float")
    .Input("num_to_sample: int64")
    .Input("seed: int64")
    .Input("num_retries_per_sample: int64")
    .Output("samples: float")
    .Shape(shapes::Unknown);
WB_KERNEL("KmeansPlusPlusInitialization", KmeansPlusPlusKernel).Cpu();

WB_OP("KMC2ChainInitialization")
    .Input("distances: float")
    .Input("seed: int64")
    .Output("index: int64")
    .Shape(shapes::Scalar);
WB_KERNEL("KMC2ChainInitialization", ChainKernel).Cpu();

}  // namespace
}  // namespace warpbeam
