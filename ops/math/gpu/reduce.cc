// Sum, Mean, Prod, Max, Min, Any, All and EuclideanNorm on a GPU.

#include "ops/math/axes.h"
#include "ops/math/gpu/gpu_reduction.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <Reduction kReduction>
class ReduceOnGpuKernel final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool keep_dims, init.attr<bool>("keep_dims"));
    return std::make_unique<ReduceOnGpuKernel>(keep_dims);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuReductions(); }
  explicit ReduceOnGpuKernel(bool keep_dims) : keep_dims_(keep_dims) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const uint64_t axes, ReadAxes(ctx.input(1), x.rank()));
    WB_ASSIGN_OR_RETURN(const Shape shape, ReducedShape(x.shape(), axes, keep_dims_));
    if (shape.num_elements() == x.num_elements() && kReduction != Reduction::kNorm) {
      WB_ASSIGN_OR_RETURN(Tensor y, x.Reshaped(shape));
      ctx.set_output(0, std::move(y));
      return OkStatus();
    }
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    return ReduceOnGpu(ctx, stream, kReduction, x, axes, y);
  }

 private:
  const bool keep_dims_;
};

WB_GPU_KERNEL("Sum", ReduceOnGpuKernel<Reduction::kSum>);
WB_GPU_KERNEL("Mean", ReduceOnGpuKernel<Reduction::kMean>);
WB_GPU_KERNEL("Prod", ReduceOnGpuKernel<Reduction::kProd>);
WB_GPU_KERNEL("EuclideanNorm", ReduceOnGpuKernel<Reduction::kNorm>);
WB_GPU_KERNEL("Max", ReduceOnGpuKernel<Reduction::kMax>);
WB_GPU_KERNEL("Min", ReduceOnGpuKernel<Reduction::kMin>);
WB_GPU_KERNEL("Any", ReduceOnGpuKernel<Reduction::kAny>);
WB_GPU_KERNEL("All", ReduceOnGpuKernel<Reduction::kAll>);

}  // namespace
}  // namespace warpbeam
