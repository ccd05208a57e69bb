// AvgPool, AvgPool3D and their gradients on a GPU: each result gathers what it is made of.
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
struct AvgPoolBlock {
  PoolWindows windows;
  const T* x;
  T* y;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, windows.OutputItems(), [&](int64_t item) {
      const PoolWindows::Item place = windows.Output(item, kWidth);
      const PoolWindows::Box taps = windows.Taps(place);
      const T* const image = x + windows.InputBase(place);
      ComputeType<T> sum[kWidth] = {};
      taps.ForEach(windows.input, [&](int32_t pixel, int32_t, int32_t, int32_t) {
        const Pack<T, kWidth> v = LoadPack<kWidth>(image + pixel * windows.channels);
        for (int i = 0; i < kWidth; ++i) sum[i] += ComputeType<T>(v.at[i]);
      });
      const auto count = static_cast<ComputeType<T>>(taps.count());
      Pack<T, kWidth> result;
      for (int i = 0; i < kWidth; ++i) result.at[i] = T(sum[i] / count);
      StorePack(result, y + item * kWidth);
    });
  }
};

template <class T, int kWidth>
struct AvgPoolGradBlock {
  PoolWindows windows;
  const T* dy;
  T* dx;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, windows.InputItems(), [&](int64_t item) {
      const PoolWindows::Item here = windows.Input(item, kWidth);
      const T* const places = dy + windows.OutputBase(here);
      ComputeType<T> sum[kWidth] = {};
      windows.Places(here).ForEach(
          windows.output, [&](int32_t place, int32_t z, int32_t y, int32_t x) {
            const auto count = static_cast<ComputeType<T>>(windows.Taps(z, y, x).count());
            const ComputeType<T> share = ComputeType<T>(1) / count;
            const Pack<T, kWidth> v = LoadPack<kWidth>(places + place * windows.channels);
            for (int i = 0; i < kWidth; ++i) sum[i] += ComputeType<T>(v.at[i]) * share;
          });
      Pack<T, kWidth> result;
      for (int i = 0; i < kWidth; ++i) result.at[i] = T(sum[i]);
      StorePack(result, dx + item * kWidth);
    });
  }
};

WB_POOL_FUNCTION(AvgPoolBlock);
WB_POOL_FUNCTION(AvgPoolGradBlock);

#if WB_HOST_PASS
namespace {

// kGradient: the inputs are the sizes of the data, in host memory, and what flows in.
template <int kSpatial, bool kGradient>
class AvgPoolOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, MeanPoolAttrs(init, kSpatial));
    return std::make_unique<AvgPoolOnGpu>(attrs);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<AvgPoolBlock<float, 1>>(); }
  explicit AvgPoolOnGpu(const PoolAttrs& attrs) : attrs_(attrs) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const DataFormat& format = attrs_.format;
    const Tensor& from = ctx.input(kGradient ? 1 : 0);
    const Shape given = WithChannelsLast(from.shape(), format);
    Shape input = given;
    if (kGradient) {
      WB_ASSIGN_OR_RETURN(input, GivenPoolInput(ctx.input(0), format));
    }
    PoolGeometry g;
    WB_RETURN_IF_ERROR(MakePoolGeometry(attrs_, input, &g));
    WB_ASSIGN_OR_RETURN(const Shape pooled, PoolOutputShape(attrs_, g));
    if (kGradient) WB_RETURN_IF_ERROR(CheckPoolShape("grad", given, pooled));
    const Shape shape = FromChannelsLast(kGradient ? input : pooled, format);
    WB_ASSIGN_OR_RETURN(Tensor * to, ctx.Allocate(0, shape));
    WB_ASSIGN_OR_RETURN(const PoolWindows windows, PoolWindowsOf(g, format.channels_first));
    return DispatchTypes(FloatTypeList{}, from.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (kGradient) {
        return LaunchPool<AvgPoolGradBlock, T>(stream, windows, false, from.data<T>(),
                                               to->data<T>());
      } else {
        return LaunchPool<AvgPoolBlock, T>(stream, windows, true, from.data<T>(), to->data<T>());
      }
    });
  }

 private:
  const PoolAttrs attrs_;
};

using Mean2D = AvgPoolOnGpu<2, false>;
using Mean2DGradient = AvgPoolOnGpu<2, true>;
using Mean3D = AvgPoolOnGpu<3, false>;
using Mean3DGradient = AvgPoolOnGpu<3, true>;

}  // namespace

WB_GPU_KERNEL("AvgPool", Mean2D);
WB_GPU_KERNEL("AvgPoolGrad", Mean2DGradient);
WB_GPU_KERNEL("AvgPool3D", Mean3D);
WB_GPU_KERNEL("AvgPool3DGrad", Mean3DGradient);
#endif

}  // namespace warpbeam::WB_PASS
