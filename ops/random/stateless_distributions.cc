// StatelessRandomGammaV2, …V3, StatelessRandomPoisson, StatelessRandomBinomial and
// StatelessParameterizedTruncatedNormal: samples of distributions with parameters that follow from
// a seed alone.
#include <cmath>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/launch/dispatch.h"
#include "ops/random/binomial_samples.h"
#include "ops/random/gamma_sampler.h"
#include "ops/random/poisson_sampler.h"
#include "ops/random/random_shapes.h"
#include "ops/random/sample_sets.h"
#include "ops/random/stateless_seed.h"
#include "ops/random/truncated_sampler.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using FloatTypes = TypeList<Half, BFloat16, float, double>;

Status FillGamma(KernelContext& ctx, const Philox& stream, const Tensor& alpha) {
  WB_ASSIGN_OR_RETURN(const SampleSets sets, SampleSets::Make(ctx.input(0), {&alpha.shape()}));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, sets.shape));
  return DispatchTypes(FloatTypes{}, y->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    T* out = y->data<T>();
    sets.ForEach(ctx, stream, 150, [&](int64_t set, const Philox& own, int64_t at) {
      const host_pass::GammaSampler sampler(static_cast<double>(alpha.data<T>()[set]));
      host_pass::StreamDoubles doubles(own);
      out[at] = static_cast<T>(sampler.Sample(doubles));
    });
    return OkStatus();
  });
}

Status RunGammaV2(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const Philox stream, StreamFromSeed(ctx.input(1)));
  return FillGamma(ctx, stream, ctx.input(2));
}
Status RunGammaV3(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const Philox stream,
                      StreamFromState(ctx.input(1), ctx.input(2), ctx.input(3)));
  return FillGamma(ctx, stream, ctx.input(4));
}

Status RunPoisson(KernelContext& ctx) {
  const Tensor& rate = ctx.input(2);
  WB_ASSIGN_OR_RETURN(const Philox stream, StreamFromSeed(ctx.input(1)));
  WB_ASSIGN_OR_RETURN(const SampleSets sets, SampleSets::Make(ctx.input(0), {&rate.shape()}));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, sets.shape));
  return DispatchTypes(PoissonTypes{}, rate.dtype(), [&](auto r) {
    return DispatchTypes(PoissonTypes{}, y->dtype(), [&](auto t) -> Status {
      using R = typename decltype(r)::type;
      using T = typename decltype(t)::type;
      T* out = y->data<T>();
      sets.ForEach(ctx, stream, 200, [&](int64_t set, const Philox& own, int64_t at) {
        const double lambda = static_cast<double>(rate.data<R>()[set]);
        out[at] = std::isfinite(lambda)
                      ? static_cast<T>(PoissonSampler(lambda, LargestSample<T>()).Sample(own))
                      : NoSample<T>(lambda);
      });
      return OkStatus();
    });
  });
}

Status RunBinomial(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const Philox stream, StreamFromSeed(ctx.input(1)));
  return FillBinomial(ctx, ctx.input(0), ctx.input(2), ctx.input(3),
                      [&](int64_t, int64_t) -> StatusOr<Philox> { return stream; });
}

Status RunTruncatedNormal(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const Philox stream, StreamFromSeed(ctx.input(1)));
  WB_ASSIGN_OR_RETURN(
      const SampleSets sets,
      SampleSets::Make(ctx.input(0), {&ctx.input(2).shape(), &ctx.input(3).shape(),
                                      &ctx.input(4).shape(), &ctx.input(5).shape()}));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, sets.shape));
  if (sets.shape.num_elements() == 0) return OkStatus();
  return DispatchTypes<Half, float, double>(y->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    std::vector<T> values[4];
    for (int i = 0; i < 4; ++i) {
      WB_ASSIGN_OR_RETURN(values[i], sets.Spread<T>(ctx.input(i + 2)));
    }
    // One stream goes through all sets, as in TensorFlow with one thread.
    Philox own = stream;
    const int64_t count = sets.count();
    for (int64_t set = 0; set < count; ++set) {
      if (ctx.IsCancelled()) return Cancelled("the step has been cancelled");
      const auto value = [&](int parameter) { return values[parameter][static_cast<size_t>(set)]; };
      WB_ASSIGN_OR_RETURN(TruncatedSampler<T> sampler,
                          TruncatedSampler<T>::Make(value(0), value(1), value(2), value(3)));
      WB_RETURN_IF_ERROR(
          sampler.Fill(own, y->data<T>() + set, y->num_elements() / count, /*stride=*/count));
    }
    return OkStatus();
  });
}

