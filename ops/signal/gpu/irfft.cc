// IRFFT, IRFFT2D, IRFFT3D on a GPU: by the library of Fourier transforms, which is given what a
// spectrum of real arrays has, divided by the number of values.
#include "ops/launch/complex_number.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <algorithm>
#include <complex>
#include <memory>

#include "ops/signal/gpu_fourier.h"
#include "ops/signal/real_transform.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// Half of a spectrum of three dimensions, the last of which is halved, and times a factor: of the
// values that stand for themselves and their conjugates, which lie in the first plane and, of an
// even length, in the last, the part that is such. The rest has no part in the real result: it
// would be its imaginary part. The library may read it all the same.
template <class Real, class Index>
struct HermitianSpectrumBlock {
  using Complex = ComplexNumber<Real>;

  const Complex* from;
  Complex* to;
  Index count;
  Index lengths[3];  // of the spectrum: the last is half of `last` and 1
  Index given[3];    // of the input, whose first values take part
  Index last;        // of the real array
  Real factor;

  WB_BLOCK int64_t Place(Index batch, Index i, Index j, Index k) const {
    return ((static_cast<int64_t>(batch) * given[0] + i) * given[1] + j) * given[2] + k;
  }
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](Index n) {
      const Index line = n / lengths[2], k = n - line * lengths[2];
      const Index plane = line / lengths[1], j = line - plane * lengths[1];
      const Index batch = plane / lengths[0], i = plane - batch * lengths[0];
      Complex value = from[Place(batch, i, j, k)];
      if (k == 0 || 2 * k == last) {
        const Complex other =
            from[Place(batch, i == 0 ? 0 : lengths[0] - i, j == 0 ? 0 : lengths[1] - j, k)];
        value = Complex((value.real() + other.real()) / 2, (value.imag() - other.imag()) / 2);
      }
      to[n] = value * factor;
    });
  }
};
WB_GPU_FUNCTION(HermitianSpectrumBlock<float, uint32_t>);
WB_GPU_FUNCTION(HermitianSpectrumBlock<float, int64_t>);
WB_GPU_FUNCTION(HermitianSpectrumBlock<double, uint32_t>);
WB_GPU_FUNCTION(HermitianSpectrumBlock<double, int64_t>);

#if WB_HOST_PASS
namespace {

template <int kRank>
class IrfftOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_RETURN_IF_ERROR(CheckPrecision(init));
    return std::make_unique<IrfftOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFourier() && HasGpuFunction<HermitianSpectrumBlock<float, uint32_t>>();
  }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const TransformLengths n, TransformLengths::Read(ctx, kRank, true));
    WB_ASSIGN_OR_RETURN(const Shape shape, n.WithLast(x.shape(), n.last()));
    WB_ASSIGN_OR_RETURN(const Shape half, n.WithLast(x.shape(), n.spectrum()));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    if (x.num_elements() == 0) return EnqueueZeros(stream, y);
    WB_ASSIGN_OR_RETURN(Tensor spectra, ctx.AllocateTemp(x.dtype(), half));
    GpuFourierTransform transform;
    transform.kind = FourierKind::kComplexToReal;
    transform.is_double = y->dtype() == DType::kDouble;
    transform.rank = kRank;
    std::copy(n.lengths().begin(), n.lengths().end(), transform.lengths.begin());
    transform.batches = n.Batches(x.shape());
    transform.input = spectra.raw_data();
    transform.output = y->raw_data();
    WB_RETURN_IF_ERROR(transform.is_double ? Prepare<double>(stream, n, x, &spectra)
                                           : Prepare<float>(stream, n, x, &spectra));
    return EnqueueFourier(ctx, stream, transform);
  }

 private:
  template <class Real>
  static Status Prepare(GpuStream& stream, const TransformLengths& n, const Tensor& x,
                        Tensor* spectra) {
    return spectra->num_elements() < kMost32 ? Prepare<Real, uint32_t>(stream, n, x, spectra)
                                             : Prepare<Real, int64_t>(stream, n, x, spectra);
  }
  template <class Real, class Index>
  static Status Prepare(GpuStream& stream, const TransformLengths& n, const Tensor& x,
                        Tensor* spectra) {
    const int64_t count = spectra->num_elements();
    HermitianSpectrumBlock<Real, Index> block{GpuData(x.data<std::complex<Real>>()),
                                              GpuData(spectra->data<std::complex<Real>>()),
                                              static_cast<Index>(count),
                                              {1, 1, 1},
                                              {1, 1, 1},
                                              static_cast<Index>(n.last()),
                                              1};
    double size = 1;
    for (int i = 0; i < kRank; ++i) {
      const int to = 3 - kRank + i;
      block.lengths[to] = static_cast<Index>(i < kRank - 1 ? n.length(i) : n.spectrum());
      block.given[to] = static_cast<Index>(x.dim(x.rank() - kRank + i));
      size *= static_cast<double>(n.length(i));
    }
    block.factor = static_cast<Real>(1 / size);
    return Launch(stream, ElementGrid(count), block);
  }
};

using IrfftOnGpu1 = IrfftOnGpu<1>;
using IrfftOnGpu2 = IrfftOnGpu<2>;
using IrfftOnGpu3 = IrfftOnGpu<3>;
WB_GPU_KERNEL("IRFFT", IrfftOnGpu1);
WB_GPU_KERNEL("IRFFT2D", IrfftOnGpu2);
WB_GPU_KERNEL("IRFFT3D", IrfftOnGpu3);

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS
