// BatchNormWithGlobalNormalization: each channel is given mean 0 and variance 1 by given moments,
// then scaled, on request, and shifted. Its gradient has an op of its own.
#include "ops/nn/norm/batch_norm_with_global_normalization.h"

#include <cmath>
#include <memory>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

Status CheckGlobalNormInputs(const KernelContext& ctx, bool gradient) {
  static constexpr const char* kForward[] = {"input", "mean", "var", "beta", "gamma"};
  static constexpr const char* kGradient[] = {"input", "mean", "var", "gamma", "out_backprop"};
  const Tensor& x = ctx.input(0);
  for (int i = 0; i < 5; ++i) {
    const Tensor& t = ctx.input(i);
    const char* name = gradient ? kGradient[i] : kForward[i];
    const bool is_data = i == 0 || (gradient && i == 4);
    const int rank = is_data ? 4 : 1;
    if (t.rank() != rank) {
      return InvalidArgument(name, " must be ", rank, "-dimensional", t.shape().ToString());
    }
    if (is_data ? t.shape() != x.shape() : t.dim(0) != x.dim(3)) {
      return InvalidArgument(name, " of shape ", t.shape().ToString(),
                             " does not go with an input of shape ", x.shape().ToString());
    }
  }
  return OkStatus();
}

namespace {

using NormTypes = TypeList<Half, float, double>;

class GlobalNormKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const float epsilon, init.attr<float>("variance_epsilon"));
    WB_ASSIGN_OR_RETURN(const bool scale, init.attr<bool>("scale_after_normalization"));
    const bool gradient = init.schema.name == "BatchNormWithGlobalNormalizationGrad";
    return std::make_unique<GlobalNormKernel>(epsilon, scale, gradient);
  }
  GlobalNormKernel(float epsilon, bool scale, bool gradient)
      : epsilon_(epsilon), scale_(scale), gradient_(gradient) {}

  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(CheckGlobalNormInputs(ctx, gradient_));
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    return DispatchTypes(NormTypes{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return gradient_ ? Gradient<T>(ctx, y->data<T>()) : Forward<T>(ctx, y->data<T>());
    });
  }

 private:
  // 1 / sqrt(variance + epsilon) of each channel.
  template <class T>
  std::vector<ComputeType<T>> Factors(const Tensor& variance) const {
    using C = ComputeType<T>;
    const C epsilon = static_cast<C>(static_cast<T>(epsilon_));
    std::vector<C> factors;
    for (const T v : variance.flat<T>()) {
      factors.push_back(C(1) / std::sqrt(static_cast<C>(v) + epsilon));
    }
    return factors;
  }

  template <class T>
  Status Forward(KernelContext& ctx, T* y) const {
    using C = ComputeType<T>;
    const T* x = ctx.input(0).data<T>();
    const T *mean = ctx.input(1).data<T>(), *beta = ctx.input(3).data<T>();
    std::vector<C> factors = Factors<T>(ctx.input(2));
    const auto channels = static_cast<int64_t>(factors.size());
    if (channels == 0) return OkStatus();
    for (int64_t c = 0; scale_ && c < channels; ++c) {
      factors[c] *= static_cast<C>(ctx.input(4).data<T>()[c]);
    }
    const int64_t pixels = ctx.input(0).num_elements() / channels;
    ctx.ParallelFor(pixels, 2 * channels, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        for (int64_t c = 0; c < channels; ++c) {
          const C centred = static_cast<C>(x[p * channels + c]) - static_cast<C>(mean[c]);
          y[p * channels + c] = static_cast<T>(centred * factors[c] + static_cast<C>(beta[c]));
        }
      }
    });
    return OkStatus();
  }

  template <class T>
  Status Gradient(KernelContext& ctx, T* dx) const {
    using C = ComputeType<T>;
    const T *x = ctx.input(0).data<T>(), *mean = ctx.input(1).data<T>();
    const T *gamma = ctx.input(3).data<T>(), *dy = ctx.input(4).data<T>();
    const std::vector<C> factors = Factors<T>(ctx.input(2));
    const auto channels = static_cast<int64_t>(factors.size());
    T* sums[5] = {};  // of mean, variance, beta, gamma
    for (int i = 1; i < 5; ++i) {
      WB_ASSIGN_OR_RETURN(Tensor * t, ctx.Allocate(i, Shape({channels})));
      sums[i] = t->data<T>();
    }
    if (channels == 0) return OkStatus();
    const int64_t pixels = ctx.input(0).num_elements() / channels;
    const C epsilon = static_cast<C>(static_cast<T>(epsilon_));
    ctx.ParallelFor(channels, 4 * pixels, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        const C scale = scale_ ? static_cast<C>(gamma[c]) : C(1);
        double all = 0, weighted = 0;
        for (int64_t i = c; i < pixels * channels; i += channels) {
          const C d = static_cast<C>(dy[i]);
          dx[i] = static_cast<T>(d * (factors[c] * scale));
          all += d;
          weighted += d * (static_cast<C>(x[i]) - static_cast<C>(mean[c]));
        }
        const double variance = static_cast<C>(ctx.input(2).data<T>()[c]) + epsilon;
        sums[1][c] = static_cast<T>(static_cast<C>(-all * factors[c] * scale));
        sums[2][c] =
            static_cast<T>(static_cast<C>(weighted * -0.5 * factors[c] * scale / variance));
        sums[3][c] = static_cast<T>(static_cast<C>(all));
        sums[4][c] = static_cast<T>(static_cast<C>(scale_ ? weighted * factors[c] : 0));
      }
    });
    return OkStatus();
  }

  const float epsilon_;
  const bool scale_;
  const bool gradient_;
};

// The channels that inputs agree on: the last dimension of data, the only one of vectors.
StatusOr<int64_t> Channels(ShapeContext& c, int first_vector, int vectors) {
  WB_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 4));
  PartialShape channels({x.dim(3)});
  for (int i = first_vector; i < first_vector + vectors; ++i) {
    WB_ASSIGN_OR_RETURN(const PartialShape vector, c.WithRank(i, 1));
    WB_ASSIGN_OR_RETURN(channels, PartialShape::Merge(channels, vector));
  }
  return channels.dim(0);
}

Status GlobalNormShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape x, c.WithRank(0, 4));
  WB_ASSIGN_OR_RETURN(const int64_t channels, Channels(c, 1, 4));
  x.set_dim(3, channels);
  c.set_output(0, std::move(x));
  return OkStatus();
}

Status GlobalNormGradShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape x, c.WithRank(0, 4));
  WB_ASSIGN_OR_RETURN(int64_t channels, Channels(c, 1, 3));
  WB_ASSIGN_OR_RETURN(const PartialShape dy, c.WithRank(4, 4));
  WB_ASSIGN_OR_RETURN(x, PartialShape::Merge(x, dy));
  if (channels < 0) channels = x.dim(3);
  x.set_dim(3, channels);
  c.set_output(0, std::move(x));
  for (int i = 1; i < 5; ++i) c.set_output(i, PartialShape({channels}));
  return OkStatus();
}

// The op's outputs are the gradients of its inputs, but in that order: data, moments, shift, scale.
Status GlobalNormGradient(GradContext& c) {
  AttrMap attrs;
  attrs.Set("variance_epsilon", c.attr_or<float>("variance_epsilon", 0));
  attrs.Set("scale_after_normalization", c.attr_or<bool>("scale_after_normalization", true));
  const std::vector<OutputRef> gradients = c.EmitAll(
      "BatchNormWithGlobalNormalizationGrad", {c.x(0), c.x(1), c.x(2), c.x(4), c.dy(0)}, attrs);
  for (size_t i = 0; i < gradients.size(); ++i) c.set_dx(static_cast<int>(i), gradients[i]);
  return OkStatus();
}

constexpr TypeSet kTypes = TypeSetOf(NormTypes{});
constexpr TypeSet kGpuTypes = {DType::kHalf, DType::kFloat};

#define WB_GLOBAL_NORM_ATTRS                                                                    \
  Attr(                                                                                         \
      "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, " \
      "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")                   \
      .Attr("variance_epsilon: float")                                                          \
      .Attr("scale_after_normalization: bool")                                                  \
      .Deprecated(9, "use batch_normalization")

WB_OP("BatchNormWithGlobalNormalization")
    .Input("t: T")
    .Input("m: T")
    .Input("v: T")
    .Input("beta: T")
    .Input("gamma: T")
    .Output("result: T")
    .WB_GLOBAL_NORM_ATTRS.Shape(GlobalNormShape);
WB_KERNEL("BatchNormWithGlobalNormalization", GlobalNormKernel)
    .Cpu({{"T", kTypes}})
    .Gpu({{"T", kGpuTypes}});
WB_GRADIENT("BatchNormWithGlobalNormalization", GlobalNormGradient);

WB_OP("BatchNormWithGlobalNormalizationGrad")
    .Input("t: T")
    .Input("m: T")
    .Input("v: T")
    .Input("gamma: T")
    .Input("backprop: T")
    .Output("dx: T")
    .Output("dm: T")
    .Output("dv: T")
    .Output("db: T")
    .Output("dg: T")
    .WB_GLOBAL_NORM_ATTRS.Shape(GlobalNormGradShape);
WB_KERNEL("BatchNormWithGlobalNormalizationGrad", GlobalNormKernel)
    .Cpu({{"T", kTypes}})
    .Gpu({{"T", kGpuTypes}});
#undef WB_GLOBAL_NORM_ATTRS

}  // namespace
}  // namespace warpbeam
