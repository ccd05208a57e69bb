// BiasAdd and BiasAddGrad on a GPU: threads stay with their channels.
#include "ops/launch/math.h"
#include "ops/nn/gpu_loops/channel_walk.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/nn/bias_channels.h"
#include "runtime/kernel/block_kernel.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// y may be x.
template <class T>
struct BiasTerm {
  using Element = T;
  using Running = ComputeType<T>;  // the channel's bias
  const T *x, *bias;
  T* y;

  WB_BLOCK Running Start(int64_t channel) const { return Running(bias[channel]); }
  template <int kWidth>
  WB_BLOCK void Take(int64_t at, Running* running) const {
    Pack<T, kWidth> v = LoadPack<kWidth>(x + at);
    for (int i = 0; i < kWidth; ++i) v.at[i] = T(Plus(Running(v.at[i]), running[i]));
    StorePack(v, y + at);
  }
};

template <class T>
struct BiasSumTerm {
  using Element = T;
  using Running = ComputeType<T>;
  using Sum = ComputeType<T>;
  const T* dy;

  WB_BLOCK Running Start(int64_t) const { return 0; }
  template <int kWidth>
  WB_BLOCK void Take(int64_t at, Running* running) const {
    const Pack<T, kWidth> v = LoadPack<kWidth>(dy + at);
    for (int i = 0; i < kWidth; ++i) running[i] += Sum(v.at[i]);
  }
  static WB_BLOCK Sum Result(Running running) { return running; }
  static WB_BLOCK Sum Join(Sum a, Sum b) { return a + b; }
};

template <class T>
struct KeepBiasSum {
  T* sums;
  WB_BLOCK void operator()(int64_t channel, ComputeType<T> sum) const { sums[channel] = T(sum); }
};

#define WB_BIAS_FUNCTIONS(T)    \
  WB_CHANNEL_TERM(BiasTerm<T>); \
  WB_CHANNEL_SUMS(BiasSumTerm<T>, KeepBiasSum<T>)
WB_BIAS_FUNCTIONS(Half);
WB_BIAS_FUNCTIONS(BFloat16);
WB_BIAS_FUNCTIONS(float);
WB_BIAS_FUNCTIONS(double);
WB_CHANNEL_TERM(BiasTerm<int32_t>);

#if WB_HOST_PASS
namespace {

using BiasTypes = ConcatTypes<FloatTypeList, TypeList<int32_t>>;

class BiasAddOnGpu final : public GpuKernel, public GpuStepKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<BiasAddOnGpu>(ReadBiasChannels(init.attrs));
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<ChannelTermBlock<BiasTerm<float>, 1>>();
  }
  explicit BiasAddOnGpu(BiasChannels channels) : channels_(channels) {}

  // With the channels last it is an addition of rows.
  bool AcceptsInputs(Span<const Tensor* const>) const override { return !channels_.second; }
  bool broadcasts() const override { return true; }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &value = ctx.input(0), &bias = ctx.input(1);
    const Shape shape = value.shape();
    WB_RETURN_IF_ERROR(CheckBias(channels_, shape, bias.shape()));
    return DispatchTypes(BiasTypes{}, value.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, shape));
      if (shape.num_elements() == 0) return OkStatus();
      const ChannelExtents data = ChannelsOf(shape, channels_.In(shape.rank()));
      const BiasTerm<T> term{value.data<T>(), bias.data<T>(), y->data<T>()};
      return LaunchChannelTerm(stream, data, HasWideItems(data, y->dtype(), {term.x, term.y}),
                               term);
    });
  }

 private:
  const BiasChannels channels_;
};

class BiasAddGradOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<BiasAddGradOnGpu>(ReadBiasChannels(init.attrs));
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<ChannelPartsBlock<BiasSumTerm<float>, 1>>();
  }
  explicit BiasAddGradOnGpu(BiasChannels channels) : channels_(channels) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& dy = ctx.input(0);
    WB_RETURN_IF_ERROR(CheckBiasGradient(dy.shape()));
    const ChannelExtents data = ChannelsOf(dy.shape(), channels_.In(dy.rank()));
    WB_ASSIGN_OR_RETURN(Tensor * sums, ctx.Allocate(0, Shape({data.channels})));
    if (data.channels == 0) return OkStatus();
    return DispatchTypes(FloatTypeList{}, dy.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return LaunchChannelSums(ctx, stream, data, HasWideItems(data, dy.dtype(), {dy.raw_data()}),
                               BiasSumTerm<T>{dy.data<T>()}, KeepBiasSum<T>{sums->data<T>()});
    });
  }

 private:
  const BiasChannels channels_;
};

}  // namespace

WB_GPU_KERNEL("BiasAdd", BiasAddOnGpu);
WB_GPU_KERNEL("BiasAddV1", BiasAddOnGpu);
WB_GPU_KERNEL("BiasAddGrad", BiasAddGradOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
