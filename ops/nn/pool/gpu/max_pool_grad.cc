// The gradients of max-pooling on a GPU. Each element gathers what windows send to it, in the order
// of the windows, so that no two threads add to one sum.
#include "ops/launch/math.h"
#include "ops/nn/pool/gpu/pool_windows.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/nn/pool/max_pool.h"
#include "ops/nn/window/channels.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// at = the pixel of each window that is its first maximum; -1 of a window of padding alone. A
// window that begins with NaN keeps it.
template <class T, int kWidth>
struct MaxPlaceBlock {
  PoolWindows windows;
  const T* x;
  int32_t* at;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, windows.OutputItems(), [&](int64_t item) {
      const PoolWindows::Item place = windows.Output(item, kWidth);
      const T* const image = x + windows.InputBase(place);
      ComputeType<T> best[kWidth] = {};
      Pack<int32_t, kWidth> found;
      for (int32_t& pixel : found.at) pixel = -1;
      windows.Taps(place).ForEach(windows.input, [&](int32_t pixel, int32_t, int32_t, int32_t) {
        const Pack<T, kWidth> pack = LoadPack<kWidth>(image + pixel * windows.channels);
        for (int i = 0; i < kWidth; ++i) {
          const auto v = ComputeType<T>(pack.at[i]);
          if (found.at[i] >= 0 && !(best[i] < v)) continue;
          best[i] = v;
          found.at[i] = pixel;
        }
      });
      StorePack(found, at + item * kWidth);
    });
  }
};

// dx = the sum of dy of the windows whose maximum is here.
template <class T, int kWidth>
struct FirstMaxGradBlock {
  PoolWindows windows;
  const int32_t* at;
  const T* dy;
  T* dx;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, windows.InputItems(), [&](int64_t item) {
      const PoolWindows::Item here = windows.Input(item, kWidth);
      const int64_t base = windows.OutputBase(here);
      const int32_t pixel = windows.Pixel(here);
      ComputeType<T> sum[kWidth] = {};
      windows.Places(here).ForEach(windows.output, [&](int32_t place, int32_t, int32_t, int32_t) {
        const int64_t from = base + place * windows.channels;
        const Pack<int32_t, kWidth> found = LoadPack<kWidth>(at + from);
        const Pack<T, kWidth> gradient = LoadPack<kWidth>(dy + from);
        for (int i = 0; i < kWidth; ++i) {
          if (found.at[i] == pixel) sum[i] += ComputeType<T>(gradient.at[i]);
        }
      });
      Pack<T, kWidth> result;
      for (int i = 0; i < kWidth; ++i) result.at[i] = T(sum[i]);
      StorePack(result, dx + item * kWidth);
    });
  }
};

// dx = the sum of dy of the windows whose maximum is equal to what is here.
template <class T, int kWidth>
struct EqualMaxGradBlock {
  PoolWindows windows;
  const T *x, *y, *dy;
  T* dx;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, windows.InputItems(), [&](int64_t item) {
      const PoolWindows::Item here = windows.Input(item, kWidth);
      const int64_t base = windows.OutputBase(here);
      const Pack<T, kWidth> own = LoadPack<kWidth>(x + item * kWidth);
      ComputeType<T> sum[kWidth] = {};
      windows.Places(here).ForEach(windows.output, [&](int32_t place, int32_t, int32_t, int32_t) {
        const int64_t from = base + place * windows.channels;
        const Pack<T, kWidth> best = LoadPack<kWidth>(y + from);
        const Pack<T, kWidth> gradient = LoadPack<kWidth>(dy + from);
        for (int i = 0; i < kWidth; ++i) {
          if (own.at[i] == best.at[i]) sum[i] += ComputeType<T>(gradient.at[i]);
        }
      });
      Pack<T, kWidth> result;
      for (int i = 0; i < kWidth; ++i) result.at[i] = T(sum[i]);
      StorePack(result, dx + item * kWidth);
    });
  }
};

// to = the element of `from` where x first equals y in the window, or 0.
template <class T, int kWidth>
struct MaxSelectBlock {
  PoolWindows windows;
  const T *x, *y, *from;
  T* to;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, windows.OutputItems(), [&](int64_t item) {
      const PoolWindows::Item place = windows.Output(item, kWidth);
      const int64_t base = windows.InputBase(place);
      const Pack<T, kWidth> best = LoadPack<kWidth>(y + item * kWidth);
      bool taken[kWidth] = {};
      Pack<T, kWidth> result;
      for (T& v : result.at) v = T(0.0f);
      windows.Taps(place).ForEach(windows.input, [&](int32_t pixel, int32_t, int32_t, int32_t) {
        const int64_t at = base + pixel * windows.channels;
        const Pack<T, kWidth> v = LoadPack<kWidth>(x + at), g = LoadPack<kWidth>(from + at);
        for (int i = 0; i < kWidth; ++i) {
          if (taken[i] || v.at[i] != best.at[i]) continue;
          taken[i] = true;
          result.at[i] = g.at[i];
        }
      });
      StorePack(result, to + item * kWidth);
    });
  }
};

