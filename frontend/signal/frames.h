// Signals in frames, windows, and spectra over time (tf.signal.frame, tf.signal.stft,
// tf.signal.hann_window, tf.signal.mdct…).
//
//   Output frames = signal::Frame(scope, samples, 400, 160);
//   Output spectra = signal::Stft(scope, samples, 400, 160);
//   Output mel = MatMul(scope, Abs(scope, spectra), signal::LinearToMelWeightMatrix(scope));
//
// A window function gives the window of a length; by default that of Hann, and none where it is
// null.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; lengths and steps
// below one are INVALID_ARGUMENT.
#ifndef WARPBEAM_FRONTEND_SIGNAL_FRAMES_H_
#define WARPBEAM_FRONTEND_SIGNAL_FRAMES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "frontend/signal/fourier.h"

namespace warpbeam {
namespace frontend {
namespace signal {

// Periodic windows are those of even lengths that repeat without a seam.
Output HannWindow(ScopeRef scope, int64_t length, bool periodic = true,
                  DType dtype = DType::kFloat);
Output HammingWindow(ScopeRef scope, int64_t length, bool periodic = true,
                     DType dtype = DType::kFloat);
Output KaiserWindow(ScopeRef scope, int64_t length, double beta = 12, DType dtype = DType::kFloat);
Output KaiserBesselDerivedWindow(ScopeRef scope, int64_t length, double beta = 12,
                                 DType dtype = DType::kFloat);
Output VorbisWindow(ScopeRef scope, int64_t length, DType dtype = DType::kFloat);

using WindowFunction = std::function<Output(const Scope& scope, int64_t length, DType dtype)>;
WindowFunction HannWindows();

// Frames of `frame_length` elements along `axis`, which begin `frame_step` apart. With `pad_end`
// frames that reach beyond the end have `pad_value` there; without they are left out.
Output Frame(ScopeRef scope, const Output& x, int64_t frame_length, int64_t frame_step,
             bool pad_end = false, const Input& pad_value = 0, int axis = -1);
// The signal that such frames [..., frames, frame_length] add up to.
Output OverlapAndAdd(ScopeRef scope, const Output& x, int64_t frame_step);

struct StftOptions {
  // By default the least power of two that holds a frame.
  StftOptions& fft_length(int64_t value) { return transformed = value, *this; }
  StftOptions& window_fn(WindowFunction value) { return window = std::move(value), *this; }
  StftOptions& pad_end(bool value) { return pads_end = value, *this; }

  std::optional<int64_t> transformed;
  WindowFunction window = HannWindows();
  bool pads_end = false;
};
Output Stft(ScopeRef scope, const Output& x, int64_t frame_length, int64_t frame_step,
            const StftOptions& options = StftOptions());
// With the window of InverseStftWindowFn this gives back what Stft was made of.
Output InverseStft(ScopeRef scope, const Output& x, int64_t frame_length, int64_t frame_step,
                   const StftOptions& options = StftOptions());
WindowFunction InverseStftWindowFn(int64_t frame_step, WindowFunction forward = HannWindows());

struct MdctOptions {
  MdctOptions& window_fn(WindowFunction value) { return window = std::move(value), *this; }
  MdctOptions& pad_end(bool value) { return pads_end = value, *this; }
  MdctOptions& norm(DctNorm value) { return normalization = value, *this; }

  WindowFunction window = [](const Scope& scope, int64_t length, DType dtype) {
    return VorbisWindow(scope, length, dtype);
  };
  bool pads_end = false;
  DctNorm normalization = DctNorm::kNone;
};
// frame_length must be a multiple of 4.
Output Mdct(ScopeRef scope, const Output& x, int64_t frame_length,
            const MdctOptions& options = MdctOptions());
Output InverseMdct(ScopeRef scope, const Output& x, const MdctOptions& options = MdctOptions());

struct MelOptions {
  MelOptions& num_mel_bins(int64_t value) { return bands = value, *this; }
  MelOptions& num_spectrogram_bins(int64_t value) { return bins = value, *this; }
  MelOptions& sample_rate(double value) { return rate = value, *this; }
  MelOptions& lower_edge_hertz(double value) { return lower = value, *this; }
  MelOptions& upper_edge_hertz(double value) { return upper = value, *this; }

  int64_t bands = 20, bins = 129;
  double rate = 8000, lower = 125, upper = 3800;
};
// A matrix [num_spectrogram_bins, num_mel_bins].
Output LinearToMelWeightMatrix(ScopeRef scope, const MelOptions& options = MelOptions(),
                               DType dtype = DType::kFloat);
Output MfccsFromLogMelSpectrograms(ScopeRef scope, const Output& x);

}  // namespace signal
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SIGNAL_FRAMES_H_
