// ImageProjectiveTransformV2 and …V3 on a GPU: a thread for each pixel of the result.
#include "ops/image/projective_transform.h"

#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct ProjectPixelsBlock {
  const T* images;
  const float* transforms;
  T* y;
  ProjectiveAttrs attrs;
  T fill;
  int64_t count;          // of the result's pixels
  int64_t height, width;  // of the result
  int64_t image_height, image_width, channels;
  int64_t stride;  // from one image's parameters to the next one's

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      const int64_t line = i / width, batch = line / height;
      const ProjectedImage<T> image(images + batch * image_height * image_width * channels,
                                    image_height, image_width, channels, fill);
      ProjectPixel(image, attrs, transforms + batch * stride, static_cast<float>(i - line * width),
                   static_cast<float>(line - batch * height), y + i * channels);
    });
  }
};
WB_GPU_FUNCTION(ProjectPixelsBlock<uint8_t>);
WB_GPU_FUNCTION(ProjectPixelsBlock<int32_t>);
WB_GPU_FUNCTION(ProjectPixelsBlock<int64_t>);
WB_GPU_FUNCTION(ProjectPixelsBlock<Half>);
WB_GPU_FUNCTION(ProjectPixelsBlock<float>);
WB_GPU_FUNCTION(ProjectPixelsBlock<double>);

#if WB_HOST_PASS
namespace {

class ProjectiveTransformOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const ProjectiveAttrs attrs, ProjectiveAttrs::From(init));
    return std::make_unique<ProjectiveTransformOnGpu>(attrs);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<ProjectPixelsBlock<float>>(); }
  explicit ProjectiveTransformOnGpu(const ProjectiveAttrs& attrs) : attrs_(attrs) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &images = ctx.input(0), &transforms = ctx.input(1);
    ProjectivePlan plan;
    WB_RETURN_IF_ERROR(MakeProjectivePlan(ctx, &plan));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, plan.shape));
    if (out->num_elements() == 0) return OkStatus();
    using Types = TypeList<uint8_t, int32_t, int64_t, Half, float, double>;
    return DispatchTypes(Types{}, images.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ProjectPixelsBlock<T> project = {};
      project.images = images.data<T>();
      project.transforms = transforms.data<float>();
      project.y = out->data<T>();
      project.attrs = attrs_;
      project.fill = ToPixel<T>(plan.fill);
      project.height = out->dim(1);
      project.width = out->dim(2);
      project.channels = out->dim(3);
      project.count = out->num_elements() / project.channels;
      project.image_height = images.dim(1);
      project.image_width = images.dim(2);
      project.stride = transforms.dim(0) == 1 ? 0 : kProjectiveParameters;
      return Launch(stream, ElementGrid(project.count), project);
    });
  }

 private:
  const ProjectiveAttrs attrs_;
};

}  // namespace

WB_GPU_KERNEL("ImageProjectiveTransformV2", ProjectiveTransformOnGpu);
WB_GPU_KERNEL("ImageProjectiveTransformV3", ProjectiveTransformOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
