#include "ops/signal/spectra.h"

#include <algorithm>

#include "ops/signal/lines.h"

namespace warpbeam {
namespace {

// All dimensions but the last, along which `lines` spectra lie.
template <class Complex>
Status TransformOuter(const KernelContext& ctx, const TransformLengths& n, int64_t lines,
                      bool inverse, Complex* spectra) {
  const Span<const int64_t> outer = n.lengths().first(static_cast<size_t>(n.rank() - 1));
  int64_t batches = lines;
  for (const int64_t length : outer) batches /= length;
  return TransformDimensions(ctx, batches, outer, n.spectrum(), inverse, spectra);
}

}  // namespace

template <class Real>
Status ToSpectra(const KernelContext& ctx, const TransformLengths& n, const Shape& shape,
                 const Real* x, std::complex<Real>* y) {
  using Complex = std::complex<Real>;
  const int64_t given = shape.dim(shape.rank() - 1), taken = std::min(given, n.last());
  const int64_t lines = n.Lines(shape);
  WB_RETURN_IF_ERROR(
      ForEachLine(ctx, lines, n.last(), /*inverse=*/false,
                  [&](FourierTransform& transform, std::complex<double>* line, int64_t index) {
                    std::fill_n(line, n.last(), 0.0);
                    const int64_t from = n.InputLine(shape, index);
                    if (from >= 0) std::copy_n(x + from * given, taken, line);
                    transform.Run(line);
                    Complex* out = y + index * n.spectrum();
                    for (int64_t k = 0; k < n.spectrum(); ++k)
                      out[k] = static_cast<Complex>(line[k]);
                  }));
  return TransformOuter(ctx, n, lines, /*inverse=*/false, y);
}

template <class Real>
Status FromSpectra(const KernelContext& ctx, const TransformLengths& n, int64_t lines,
                   std::complex<Real>* spectra, Real* y) {
  WB_RETURN_IF_ERROR(TransformOuter(ctx, n, lines, /*inverse=*/true, spectra));
  const int64_t wide = n.spectrum();
  return ForEachLine(ctx, lines, n.last(), /*inverse=*/true,
                     [&](FourierTransform& transform, std::complex<double>* line, int64_t index) {
                       const std::complex<Real>* half = spectra + index * wide;
                       for (int64_t k = 0; k < wide; ++k) line[k] = std::complex<double>(half[k]);
                       for (int64_t k = wide; k < n.last(); ++k)
                         line[k] = std::conj(line[n.last() - k]);
                       transform.Run(line);
                       // What the spectrum holds beyond that of a real line ends up in the
                       // imaginary part.
                       Real* out = y + index * n.last();
                       for (int64_t k = 0; k < n.last(); ++k)
                         out[k] = static_cast<Real>(line[k].real());
                     });
}

#define WB_SPECTRA(Real)                                                                 \
  template Status ToSpectra(const KernelContext&, const TransformLengths&, const Shape&, \
                            const Real*, std::complex<Real>*);                           \
  template Status FromSpectra(const KernelContext&, const TransformLengths&, int64_t,    \
                              std::complex<Real>*, Real*)
WB_SPECTRA(float);
WB_SPECTRA(double);
#undef WB_SPECTRA

}  // namespace warpbeam
