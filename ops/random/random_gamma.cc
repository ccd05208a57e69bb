// RandomGamma: samples of gamma distributions, one set for each shape parameter alpha.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/index/index_argument.h"
#include "ops/launch/dispatch.h"
#include "ops/random/gamma_sampler.h"
#include "ops/random/random_shapes.h"
#include "ops/random/random_stream.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

using GammaTypes = TypeList<Half, float, double>;

class RandomGammaKernel final : public RandomKernel<RandomGammaKernel> {
 public:
  using RandomKernel::RandomKernel;
  Status Compute(KernelContext& ctx) override {
    const Tensor& alpha = ctx.input(1);
    WB_ASSIGN_OR_RETURN(Shape samples, ReadShape(ctx.input(0), "shape"));
    Dims dims(samples.dims().begin(), samples.dims().end());
    dims.insert(dims.end(), alpha.shape().dims().begin(), alpha.shape().dims().end());
    WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    const int64_t count = shape.num_elements();
    if (count == 0) return OkStatus();
    const Philox base = stream().ReserveForElements(count);
    const int64_t per_alpha = samples.num_elements(), alphas = alpha.num_elements();
    return DispatchTypes(GammaTypes{}, y->dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      T* out = y->data<T>();
      // Numbered alpha by alpha, stored sample by sample.
      StoppableFor(ctx, count, 150, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t a = i / per_alpha, s = i % per_alpha;
          const host_pass::GammaSampler sampler(static_cast<double>(alpha.data<T>()[a]));
          host_pass::StreamDoubles doubles(
              base.After(static_cast<uint64_t>(i) * kBlocksPerElement));
          out[s * alphas + a] = static_cast<T>(sampler.Sample(doubles));
        }
      });
      return OkStatus();
    });
  }
};

// Samples follow alpha smoothly (implicit reparameterisation); the samples' dimensions, those in
// front, are summed over.
Status RandomGammaGradient(GradContext& c) {
  const OutputRef shape = c.x(0), alpha = c.x(1);
  const OutputRef rank = c.Emit("Size", {shape});
  const OutputRef ones =
      c.Emit("Fill", {c.Emit("ExpandDims", {rank, c.Scalar<int32_t>(0)}), c.Scalar<int32_t>(1)});
  const OutputRef spread =
      c.Emit("ConcatV2", {ones, c.ShapeOf(alpha), c.Scalar<int32_t>(0)}, {{"N", int64_t{2}}});
  const OutputRef slope = c.Emit("RandomGammaGrad", {c.Reshape(alpha, spread), c.y(0)});
  const OutputRef axes = c.Emit("Range", {c.Scalar<int32_t>(0), rank, c.Scalar<int32_t>(1)});
  c.set_dx(1, c.Emit("Sum", {c.Mul(c.dy(0), slope), axes}));
  return OkStatus();
}

WB_OP("RandomGamma")
    .Input("shape: S")
    .Input("alpha: T")
    .Output("output: T")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("S: {int32, int64}")
    .Attr("T: {half, float, double}")
    .Stateful()
    .Shape(SamplesOfParametersShape);
WB_KERNEL("RandomGamma", RandomGammaKernel)
    .Cpu({{"T", TypeSet{DType::kHalf, DType::kFloat, DType::kDouble}}});
WB_GRADIENT("RandomGamma", RandomGammaGradient);

}  // namespace
}  // namespace warpbeam
