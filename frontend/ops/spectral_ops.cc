// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/spectral_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output BatchFFT(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "BatchFFT", {input},
      OpAttrs());
}

Output BatchFFT2D(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "BatchFFT2D", {input},
      OpAttrs());
}

Output BatchFFT3D(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "BatchFFT3D", {input},
      OpAttrs());
}

Output BatchIFFT(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "BatchIFFT", {input},
      OpAttrs());
}

Output BatchIFFT2D(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "BatchIFFT2D", {input},
      OpAttrs());
}

Output BatchIFFT3D(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "BatchIFFT3D", {input},
      OpAttrs());
}

Output FFT(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "FFT", {input},
      OpAttrs());
}

Output FFT2D(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "FFT2D", {input},
      OpAttrs());
}

Output FFT3D(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "FFT3D", {input},
      OpAttrs());
}

Output IFFT(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "IFFT", {input},
      OpAttrs());
}

Output IFFT2D(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "IFFT2D", {input},
      OpAttrs());
}

Output IFFT3D(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "IFFT3D", {input},
      OpAttrs());
}

Output IRFFT(ScopeRef scope, const Input& input, const Input& fft_length, const IRFFTAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "IRFFT", {input, fft_length},
      attrs);
}

Output IRFFT2D(ScopeRef scope, const Input& input, const Input& fft_length,
    const IRFFT2DAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "IRFFT2D", {input, fft_length},
      attrs);
}

Output IRFFT3D(ScopeRef scope, const Input& input, const Input& fft_length,
    const IRFFT3DAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "IRFFT3D", {input, fft_length},
      attrs);
}

Output RFFT(ScopeRef scope, const Input& input, const Input& fft_length, const RFFTAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RFFT", {input, fft_length},
      attrs);
}

Output RFFT2D(ScopeRef scope, const Input& input, const Input& fft_length, const RFFT2DAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RFFT2D", {input, fft_length},
      attrs);
}

Output RFFT3D(ScopeRef scope, const Input& input, const Input& fft_length, const RFFT3DAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RFFT3D", {input, fft_length},
      attrs);
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
