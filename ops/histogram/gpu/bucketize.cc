// Bucketize on a GPU: a bisection for each element.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/gpu_copier.h"
#include "ops/histogram/bucketize.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct BucketizeBlock {
  const T* x;
  int32_t* buckets;
  const float* boundaries;
  int64_t count;
  int32_t size;  // of the boundaries

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      const T value = x[i];
      int32_t low = 0, high = size;  // the first boundary above it lies between
      while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (value < boundaries[middle]) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      buckets[i] = low;
    });
  }
};
WB_GPU_FUNCTION(BucketizeBlock<float>);
WB_GPU_FUNCTION(BucketizeBlock<double>);
WB_GPU_FUNCTION(BucketizeBlock<int32_t>);
WB_GPU_FUNCTION(BucketizeBlock<int64_t>);

#if WB_HOST_PASS
namespace {

class BucketizeOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::vector<float> boundaries, ReadBoundaries(init));
    return std::make_unique<BucketizeOnGpu>(std::move(boundaries));
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<BucketizeBlock<float>>(); }
  explicit BucketizeOnGpu(std::vector<float> boundaries) : boundaries_(std::move(boundaries)) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Tensor * buckets, ctx.Allocate(0, x.shape()));
    const int64_t count = x.num_elements(), size = static_cast<int64_t>(boundaries_.size());
    if (count == 0) return OkStatus();
    WB_ASSIGN_OR_RETURN(Tensor boundaries, ctx.AllocateTemp(DType::kFloat, Shape({size})));
    WB_RETURN_IF_ERROR(GpuCopier(stream).CopyFromHost(boundaries.raw_data(), boundaries_.data(),
                                                      size * static_cast<int64_t>(sizeof(float))));
    return DispatchTypes<float, double, int32_t, int64_t>(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return Launch(stream, ElementGrid(count),
                    BucketizeBlock<T>{x.data<T>(), buckets->data<int32_t>(),
                                      boundaries.data<float>(), count, static_cast<int32_t>(size)});
    });
  }

 private:
  const std::vector<float> boundaries_;
};

}  // namespace

WB_GPU_KERNEL("Bucketize", BucketizeOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
