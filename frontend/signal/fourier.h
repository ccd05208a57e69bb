// Fourier and cosine transforms (tf.signal.fft, tf.signal.rfft, tf.signal.dct…).
//
//   Output spectrum = signal::Rfft(scope, samples);               // of the last dimension
//   Output image = signal::Ifft2D(scope, signal::Fft2D(scope, x));
//   Output cosines = signal::Dct(scope, x, signal::DctOptions().norm(signal::DctNorm::kOrtho));
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; a cosine transform
// of a dimension that is not known is INVALID_ARGUMENT.
#ifndef WARPBEAM_FRONTEND_SIGNAL_FOURIER_H_
#define WARPBEAM_FRONTEND_SIGNAL_FOURIER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace signal {

// Of complex numbers, over the last one, two or three dimensions.
Output Fft(ScopeRef scope, const Input& x);
Output Ifft(ScopeRef scope, const Input& x);
Output Fft2D(ScopeRef scope, const Input& x);
Output Ifft2D(ScopeRef scope, const Input& x);
Output Fft3D(ScopeRef scope, const Input& x);
Output Ifft3D(ScopeRef scope, const Input& x);

// Of real numbers: only the first half of the spectrum and its middle. `fft_length` are the extents
// of what is transformed, which is cut or filled with zeros; by default those of x.
Output Rfft(ScopeRef scope, const Output& x, const std::vector<int32_t>& fft_length = {});
Output Irfft(ScopeRef scope, const Output& x, const std::vector<int32_t>& fft_length = {});
Output Rfft2D(ScopeRef scope, const Output& x, const std::vector<int32_t>& fft_length = {});
Output Irfft2D(ScopeRef scope, const Output& x, const std::vector<int32_t>& fft_length = {});
Output Rfft3D(ScopeRef scope, const Output& x, const std::vector<int32_t>& fft_length = {});
Output Irfft3D(ScopeRef scope, const Output& x, const std::vector<int32_t>& fft_length = {});

// The frequency 0 to the middle of the dimensions, by default all, and back.
Output Fftshift(ScopeRef scope, const Output& x, const std::vector<int32_t>& axes = {});
Output Ifftshift(ScopeRef scope, const Output& x, const std::vector<int32_t>& axes = {});

enum class DctNorm { kNone, kOrtho };
struct DctOptions {
  // From 1 to 4.
  DctOptions& type(int value) { return kind = value, *this; }
  // How many elements are transformed: the last dimension is cut or filled with zeros.
  DctOptions& n(int64_t value) { return length = value, *this; }
  DctOptions& norm(DctNorm value) { return normalization = value, *this; }

  int kind = 2;
  std::optional<int64_t> length;
  DctNorm normalization = DctNorm::kNone;
};
Output Dct(ScopeRef scope, const Output& x, const DctOptions& options = DctOptions());
// The inverse but for its scale, as TensorFlow's; with kOrtho the inverse.
Output Idct(ScopeRef scope, const Output& x, const DctOptions& options = DctOptions());

}  // namespace signal

using signal::Fft;
using signal::Fft2D;
using signal::Fft3D;
using signal::Ifft;
using signal::Ifft2D;
using signal::Ifft3D;

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SIGNAL_FOURIER_H_