Status SeededShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckVector(c, 1, 2));
  return RandomShape(c);
}
Status StateShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckVector(c, 1, 1));
  WB_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  return RandomShapeWithScalars(c, {3});
}

// Samples follow alpha smoothly (implicit reparameterisation); the dimensions in front of alpha's
// are summed over.
Status GammaGradient(GradContext& c) {
  const int input = c.num_inputs() - 1;
  const OutputRef alpha = c.x(input), zero = c.Scalar<int32_t>(0), one = c.Scalar<int32_t>(1);
  const OutputRef extra = c.Sub(c.SizeOf(c.x(0)), c.RankOf(alpha));
  const OutputRef ones = c.Emit("Fill", {c.Emit("ExpandDims", {extra, zero}), one});
  const OutputRef spread = c.Emit("ConcatV2", {{ones, c.ShapeOf(alpha)}, zero});
  const OutputRef slope = c.Emit("RandomGammaGrad", {c.Reshape(alpha, spread), c.y(0)});
  c.set_dx(input, c.Emit("Sum", {c.Mul(c.dy(0), slope), c.Emit("Range", {zero, extra, one})}));
  return OkStatus();
}

// P(Z < x) of a standard normal Z.
OutputRef NormalCdf(GradContext& c, OutputRef x) {
  const OutputRef half = c.ScalarLike(x, 0.5);
  return c.Mul(half, c.Emit("Erfc", {c.Mul(x, c.ScalarLike(x, -M_SQRT1_2))}));
}

// A sample moves with its parameters so that its place in the distribution stays the same.
Status TruncatedNormalGradient(GradContext& c) {
  const OutputRef y = c.y(0), mean = c.x(2), deviation = c.x(3);
  const auto standard = [&](OutputRef x) { return c.Div(c.Sub(x, mean), deviation); };
  const OutputRef z = standard(y), low = standard(c.x(4)), high = standard(c.x(5));
  const OutputRef below = NormalCdf(c, low);
  const bool wide = c.type(y) == DType::kDouble;
  const OutputRef place =
      c.Emit("ClipByValue", {c.Div(c.Sub(NormalCdf(c, z), below), c.Sub(NormalCdf(c, high), below)),
                             c.ScalarLike(y, wide                         ? 2.2250738585072014e-308
                                             : c.type(y) == DType::kFloat ? 1.17549435e-38
                                                                          : 6.104e-5),
                             c.ScalarLike(y, wide ? 1 - 2.220446049250313e-16
                                             : c.type(y) == DType::kFloat ? 1 - 1.1920929e-07
                                                                          : 1 - 0.000977)});
  const OutputRef half = c.ScalarLike(y, 0.5), square = c.Emit("Square", {z});
  const auto share = [&](OutputRef bound, OutputRef log_place) {
    const OutputRef exponent = c.Mul(half, c.Sub(square, c.Emit("Square", {bound})));
    return c.Emit("Exp", {c.Add(exponent, log_place)});
  };
  const OutputRef slopes[] = {c.Emit("OnesLike", {z}), z,
                              share(low, c.Emit("Log1p", {c.Neg(place)})),
                              share(high, c.Emit("Log", {place}))};
  for (int i = 0; i < 4; ++i) {
    const OutputRef shape = c.ShapeOf(c.x(i + 2));
    const std::vector<OutputRef> axes = c.EmitAll("BroadcastGradientArgs", {shape, c.ShapeOf(y)});
    if (axes.size() != 2) return OkStatus();  // the context keeps why
    c.set_dx(i + 2, c.Reshape(c.Emit("Sum", {c.Mul(c.dy(0), slopes[i]), axes[0]}), shape));
  }
  return OkStatus();
}

constexpr TypeSet kGammaTypes = TypeSetOf(FloatTypes{});
constexpr TypeSet kPoissonTypes = TypeSetOf(PoissonTypes{});
constexpr TypeSet kFloats = {DType::kHalf, DType::kFloat, DType::kDouble};

WB_OP("StatelessRandomGammaV2")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Input("alpha: dtype")
    .Output("output: dtype")
    .Attr("dtype: {half, float, double}")
    .Attr("T: {int32, int64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Shape(SeededShape);
WB_KERNEL("StatelessRandomGammaV2", FunctionKernel<RunGammaV2>)
    .Cpu({{"dtype", kGammaTypes}})
    .Gpu({{"dtype", kGammaTypes}})
    .HostMemory({"shape", "seed"});
WB_GRADIENT("StatelessRandomGammaV2", GammaGradient);

WB_OP("StatelessRandomGammaV3")
    .Input("shape: shape_dtype")
    .Input("key: uint64")
    .Input("counter: uint64")
    .Input("alg: int32")
    .Input("alpha: dtype")
    .Output("output: dtype")
    .Attr("dtype: {half, float, double}")
    .Attr("shape_dtype: {int32, int64} = DT_INT32")
    .Shape(StateShape);
WB_KERNEL("StatelessRandomGammaV3", FunctionKernel<RunGammaV3>)
    .Cpu({{"dtype", kGammaTypes}})
    .Gpu({{"dtype", kGammaTypes}})
    .HostMemory({"shape", "alg"});
WB_GRADIENT("StatelessRandomGammaV3", GammaGradient);

WB_OP("StatelessRandomPoisson")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Input("lam: Rtype")
    .Output("output: dtype")
    .Attr("Rtype: {half, float, double, int32, int64}")
    .Attr("dtype: {half, float, double, int32, int64}")
    .Attr("T: {int32, int64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Shape(SeededShape);
WB_KERNEL("StatelessRandomPoisson", FunctionKernel<RunPoisson>)
    .Cpu({{"Rtype", kPoissonTypes}, {"dtype", kPoissonTypes}});
WB_NO_GRADIENT("StatelessRandomPoisson");

WB_OP("StatelessRandomBinomial")
    .Input("shape: S")
    .Input("seed: Tseed")
    .Input("counts: T")
    .Input("probs: T")
    .Output("output: dtype")
    .Attr("S: {int32, int64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Attr("T: {half, float, double, int32, int64} = DT_DOUBLE")
    .Attr("dtype: {half, float, double, int32, int64} = DT_INT64")
    .Shape(SeededShape);
WB_KERNEL("StatelessRandomBinomial", FunctionKernel<RunBinomial>)
    .Cpu({{"T", kFloats}, {"dtype", kPoissonTypes}});
WB_NO_GRADIENT("StatelessRandomBinomial");

WB_OP("StatelessParameterizedTruncatedNormal")
    .Input("shape: S")
    .Input("seed: Tseed")
    .Input("means: dtype")
    .Input("stddevs: dtype")
    .Input("minvals: dtype")
    .Input("maxvals: dtype")
    .Output("output: dtype")
    .Attr("S: {int32, int64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Attr("dtype: {half, float, double}")
    .Shape(SeededShape);
WB_KERNEL("StatelessParameterizedTruncatedNormal", FunctionKernel<RunTruncatedNormal>)
    .Cpu({{"dtype", kFloats}});
WB_GRADIENT("StatelessParameterizedTruncatedNormal", TruncatedNormalGradient);

}  // namespace
}  // namespace warpbeam
