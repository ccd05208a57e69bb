// FusedBatchNormGrad, V2 and V3 on a GPU: sums over the channels, then the gradient of the data,
// which is linear in what came in and in the data.
#include "ops/launch/math.h"
#include "ops/nn/gpu_loops/channel_walk.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/nn/norm/batch_norm.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

struct BatchGradientSums {
  float dy, product;  // of dy and (x - mean)
};

template <class T>
struct BatchGradientSumsTerm {
  using Element = T;
  using Sum = BatchGradientSums;
  struct Running {
    float mean;
    Sum sum;
  };
  const T *dy, *x;
  const float* mean;

  WB_BLOCK Running Start(int64_t channel) const { return {mean[channel], {0, 0}}; }
  template <int kWidth>
  WB_BLOCK void Take(int64_t at, Running* running) const {
    const Pack<T, kWidth> dys = LoadPack<kWidth>(dy + at), xs = LoadPack<kWidth>(x + at);
    for (int i = 0; i < kWidth; ++i) {
      const float g = static_cast<float>(dys.at[i]);
      running[i].sum.dy += g;
      running[i].sum.product += g * (static_cast<float>(xs.at[i]) - running[i].mean);
    }
  }
  static WB_BLOCK Sum Result(const Running& r) { return r.sum; }
  static WB_BLOCK Sum Join(const Sum& a, const Sum& b) {
    return {a.dy + b.dy, a.product + b.product};
  }
};

// With r = 1 / sqrt(variance + epsilon), in training
//   dx = scale r (dy - mean of dy - (x - mean) r^2 * mean of dy (x - mean))
// and else dx = scale r dy: both are a dy + b x + c.
struct GradientChannels {
  const float *scale, *mean, *variance;
  float *dscale, *doffset;
  float *a, *b, *c;
  float epsilon, count;
  bool is_training;

  WB_BLOCK void operator()(int64_t i, const BatchGradientSums& sums) const {
    const float r = 1 / Sqrt(variance[i] + epsilon);
    doffset[i] = sums.dy;
    dscale[i] = sums.product * r;
    if (count == 0) doffset[i] = dscale[i] = 0;
    a[i] = scale[i] * r;
    b[i] = c[i] = 0;
    if (!is_training) return;
    b[i] = -a[i] * r * r * sums.product / count;
    c[i] = -a[i] * sums.dy / count - b[i] * mean[i];
  }
};

template <class T>
struct DataGradientTerm {
  using Element = T;
  struct Running {
    float a, b, c;
  };
  const T *dy, *x;
  const float *a, *b, *c;
  T* dx;

  WB_BLOCK Running Start(int64_t i) const { return {a[i], b[i], c[i]}; }
  template <int kWidth>
  WB_BLOCK void Take(int64_t at, Running* running) const {
    Pack<T, kWidth> v = LoadPack<kWidth>(dy + at);
    const Pack<T, kWidth> xs = LoadPack<kWidth>(x + at);
    for (int i = 0; i < kWidth; ++i) {
      const Running& r = running[i];
      v.at[i] = T(static_cast<float>(v.at[i]) * r.a + (static_cast<float>(xs.at[i]) * r.b + r.c));
    }
    StorePack(v, dx + at);
  }
};

#define WB_BATCH_NORM_GRAD_FUNCTIONS(T)                        \
  WB_CHANNEL_SUMS(BatchGradientSumsTerm<T>, GradientChannels); \
  WB_CHANNEL_TERM(DataGradientTerm<T>)
WB_BATCH_NORM_GRAD_FUNCTIONS(float);
WB_BATCH_NORM_GRAD_FUNCTIONS(Half);
WB_BATCH_NORM_GRAD_FUNCTIONS(BFloat16);

#if WB_HOST_PASS
namespace {

class BatchNormGradOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const BatchNormAttrs attrs, ReadBatchNormAttrs(init.attrs));
    return std::make_unique<BatchNormGradOnGpu>(attrs);
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<ChannelTermBlock<DataGradientTerm<float>, 1>>();
  }
  explicit BatchNormGradOnGpu(const BatchNormAttrs& attrs) : attrs_(attrs) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    int axis = 0;
    WB_RETURN_IF_ERROR(CheckBatchNormGradInputs(ctx, attrs_, &axis));
    const Tensor &dy = ctx.input(0), &x = ctx.input(1);
    const ChannelExtents data = ChannelsOf(x.shape(), axis);
    WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, x.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * dscale, ctx.Allocate(1, Shape({data.channels})));
    WB_ASSIGN_OR_RETURN(Tensor * doffset, ctx.Allocate(2, Shape({data.channels})));
    for (int i = 3; i < 5; ++i) WB_RETURN_IF_ERROR(ctx.Allocate(i, Shape({0})).status());
    if (data.channels == 0) return OkStatus();
    WB_ASSIGN_OR_RETURN(Tensor memory, ctx.AllocateTemp(DType::kFloat, Shape({3, data.channels})));
    float* const a = memory.data<float>();
    const GradientChannels channels{ctx.input(2).data<float>(),
                                    ctx.input(3).data<float>(),
                                    ctx.input(4).data<float>(),
                                    dscale->data<float>(),
                                    doffset->data<float>(),
                                    a,
                                    a + data.channels,
                                    a + 2 * data.channels,
                                    attrs_.epsilon,
                                    static_cast<float>(x.num_elements() / data.channels),
                                    attrs_.is_training};
    return DispatchTypes<float, Half, BFloat16>(x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      const DataGradientTerm<T> term{dy.data<T>(), x.data<T>(), channels.a,
                                     channels.b,   channels.c,  dx->data<T>()};
      const bool wide = HasWideItems(data, x.dtype(), {term.dy, term.x, term.dx});
      WB_RETURN_IF_ERROR(LaunchChannelSums(ctx, stream, data, wide,
                                           BatchGradientSumsTerm<T>{term.dy, term.x, channels.mean},
                                           channels));
      if (x.num_elements() == 0) return OkStatus();
      return LaunchChannelTerm(stream, data, wide, term);
    });
  }

 private:
  const BatchNormAttrs attrs_;
};

}  // namespace

WB_GPU_KERNEL("FusedBatchNormGrad", BatchNormGradOnGpu);
WB_GPU_KERNEL("FusedBatchNormGradV2", BatchNormGradOnGpu);
WB_GPU_KERNEL("FusedBatchNormGradV3", BatchNormGradOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
