// RGBToHSV, HSVToRGB, AdjustHue and AdjustSaturation on a GPU: a thread for each pixel.
#include "ops/image/color.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/image/pixels.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T, class Change>
struct PixelsBlock {
  const T* x;
  T* y;
  int64_t pixels;
  const float* amount;  // of changes that have one

  WB_BLOCK void operator()(GpuBlock& block) const {
    Change change{};
    if constexpr (!std::is_empty_v<Change>) change.amount = *amount;
    ForEachElement(block, pixels, [&](int64_t i) {
      ComputeType<T> in[3], out[3];
      for (int c = 0; c < 3; ++c) in[c] = static_cast<ComputeType<T>>(x[3 * i + c]);
      change(in, out);
      for (int c = 0; c < 3; ++c) y[3 * i + c] = static_cast<T>(out[c]);
    });
  }
};

#define WB_COLOR_SPACE_BLOCKS(T)                              \
  WB_GPU_FUNCTION(PixelsBlock<T, ChangeColorSpace<T, true>>); \
  WB_GPU_FUNCTION(PixelsBlock<T, ChangeColorSpace<T, false>>)
WB_COLOR_SPACE_BLOCKS(float);
WB_COLOR_SPACE_BLOCKS(double);
#undef WB_COLOR_SPACE_BLOCKS
WB_GPU_FUNCTION(PixelsBlock<float, TurnHue>);
WB_GPU_FUNCTION(PixelsBlock<float, ScaleSaturation>);
WB_GPU_FUNCTION(PixelsBlock<Half, TurnHue>);
WB_GPU_FUNCTION(PixelsBlock<Half, ScaleSaturation>);

#if WB_HOST_PASS
namespace {

template <bool kToHsv>
class ColorSpaceOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ColorSpaceOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<PixelsBlock<float, ChangeColorSpace<float, kToHsv>>>();
  }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_RETURN_IF_ERROR(CheckColors(x));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    const int64_t pixels = x.num_elements() / 3;
    if (pixels == 0) return OkStatus();
    return DispatchTypes<float, double>(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return Launch(
          stream, ElementGrid(pixels),
          PixelsBlock<T, ChangeColorSpace<T, kToHsv>>{x.data<T>(), y->data<T>(), pixels, nullptr});
    });
  }
};

template <class Change>
class AdjustColorOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<AdjustColorOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<PixelsBlock<float, Change>>(); }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_RETURN_IF_ERROR(CheckAdjusted(ctx, Change::kAmount));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    const int64_t pixels = x.num_elements() / 3;
    if (pixels == 0) return OkStatus();
    return DispatchTypes<float, Half>(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return Launch(
          stream, ElementGrid(pixels),
          PixelsBlock<T, Change>{x.data<T>(), y->data<T>(), pixels, ctx.input(1).data<float>()});
    });
  }
};

}  // namespace

WB_GPU_KERNEL("RGBToHSV", ColorSpaceOnGpu<true>);
WB_GPU_KERNEL("HSVToRGB", ColorSpaceOnGpu<false>);
WB_GPU_KERNEL("AdjustHue", AdjustColorOnGpu<TurnHue>);
WB_GPU_KERNEL("AdjustSaturation", AdjustColorOnGpu<ScaleSaturation>);
#endif

}  // namespace warpbeam::WB_PASS
