// MaxPool, MaxPoolV2 and MaxPool3D on a GPU: a thread for each place of the window and 16 bytes of
// channels.
#include "ops/launch/math.h"
#include "ops/nn/pool/gpu/pool_windows.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/nn/window/channels.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T, int kWidth>
struct MaxPoolBlock {
  PoolWindows windows;
  const T* x;
  T* y;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, windows.OutputItems(), [&](int64_t item) {
      const PoolWindows::Item place = windows.Output(item, kWidth);
      const T* const image = x + windows.InputBase(place);
      ComputeType<T> best[kWidth];
      for (int i = 0; i < kWidth; ++i) best[i] = -static_cast<ComputeType<T>>(INFINITY);
      windows.Taps(place).ForEach(windows.input, [&](int32_t pixel, int32_t, int32_t, int32_t) {
        const Pack<T, kWidth> v = LoadPack<kWidth>(image + pixel * windows.channels);
        for (int i = 0; i < kWidth; ++i) best[i] = Max(ComputeType<T>(v.at[i]), best[i]);
      });
      Pack<T, kWidth> result;
      for (int i = 0; i < kWidth; ++i) result.at[i] = T(best[i]);
      StorePack(result, y + item * kWidth);
    });
  }
};
WB_POOL_FUNCTION(MaxPoolBlock);

#if WB_HOST_PASS
namespace {

// Windows over channels, as windows over the rows of images: of one channel, or with the channels
// first of one channel for each pixel.
void TurnChannelsIntoRows(bool channels_first, PoolGeometry* g) {
  PoolGeometry rows;
  rows.batch = channels_first ? g->batch : g->batch * g->input_pixels();
  rows.channels = channels_first ? g->input_pixels() : 1;
  rows.input[2] = g->channels;
  rows.size[2] = rows.stride[2] = g->channel_window;
  rows.output[2] = g->channels / g->channel_window;
  *g = rows;
}

Status EnqueuePool(KernelContext& ctx, GpuStream& stream, const PoolAttrs& attrs) {
  const Tensor& x = ctx.input(0);
  bool channels_first = attrs.format.channels_first;
  PoolGeometry g;
  WB_RETURN_IF_ERROR(MakePoolGeometry(attrs, WithChannelsLast(x.shape(), attrs.format), &g));
  WB_ASSIGN_OR_RETURN(const Shape shape, PoolOutputShape(attrs, g));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, FromChannelsLast(shape, attrs.format)));
  if (g.channel_window != 1) {
    TurnChannelsIntoRows(channels_first, &g);
    channels_first = false;
  }
  WB_ASSIGN_OR_RETURN(const PoolWindows windows, PoolWindowsOf(g, channels_first));
  return DispatchTypes(FloatTypeList{}, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return LaunchPool<MaxPoolBlock, T>(stream, windows, true, x.data<T>(), y->data<T>());
  });
}

template <int kSpatial>
class MaxPoolOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolKernelAttrs(init, kSpatial));
    return std::make_unique<MaxPoolOnGpu>(attrs);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<MaxPoolBlock<float, 1>>(); }
  explicit MaxPoolOnGpu(const PoolAttrs& attrs) : attrs_(attrs) {}
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    return EnqueuePool(ctx, stream, attrs_);
  }

 private:
  const PoolAttrs attrs_;
};

class MaxPoolV2OnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolKernelFormat(init, 2));
    return std::make_unique<MaxPoolV2OnGpu>(attrs);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<MaxPoolBlock<float, 1>>(); }
  explicit MaxPoolV2OnGpu(const PoolAttrs& format) : format_(format) {}
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    PoolAttrs attrs = format_;
    WB_RETURN_IF_ERROR(ReadPoolWindow(ctx.input(1), ctx.input(2), &attrs));
    return EnqueuePool(ctx, stream, attrs);
  }

 private:
  const PoolAttrs format_;
};

}  // namespace

WB_GPU_KERNEL("MaxPool", MaxPoolOnGpu<2>);
WB_GPU_KERNEL("MaxPoolV2", MaxPoolV2OnGpu);
WB_GPU_KERNEL("MaxPool3D", MaxPoolOnGpu<3>);
#endif

}  // namespace warpbeam::WB_PASS
