// Signals give TensorFlow's numbers and gradients.
#include "frontend/values/expected_values.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

using signal::DctNorm;
using signal::DctOptions;
using signal::StftOptions;

std::vector<ValueRow> FourierRows() {
  return {
      {"fft", [](S s, X x) { return Fft(s, x[0]); }},
      {"ifft", [](S s, X x) { return Ifft(s, x[0]); }},
      {"fft2d", [](S s, X x) { return Fft2D(s, x[0]); }},
      {"ifft2d", [](S s, X x) { return Ifft2D(s, x[0]); }},
      {"fft3d", [](S s, X x) { return Fft3D(s, x[0]); }},
      {"ifft3d", [](S s, X x) { return Ifft3D(s, x[0]); }},
      {"rfft", [](S s, X x) { return signal::Rfft(s, x[0]); }},
      {"rfft_length", [](S s, X x) { return signal::Rfft(s, x[0], {6}); }},
      {"irfft", [](S s, X x) { return signal::Irfft(s, x[0]); }},
      {"rfft2d", [](S s, X x) { return signal::Rfft2D(s, x[0]); }},
      {"irfft2d", [](S s, X x) { return signal::Irfft2D(s, x[0]); }},
      {"rfft3d", [](S s, X x) { return signal::Rfft3D(s, x[0]); }},
      {"irfft3d", [](S s, X x) { return signal::Irfft3D(s, x[0]); }},
      {"fftshift", [](S s, X x) { return signal::Fftshift(s, x[0]); }},
      {"ifftshift", [](S s, X x) { return signal::Ifftshift(s, x[0], {1}); }},
      {"dct1", [](S s, X x) { return signal::Dct(s, x[0], DctOptions().type(1)); }},
      {"dct2", [](S s, X x) { return signal::Dct(s, x[0]); }},
      {"dct2_ortho",
       [](S s, X x) { return signal::Dct(s, x[0], DctOptions().n(6).norm(DctNorm::kOrtho)); }},
      {"dct3", [](S s, X x) { return signal::Dct(s, x[0], DctOptions().type(3)); }},
      {"dct3_ortho",
       [](S s, X x) { return signal::Dct(s, x[0], DctOptions().type(3).norm(DctNorm::kOrtho)); }},
      {"dct4", [](S s, X x) { return signal::Dct(s, x[0], DctOptions().type(4)); }},
      {"dct4_ortho",
       [](S s, X x) { return signal::Dct(s, x[0], DctOptions().type(4).norm(DctNorm::kOrtho)); }},
      {"idct", [](S s, X x) { return signal::Idct(s, x[0]); }},
      {"idct_ortho",
       [](S s, X x) { return signal::Idct(s, x[0], DctOptions().norm(DctNorm::kOrtho)); }},
  };
}

std::vector<ValueRow> FrameRows() {
  return {
      {"frame", [](S s, X x) { return signal::Frame(s, x[0], 4, 3); }},
      {"frame_pad", [](S s, X x) { return signal::Frame(s, x[0], 4, 3, true, 9); }},
      {"overlap_and_add", [](S s, X x) { return signal::OverlapAndAdd(s, x[0], 3); }},
      {"hann_window", [](S s, X x) { return signal::HannWindow(s, 5); }},
      {"hann_window_even", [](S s, X x) { return signal::HannWindow(s, 6, true); }},
      {"hamming_window", [](S s, X x) { return signal::HammingWindow(s, 6, false); }},
      {"kaiser_window", [](S s, X x) { return signal::KaiserWindow(s, 6, 8); }},
      {"kaiser_bessel_derived_window",
       [](S s, X x) { return signal::KaiserBesselDerivedWindow(s, 6, 8); }},
      {"vorbis_window", [](S s, X x) { return signal::VorbisWindow(s, 6); }},
      {"stft", [](S s, X x) { return signal::Stft(s, x[0], 4, 2); }},
      {"stft_length",
       [](S s, X x) {
         return signal::Stft(s, x[0], 4, 2,
                             StftOptions().fft_length(8).window_fn(nullptr).pad_end(true));
       }},
      {"inverse_stft", [](S s, X x) { return signal::InverseStft(s, x[0], 4, 2); }},
      {"inverse_stft_window_fn",
       [](S s, X x) { return signal::InverseStftWindowFn(2)(s, 4, DType::kFloat); }},
      {"linear_to_mel_weight_matrix",
       [](S s, X x) {
         return signal::LinearToMelWeightMatrix(
             s, signal::MelOptions().num_mel_bins(4).num_spectrogram_bins(9));
       }},
      {"mfccs_from_log_mel_spectrograms",
       [](S s, X x) { return signal::MfccsFromLogMelSpectrograms(s, x[0]); }},
      {"mdct", [](S s, X x) { return signal::Mdct(s, x[0], 4); }},
      {"inverse_mdct", [](S s, X x) { return signal::InverseMdct(s, x[0]); }},
  };
}

TEST(SignalValuesTest, AreTensorFlows) {
  std::vector<ValueRow> rows = FourierRows();
  for (ValueRow& row : FrameRows()) rows.push_back(std::move(row));
  ExpectTensorFlowsValues("signal", rows);
}

TEST(SignalValuesTest, BadArgumentsAreErrorsOfTheScope) {
  const auto unknown = [](S s) { return Placeholder(s, DType::kFloat); };
  for (const auto& build : std::vector<std::function<void(S)>>{
           [&](S s) { signal::Rfft(s, unknown(s)); },
           [](S s) {
             signal::Rfft(s, Zeros(s, {4}), {2, 2});
           },
           [](S s) { signal::Dct(s, Zeros(s, {4}), DctOptions().type(5)); },
           [](S s) { signal::Dct(s, Zeros(s, {1}), DctOptions().type(1)); },
           [](S s) { signal::Dct(s, Placeholder(s, DType::kFloat, {-1})); },
           [](S s) { signal::Frame(s, Zeros(s, {4}), 0, 1); },
           [](S s) { signal::Frame(s, Zeros(s, {4}), 2, 1, false, 0, 3); },
           [](S s) { signal::OverlapAndAdd(s, Zeros(s, {4}), 1); },
           [](S s) { signal::HannWindow(s, 0); },
           [](S s) { signal::KaiserBesselDerivedWindow(s, -3); },
           [](S s) { signal::Mdct(s, Zeros(s, {8}), 6); },
           [](S s) {
             signal::LinearToMelWeightMatrix(s, signal::MelOptions().upper_edge_hertz(5000));
           },
       }) {
    const Scope root = Scope::NewRoot();
    build(root);
    EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument) << root.status();
  }
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
