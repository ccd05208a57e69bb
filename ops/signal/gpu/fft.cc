// FFT, FFT2D, FFT3D, their inverses and the same with Batch before on a GPU: by the library of
// Fourier transforms; the inverse is then divided.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <algorithm>
#include <complex>
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/signal/gpu_fourier.h"
#include "ops/signal/lines.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class Real>
struct FourierScaleBlock {
  Real* y;
  Real factor;
  int64_t count;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) { y[i] *= factor; });
  }
};
WB_GPU_FUNCTION(FourierScaleBlock<float>);
WB_GPU_FUNCTION(FourierScaleBlock<double>);

#if WB_HOST_PASS
namespace {

template <int kRank, bool kInverse>
class FftOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<FftOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFourier() && HasGpuFunction<FourierScaleBlock<float>>();
  }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_RETURN_IF_ERROR(CheckTransformed(x.shape(), kRank));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    if (x.num_elements() == 0) return OkStatus();
    GpuFourierTransform transform;
    transform.is_double = x.dtype() == DType::kComplex128;
    transform.inverse = kInverse;
    transform.rank = kRank;
    const auto lengths = x.shape().dims().last(kRank);
    std::copy(lengths.begin(), lengths.end(), transform.lengths.begin());
    int64_t size = 1;
    for (const int64_t length : lengths) size *= length;
    transform.batches = x.num_elements() / size;
    transform.input = x.raw_data();
    transform.output = y->raw_data();
    WB_RETURN_IF_ERROR(EnqueueFourier(ctx, stream, transform));
    if (!kInverse) return OkStatus();
    return transform.is_double ? Divide<double>(stream, size, y) : Divide<float>(stream, size, y);
  }

 private:
  template <class Real>
  static Status Divide(GpuStream& stream, int64_t size, Tensor* y) {
    const int64_t count = 2 * y->num_elements();
    const auto factor = static_cast<Real>(1.0 / static_cast<double>(size));
    return Launch(stream, ElementGrid(count),
                  FourierScaleBlock<Real>{static_cast<Real*>(y->raw_data()), factor, count});
  }
};

#define WB_FFT_ON_GPU(name, rank, inverse)                 \
  using FftOnGpu##rank##inverse = FftOnGpu<rank, inverse>; \
  WB_GPU_KERNEL(name, FftOnGpu##rank##inverse);            \
  WB_GPU_KERNEL("Batch" name, FftOnGpu##rank##inverse)
WB_FFT_ON_GPU("FFT", 1, false);
WB_FFT_ON_GPU("FFT2D", 2, false);
WB_FFT_ON_GPU("FFT3D", 3, false);
WB_FFT_ON_GPU("IFFT", 1, true);
WB_FFT_ON_GPU("IFFT2D", 2, true);
WB_FFT_ON_GPU("IFFT3D", 3, true);
#undef WB_FFT_ON_GPU

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS
