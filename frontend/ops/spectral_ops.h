// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_SPECTRAL_OPS_H_
#define WARPBEAM_FRONTEND_OPS_SPECTRAL_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (input: complex64) -> (output: complex64)
// Deprecated: Use FFT
Output BatchFFT(ScopeRef scope, const Input& input);

// (input: complex64) -> (output: complex64)
// Deprecated: Use FFT2D
Output BatchFFT2D(ScopeRef scope, const Input& input);

// (input: complex64) -> (output: complex64)
// Deprecated: Use FFT3D
Output BatchFFT3D(ScopeRef scope, const Input& input);

// (input: complex64) -> (output: complex64)
// Deprecated: Use IFFT
Output BatchIFFT(ScopeRef scope, const Input& input);

// (input: complex64) -> (output: complex64)
// Deprecated: Use IFFT2D
Output BatchIFFT2D(ScopeRef scope, const Input& input);

// (input: complex64) -> (output: complex64)
// Deprecated: Use IFFT3D
Output BatchIFFT3D(ScopeRef scope, const Input& input);

// (input: Tcomplex) -> (output: Tcomplex)
Output FFT(ScopeRef scope, const Input& input);

// (input: Tcomplex) -> (output: Tcomplex)
Output FFT2D(ScopeRef scope, const Input& input);

// (input: Tcomplex) -> (output: Tcomplex)
Output FFT3D(ScopeRef scope, const Input& input);

// (input: Tcomplex) -> (output: Tcomplex)
Output IFFT(ScopeRef scope, const Input& input);

// (input: Tcomplex) -> (output: Tcomplex)
Output IFFT2D(ScopeRef scope, const Input& input);

// (input: Tcomplex) -> (output: Tcomplex)
Output IFFT3D(ScopeRef scope, const Input& input);

class IRFFTAttrs : public OpAttrs {
 public:
  IRFFTAttrs& Treal(DType value) {
    Set("Treal", value);
    return *this;
  }
};
// (input: Tcomplex, fft_length: int32) -> (output: Treal)
Output IRFFT(ScopeRef scope, const Input& input, const Input& fft_length,
    const IRFFTAttrs& attrs = IRFFTAttrs());

class IRFFT2DAttrs : public OpAttrs {
 public:
  IRFFT2DAttrs& Treal(DType value) {
    Set("Treal", value);
    return *this;
  }
};
// (input: Tcomplex, fft_length: int32) -> (output: Treal)
Output IRFFT2D(ScopeRef scope, const Input& input, const Input& fft_length,
    const IRFFT2DAttrs& attrs = IRFFT2DAttrs());

class IRFFT3DAttrs : public OpAttrs {
 public:
  IRFFT3DAttrs& Treal(DType value) {
    Set("Treal", value);
    return *this;
  }
};
// (input: Tcomplex, fft_length: int32) -> (output: Treal)
Output IRFFT3D(ScopeRef scope, const Input& input, const Input& fft_length,
    const IRFFT3DAttrs& attrs = IRFFT3DAttrs());

class RFFTAttrs : public OpAttrs {
 public:
  RFFTAttrs& Tcomplex(DType value) {
    Set("Tcomplex", value);
    return *this;
  }
};
// (input: Treal, fft_length: int32) -> (output: Tcomplex)
Output RFFT(ScopeRef scope, const Input& input, const Input& fft_length,
    const RFFTAttrs& attrs = RFFTAttrs());

class RFFT2DAttrs : public OpAttrs {
 public:
  RFFT2DAttrs& Tcomplex(DType value) {
    Set("Tcomplex", value);
    return *this;
  }
};
// (input: Treal, fft_length: int32) -> (output: Tcomplex)
Output RFFT2D(ScopeRef scope, const Input& input, const Input& fft_length,
    const RFFT2DAttrs& attrs = RFFT2DAttrs());

class RFFT3DAttrs : public OpAttrs {
 public:
  RFFT3DAttrs& Tcomplex(DType value) {
    Set("Tcomplex", value);
    return *this;
  }
};
// (input: Treal, fft_length: int32) -> (output: Tcomplex)
Output RFFT3D(ScopeRef scope, const Input& input, const Input& fft_length,
    const RFFT3DAttrs& attrs = RFFT3DAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_SPECTRAL_OPS_H_