WB_POOL_FUNCTION(MaxPlaceBlock);
WB_POOL_FUNCTION(FirstMaxGradBlock);
WB_POOL_FUNCTION(MaxSelectBlock);
// Of the types of volumes.
WB_POOL_FUNCTION_OF(EqualMaxGradBlock, Half);
WB_POOL_FUNCTION_OF(EqualMaxGradBlock, BFloat16);
WB_POOL_FUNCTION_OF(EqualMaxGradBlock, float);

#if WB_HOST_PASS
namespace {

template <class T>
Status EnqueueFirst(KernelContext& ctx, GpuStream& stream, const PoolWindows& windows, T* dx) {
  WB_ASSIGN_OR_RETURN(Tensor places,
                      ctx.AllocateTemp(DType::kInt32, Shape({ctx.input(1).num_elements()})));
  int32_t* const at = places.data<int32_t>();
  WB_RETURN_IF_ERROR(
      (LaunchPool<MaxPlaceBlock, T>(stream, windows, true, ctx.input(0).data<T>(), at)));
  return LaunchPool<FirstMaxGradBlock, T>(stream, windows, false, at, ctx.input(2).data<T>(), dx);
}

Status EnqueueGradient(KernelContext& ctx, GpuStream& stream, const PoolAttrs& attrs, bool select) {
  PoolGeometry g;
  WB_ASSIGN_OR_RETURN(const Shape shape, MakeMaxPoolGradGeometry(ctx, attrs, select, &g));
  WB_ASSIGN_OR_RETURN(Tensor * result, ctx.Allocate(0, FromChannelsLast(shape, attrs.format)));
  WB_ASSIGN_OR_RETURN(const PoolWindows windows, PoolWindowsOf(g, attrs.format.channels_first));
  return DispatchTypes(FloatTypeList{}, result->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const T *x = ctx.input(0).data<T>(), *y = ctx.input(1).data<T>();
    const T* const dy = ctx.input(2).data<T>();
    T* const to = result->data<T>();
    if (select) return LaunchPool<MaxSelectBlock, T>(stream, windows, true, x, y, dy, to);
    if constexpr (!std::is_same_v<T, double>) {
      if (MaxRuleOf(attrs.format) == MaxRule::kAllEqual) {
        return LaunchPool<EqualMaxGradBlock, T>(stream, windows, false, x, y, dy, to);
      }
    }
    return EnqueueFirst<T>(ctx, stream, windows, to);
  });
}

template <int kSpatial, bool kSelect>
class MaxPoolGradOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolKernelAttrs(init, kSpatial));
    return std::make_unique<MaxPoolGradOnGpu>(attrs);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<MaxSelectBlock<float, 1>>(); }
  explicit MaxPoolGradOnGpu(const PoolAttrs& attrs) : attrs_(attrs) {}
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    return EnqueueGradient(ctx, stream, attrs_, kSelect);
  }

 private:
  const PoolAttrs attrs_;
};

template <bool kSelect>
class MaxPoolGradV2OnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolKernelFormat(init, 2));
    return std::make_unique<MaxPoolGradV2OnGpu>(attrs);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<MaxSelectBlock<float, 1>>(); }
  explicit MaxPoolGradV2OnGpu(const PoolAttrs& format) : format_(format) {}
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    PoolAttrs attrs = format_;
    WB_RETURN_IF_ERROR(ReadPoolWindow(ctx.input(3), ctx.input(4), &attrs));
    return EnqueueGradient(ctx, stream, attrs, kSelect);
  }

 private:
  const PoolAttrs format_;
};

using GradOnGpu = MaxPoolGradOnGpu<2, false>;
using GradGradOnGpu = MaxPoolGradOnGpu<2, true>;
using Grad3DOnGpu = MaxPoolGradOnGpu<3, false>;
using GradGrad3DOnGpu = MaxPoolGradOnGpu<3, true>;

}  // namespace

WB_GPU_KERNEL("MaxPoolGrad", GradOnGpu);
WB_GPU_KERNEL("MaxPoolGradGrad", GradGradOnGpu);
WB_GPU_KERNEL("MaxPoolGradV2", MaxPoolGradV2OnGpu<false>);
WB_GPU_KERNEL("MaxPoolGradGradV2", MaxPoolGradV2OnGpu<true>);
WB_GPU_KERNEL("MaxPool3DGrad", Grad3DOnGpu);
WB_GPU_KERNEL("MaxPool3DGradGrad", GradGrad3DOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
