// The Fourier transforms of simulated GPUs: the CPU's, on the thread of the stream alone.

#include <algorithm>
#include <complex>
#include <cstring>
#include <vector>

#include "ops/signal/gpu_fourier.h"
#include "ops/signal/lines.h"
#include "ops/signal/spectra.h"

namespace warpbeam {
namespace {

TransformLengths LengthsOf(const GpuFourierTransform& x) {
  return TransformLengths({x.lengths.begin(), x.lengths.begin() + x.rank});
}

// How many complex or real numbers there are of all arrays, and how many numbers in half of their
// spectra.
int64_t ValuesOf(const GpuFourierTransform& x) {
  int64_t count = x.batches;
  for (int i = 0; i < x.rank; ++i) count *= x.lengths[i];
  return count;
}
int64_t SpectraOf(const GpuFourierTransform& x) {
  const TransformLengths n = LengthsOf(x);
  return ValuesOf(x) / n.last() * n.spectrum();
}

// The CPU's inverse is divided.
template <class T, class Factor>
void Multiply(T* values, int64_t count, Factor factor) {
  std::transform(values, values + count, values, [&](T value) { return value * factor; });
}

template <class Real>
Status TransformOnHost(const GpuFourierTransform& x) {
  // A context without device and step: memory comes from the host, nothing is shared out.
  static constexpr KernelContext::NodeInfo kNoNode = {};
  const KernelContext host(nullptr, kNoNode, nullptr, nullptr);
  using Complex = std::complex<Real>;
  const TransformLengths n = LengthsOf(x);
  const int64_t values = ValuesOf(x);
  const auto size = static_cast<Real>(values / x.batches);
  if (x.kind == FourierKind::kRealToComplex) {
    std::vector<int64_t> dims = {x.batches};
    dims.insert(dims.end(), x.given.begin(), x.given.begin() + x.rank);
    WB_ASSIGN_OR_RETURN(const Shape given, Shape::Make(dims));
    return ToSpectra(host, n, given, static_cast<const Real*>(x.input),
                     static_cast<Complex*>(x.output));
  }
  if (x.kind == FourierKind::kComplexToReal) {
    auto* const spectra = static_cast<Complex*>(const_cast<void*>(x.input));
    auto* const y = static_cast<Real*>(x.output);
    WB_RETURN_IF_ERROR(FromSpectra(host, n, values / n.last(), spectra, y));
    Multiply(y, values, size);
    return OkStatus();
  }
  auto* const y = static_cast<Complex*>(x.output);
  std::copy_n(static_cast<const Complex*>(x.input), values, y);
  WB_RETURN_IF_ERROR(TransformDimensions(host, x.batches, n.lengths(), 1, x.inverse, y));
  if (x.inverse) Multiply(y, values, size);
  return OkStatus();
}

class FourierOnHost final : public GpuFourierTransforms {
 public:
  StatusOr<int64_t> WorkspaceBytes(GpuStream&, const GpuFourierTransform&) override { return 0; }
  Status Enqueue(GpuStream& stream, const GpuFourierTransform& transform, void*, int64_t) override {
    return stream.RunOnHost([x = transform] {
      if ((x.is_double ? TransformOnHost<double>(x) : TransformOnHost<float>(x)).ok()) return;
      // All bits set are no number.
      const size_t real = x.is_double ? sizeof(double) : sizeof(float);
      const int64_t numbers = x.kind == FourierKind::kComplexToReal   ? ValuesOf(x)
                              : x.kind == FourierKind::kRealToComplex ? 2 * SpectraOf(x)
                                                                      : 2 * ValuesOf(x);
      memset(x.output, 0xff, static_cast<size_t>(numbers) * real);
    });
  }
};

FourierOnHost on_host;
const GpuFourierRegistration registration_of_host(GpuSide::kSimulated, &on_host);

}  // namespace
}  // namespace warpbeam
