// BatchNormWithGlobalNormalization on a GPU, and its gradient: a block for each channel.
#include "ops/launch/math.h"
#include "ops/nn/gpu_loops/items.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/nn/norm/batch_norm_with_global_normalization.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// One element for each channel, but for the data.
template <class T>
struct GlobalNormInputs {
  using C = ComputeType<T>;
  const T* x;
  const T* mean;
  const T* variance;
  const T* beta;   // of the forward op
  const T* gamma;  // null where nothing is scaled
  float epsilon;
  int64_t pixels, channels;

  WB_BLOCK C Variance(int64_t c) const {
    return static_cast<C>(variance[c]) + static_cast<C>(static_cast<T>(epsilon));
  }
  WB_BLOCK C Factor(int64_t c) const { return C(1) / Sqrt(Variance(c)); }
  WB_BLOCK C Scale(int64_t c) const { return gamma == nullptr ? C(1) : static_cast<C>(gamma[c]); }
  WB_BLOCK C Centred(int64_t i, int64_t c) const {
    return static_cast<C>(x[i]) - static_cast<C>(mean[c]);
  }
};

template <class T>
struct GlobalNormBlock {
  GlobalNormInputs<T> in;
  T* y;

  WB_BLOCK void operator()(GpuBlock& block) const {
    using C = ComputeType<T>;
    ForEachElement(block, in.pixels * in.channels, [&](int64_t i) {
      const int64_t c = i % in.channels;
      const C factor = in.Factor(c) * in.Scale(c);
      y[i] = static_cast<T>(in.Centred(i, c) * factor + static_cast<C>(in.beta[c]));
    });
  }
};

template <class T>
struct GlobalNormGradBlock {
  GlobalNormInputs<T> in;
  const T* dy;
  T* dx;
  T* sums[4];  // of mean, variance, beta, gamma

  WB_BLOCK void operator()(GpuBlock& block) const {
    for (int64_t c = block.index(); c < in.channels; c += block.count()) Channel(block, c);
  }

 private:
  using C = ComputeType<T>;
  struct Sums {
    double all, weighted;
  };

  WB_BLOCK void Channel(GpuBlock& block, int64_t c) const {
    const C factor = in.Factor(c), scale = in.Scale(c);
    const Sums sum = block.Reduce(
        [&](int thread) {
          Sums part = {0, 0};
          for (int64_t p = thread; p < in.pixels; p += block.threads()) {
            const int64_t i = p * in.channels + c;
            const C d = static_cast<C>(dy[i]);
            dx[i] = static_cast<T>(d * (factor * scale));
            part.all += d;
            part.weighted += d * in.Centred(i, c);
          }
          return part;
        },
        [](Sums a, Sums b) {
          return Sums{a.all + b.all, a.weighted + b.weighted};
        });
    block.ForEach([&](int thread) {
      if (thread != 0) return;
      const double variance = in.Variance(c);
      sums[0][c] = static_cast<T>(static_cast<C>(-sum.all * factor * scale));
      sums[1][c] = static_cast<T>(static_cast<C>(sum.weighted * -0.5 * factor * scale / variance));
      sums[2][c] = static_cast<T>(static_cast<C>(sum.all));
      sums[3][c] = static_cast<T>(static_cast<C>(in.gamma == nullptr ? 0 : sum.weighted * factor));
    });
  }
};
WB_GPU_FUNCTION(GlobalNormBlock<Half>);
WB_GPU_FUNCTION(GlobalNormBlock<float>);
WB_GPU_FUNCTION(GlobalNormGradBlock<Half>);
WB_GPU_FUNCTION(GlobalNormGradBlock<float>);

#if WB_HOST_PASS
namespace {

template <bool kGradient>
class GlobalNormOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const float epsilon, init.attr<float>("variance_epsilon"));
    WB_ASSIGN_OR_RETURN(const bool scale, init.attr<bool>("scale_after_normalization"));
    return std::make_unique<GlobalNormOnGpu>(epsilon, scale);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<GlobalNormBlock<float>>(); }
  GlobalNormOnGpu(float epsilon, bool scale) : epsilon_(epsilon), scale_(scale) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_RETURN_IF_ERROR(CheckGlobalNormInputs(ctx, kGradient));
    WB_ASSIGN_OR_RETURN(Tensor * result, ctx.Allocate(0, ctx.input(0).shape()));
    return DispatchTypes<Half, float>(result->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return kGradient ? Gradient<T>(ctx, stream, result) : Forward<T>(ctx, stream, result);
    });
  }

 private:
  template <class T>
  GlobalNormInputs<T> InputsOf(const KernelContext& ctx) const {
    GlobalNormInputs<T> in = {};
    in.x = ctx.input(0).data<T>();
    in.mean = ctx.input(1).data<T>();
    in.variance = ctx.input(2).data<T>();
    if (!kGradient) in.beta = ctx.input(3).data<T>();
    if (scale_) in.gamma = ctx.input(kGradient ? 3 : 4).data<T>();
    in.epsilon = epsilon_;
    in.channels = ctx.input(0).dim(3);
    if (in.channels > 0) in.pixels = ctx.input(0).num_elements() / in.channels;
    return in;
  }
  template <class T>
  Status Forward(const KernelContext& ctx, GpuStream& stream, Tensor* y) const {
    const int64_t count = y->num_elements();
    if (count == 0) return OkStatus();
    return Launch(stream, ElementGrid(count), GlobalNormBlock<T>{InputsOf<T>(ctx), y->data<T>()});
  }
  template <class T>
  Status Gradient(KernelContext& ctx, GpuStream& stream, Tensor* dx) const {
    GlobalNormGradBlock<T> gradient = {InputsOf<T>(ctx), ctx.input(4).data<T>(), dx->data<T>(), {}};
    for (int i = 0; i < 4; ++i) {
      WB_ASSIGN_OR_RETURN(Tensor * sum, ctx.Allocate(i + 1, Shape({gradient.in.channels})));
      gradient.sums[i] = sum->data<T>();
    }
    if (gradient.in.channels == 0) return OkStatus();
    return Launch(stream, RowGrid(gradient.in.channels, gradient.in.pixels), gradient);
  }

  const float epsilon_;
  const bool scale_;
};

}  // namespace

WB_GPU_KERNEL("BatchNormWithGlobalNormalization", GlobalNormOnGpu<false>);
WB_GPU_KERNEL("BatchNormWithGlobalNormalizationGrad", GlobalNormOnGpu<true>);
#endif

}  // namespace warpbeam::WB_PASS
