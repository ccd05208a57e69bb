// FourierTransform: discrete Fourier transforms of one length, forward or inverse (divided by the
// length), over lines of complex numbers.
//
// Lengths whose prime factors are small go to Eigen's FFT, which takes time in proportion to the
// sum of the factors; others are turned into convolutions of a power of two (Bluestein's
// algorithm), so that every length takes n log n. All is computed in double.
//
//   FourierTransform transform(n, /*inverse=*/false);
//   transform.Run(line);                                  // n values, in place
//
// Ownership: a transform owns its tables and its scratch memory. Thread safety: one thread each.
// Errors: std::bad_alloc where there is no memory; the caller has checked 0 < n <= kMostLength.
#ifndef WARPBEAM_OPS_SIGNAL_FOURIER_TRANSFORM_H_
#define WARPBEAM_OPS_SIGNAL_FOURIER_TRANSFORM_H_

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpbeam {

class FourierTransform {
 public:
  static constexpr int64_t kMostLength = int64_t{1} << 28;

  FourierTransform(int64_t length, bool inverse);
  ~FourierTransform();
  FourierTransform(const FourierTransform&) = delete;
  FourierTransform& operator=(const FourierTransform&) = delete;

  int64_t length() const { return length_; }
  void Run(std::complex<double>* line);

 private:
  struct Library;
  void PrepareChirp();
  void RunChirp(std::complex<double>* line);

  const int64_t length_;
  const bool inverse_;
  std::unique_ptr<Library> library_;
  std::vector<std::complex<double>> scratch_;
  // Bluestein's algorithm: the chirp, and the transform of its conjugate, padded.
  std::vector<std::complex<double>> chirp_, filter_, product_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SIGNAL_FOURIER_TRANSFORM_H_
