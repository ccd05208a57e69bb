// AdjustContrastv2 and AdjustContrast on a GPU: a block for each channel of an image.
#include "ops/image/adjust_contrast.h"

#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T, class Out>
struct AdjustContrastBlock {
  const T* x;
  Out* y;
  const float* scalars[3];  // the factor and, if it clips, the least and the greatest value
  bool clips;
  int64_t images, pixels, channels;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ContrastChange change = {*scalars[0]};
    if (clips) change = {*scalars[0], true, *scalars[1], *scalars[2]};
    for (int64_t item = block.index(); item < images * channels; item += block.count()) {
      const int64_t image = item / channels;
      const int64_t first = image * pixels * channels + (item - image * channels);
      const double sum = block.Reduce(
          [&](int thread) {
            double part = 0;
            for (int64_t i = thread; i < pixels; i += block.threads()) {
              part += static_cast<float>(x[first + i * channels]);
            }
            return part;
          },
          [](double a, double b) { return a + b; });
      const float mean = static_cast<float>(sum / static_cast<double>(pixels));
      block.ForEach([&](int thread) {
        for (int64_t i = thread; i < pixels; i += block.threads()) {
          const int64_t at = first + i * channels;
          y[at] = static_cast<Out>(change(static_cast<float>(x[at]), mean));
        }
      });
    }
  }
};
WB_GPU_FUNCTION(AdjustContrastBlock<Half, Half>);
WB_GPU_FUNCTION(AdjustContrastBlock<float, float>);
WB_GPU_FUNCTION(AdjustContrastBlock<double, float>);
WB_GPU_FUNCTION(AdjustContrastBlock<uint8_t, float>);
WB_GPU_FUNCTION(AdjustContrastBlock<int8_t, float>);
WB_GPU_FUNCTION(AdjustContrastBlock<int16_t, float>);
WB_GPU_FUNCTION(AdjustContrastBlock<int32_t, float>);

#if WB_HOST_PASS
namespace {

template <bool kFirstVersion>
class AdjustContrastOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<AdjustContrastOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<AdjustContrastBlock<float, float>>();
  }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_RETURN_IF_ERROR(CheckContrast(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    if (x.num_elements() == 0) return OkStatus();
    return DispatchTypes(ContrastTypes<kFirstVersion>{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      using Out = std::conditional_t<kFirstVersion, float, T>;
      AdjustContrastBlock<T, Out> adjust = {x.data<T>(), y->data<Out>(), {}, kFirstVersion};
      for (int i = 1; i < ctx.num_inputs(); ++i) {
        adjust.scalars[i - 1] = ctx.input(i).data<float>();
      }
      adjust.channels = x.dim(x.rank() - 1);
      adjust.pixels = x.dim(x.rank() - 2) * x.dim(x.rank() - 3);
      adjust.images = x.num_elements() / (adjust.pixels * adjust.channels);
      GpuGrid grid;
      grid.blocks = GpuBlocksFor(adjust.images * adjust.channels);
      return Launch(stream, grid, adjust);
    });
  }
};

}  // namespace

WB_GPU_KERNEL("AdjustContrast", AdjustContrastOnGpu<true>);
WB_GPU_KERNEL("AdjustContrastv2", AdjustContrastOnGpu<false>);
#endif

}  // namespace warpbeam::WB_PASS
