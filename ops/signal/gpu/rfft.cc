// RFFT, RFFT2D, RFFT3D on a GPU: by the library of Fourier transforms, which takes the part of the
// input that takes part from where it lies.

#include <algorithm>
#include <memory>

#include "ops/signal/gpu_fourier.h"
#include "ops/signal/real_transform.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <int kRank>
class RfftOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_RETURN_IF_ERROR(CheckPrecision(init));
    return std::make_unique<RfftOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFourier(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const TransformLengths n, TransformLengths::Read(ctx, kRank, false));
    WB_ASSIGN_OR_RETURN(const Shape shape, n.WithLast(x.shape(), n.spectrum()));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    if (x.num_elements() == 0) return EnqueueZeros(stream, y);
    GpuFourierTransform transform;
    transform.kind = FourierKind::kRealToComplex;
    transform.is_double = x.dtype() == DType::kDouble;
    transform.rank = kRank;
    std::copy(n.lengths().begin(), n.lengths().end(), transform.lengths.begin());
    const auto given = x.shape().dims().last(kRank);
    std::copy(given.begin(), given.end(), transform.given.begin());
    transform.batches = n.Batches(x.shape());
    transform.input = x.raw_data();
    transform.output = y->raw_data();
    return EnqueueFourier(ctx, stream, transform);
  }
};

using RfftOnGpu1 = RfftOnGpu<1>;
using RfftOnGpu2 = RfftOnGpu<2>;
using RfftOnGpu3 = RfftOnGpu<3>;
WB_GPU_KERNEL("RFFT", RfftOnGpu1);
WB_GPU_KERNEL("RFFT2D", RfftOnGpu2);
WB_GPU_KERNEL("RFFT3D", RfftOnGpu3);

}  // namespace
}  // namespace warpbeam
