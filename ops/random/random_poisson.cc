// RandomPoisson, RandomPoissonV2: samples of Poisson distributions, one set for each rate.
#include <cmath>

#include "graph/op/op_registry.h"
#include "ops/array/index/index_argument.h"
#include "ops/launch/dispatch.h"
#include "ops/random/poisson_sampler.h"
#include "ops/random/random_shapes.h"
#include "ops/random/random_stream.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

class RandomPoissonKernel final : public RandomKernel<RandomPoissonKernel> {
 public:
  using RandomKernel::RandomKernel;
  Status Compute(KernelContext& ctx) override {
    const Tensor& rate = ctx.input(1);
    WB_ASSIGN_OR_RETURN(Shape samples, ReadShape(ctx.input(0), "shape"));
    Dims dims(samples.dims().begin(), samples.dims().end());
    dims.insert(dims.end(), rate.shape().dims().begin(), rate.shape().dims().end());
    WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const Philox base = stream().ReserveForElements(shape.num_elements());
    return DispatchTypes(PoissonTypes{}, rate.dtype(), [&](auto r) {
      return DispatchTypes(PoissonTypes{}, y->dtype(), [&](auto t) -> Status {
        Fill(ctx, rate.data<typename decltype(r)::type>(), rate.num_elements(),
             samples.num_elements(), base, y->data<typename decltype(t)::type>());
        return OkStatus();
      });
    });
  }

 private:
  template <typename R, typename T>
  static void Fill(KernelContext& ctx, const R* rates, int64_t num_rates, int64_t per_rate,
                   const Philox& base, T* out) {
    StoppableFor(ctx, num_rates * per_rate, 200, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t r = i / per_rate, s = i % per_rate;
        const double rate = static_cast<double>(rates[r]);
        T& y = out[s * num_rates + r];
        if (!std::isfinite(rate)) {
          y = NoSample<T>(rate);
        } else {
          y = static_cast<T>(PoissonSampler(rate, LargestSample<T>())
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
