// Fourier transforms between real arrays and the halves of their spectra that say all, on the host.
//
//   std::complex<float>* spectra = …;
//   WB_RETURN_IF_ERROR(ToSpectra(ctx, n, x.shape(), x.data<float>(), spectra));
//   WB_RETURN_IF_ERROR(FromSpectra(ctx, n, n.Lines(x.shape()), spectra, y->data<float>()));
//
// `n` are the lengths of the real arrays, none of which is 0 (ops/signal/real_transform.h).
//
// Thread safety: pure but for the data. Errors: RESOURCE_EXHAUSTED without memory to work in.
#ifndef WARPBEAM_OPS_SIGNAL_SPECTRA_H_
#define WARPBEAM_OPS_SIGNAL_SPECTRA_H_

#include <complex>
#include <cstdint>

#include "graph/types/shape.h"
#include "ops/signal/real_transform.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// Of the part of the array at `x`, of `shape`, that takes part. Real: float or double.
template <class Real>
Status ToSpectra(const KernelContext& ctx, const TransformLengths& n, const Shape& shape,
                 const Real* x, std::complex<Real>* y);

// The inverse, over lines of n.spectrum() values each, which are overwritten. What the spectra hold
// beyond those of real arrays is left out.
template <class Real>
Status FromSpectra(const KernelContext& ctx, const TransformLengths& n, int64_t lines,
                   std::complex<Real>* spectra, Real* y);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SIGNAL_SPECTRA_H_
