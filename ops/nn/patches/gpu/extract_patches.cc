// ExtractImagePatches and ExtractVolumePatches on a GPU: each element of the patches looks where it
// comes from.
#include "ops/nn/patches/extract_patches.h"

#include "ops/launch/complex_number.h"
#include "ops/launch/gpu_function.h"
#include "ops/nn/gpu_loops/items.h"

#if WB_HOST_PASS
#include <memory>

#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// An element is only moved: T has its size.
template <class T>
struct ExtractPatchesBlock {
  const T* x;
  T* patches;
  int64_t count;
  PatchPlan plan;
  Divisor channels, size[3], output[3];

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t item) {
      int64_t rest = item;
      const int64_t channel = channels.Split(&rest);
      const int64_t k = size[2].Split(&rest), j = size[1].Split(&rest), i = size[0].Split(&rest);
      int64_t at[3];
      at[2] = output[2].Split(&rest);
      at[1] = output[1].Split(&rest);
      at[0] = output[0].Split(&rest);
      const int64_t pixel = plan.PixelOf(at, i, j, k);
      const T* const image = x + rest * plan.image_size();
      patches[item] = pixel < 0 ? T(0) : image[pixel * plan.channels + channel];
    });
  }
};
WB_GPU_FUNCTION(ExtractPatchesBlock<uint8_t>);
WB_GPU_FUNCTION(ExtractPatchesBlock<uint16_t>);
WB_GPU_FUNCTION(ExtractPatchesBlock<uint32_t>);
WB_GPU_FUNCTION(ExtractPatchesBlock<uint64_t>);
WB_GPU_FUNCTION(ExtractPatchesBlock<ComplexNumber<double>>);

#if WB_HOST_PASS
namespace {

template <int kSpatial>
class ExtractPatchesOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PatchAttrs attrs, ReadPatchAttrs(init.attrs, kSpatial));
    return std::make_unique<ExtractPatchesOnGpu>(attrs);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<ExtractPatchesBlock<uint32_t>>(); }
  explicit ExtractPatchesOnGpu(const PatchAttrs& attrs) : attrs_(attrs) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    PatchPlan plan;
    WB_ASSIGN_OR_RETURN(const Shape shape, MakePatchPlan(attrs_, x.shape(), &plan));
    WB_ASSIGN_OR_RETURN(Tensor * patches, ctx.Allocate(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    switch (DTypeSize(x.dtype())) {
      case 1:
        return Extract<uint8_t>(stream, plan, x, patches);
      case 2:
        return Extract<uint16_t>(stream, plan, x, patches);
      case 4:
        return Extract<uint32_t>(stream, plan, x, patches);
      case 8:
        return Extract<uint64_t>(stream, plan, x, patches);
      default:
        return Extract<ComplexNumber<double>>(stream, plan, x, patches);
    }
  }

 private:
  template <class T>
  static Status Extract(GpuStream& stream, const PatchPlan& plan, const Tensor& x,
                        Tensor* patches) {
    const int64_t count = patches->num_elements();
    ExtractPatchesBlock<T> extract = {static_cast<const T*>(x.raw_data()),
                                      static_cast<T*>(patches->raw_data()), count, plan};
    extract.channels = DivisorOf(plan.channels);
    for (int i = 0; i < 3; ++i) {
      extract.size[i] = DivisorOf(plan.size[i]);
      extract.output[i] = DivisorOf(plan.output[i]);
    }
    return Launch(stream, ElementGrid(count), extract);
  }

  const PatchAttrs attrs_;
};

}  // namespace

WB_GPU_KERNEL("ExtractImagePatches", ExtractPatchesOnGpu<2>);
WB_GPU_KERNEL("ExtractVolumePatches", ExtractPatchesOnGpu<3>);
#endif

}  // namespace warpbeam::WB_PASS
