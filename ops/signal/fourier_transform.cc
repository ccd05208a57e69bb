#include "ops/signal/fourier_transform.h"

#include <cmath>

#ifndef EIGEN_DONT_PARALLELIZE
#define EIGEN_DONT_PARALLELIZE 1
#endif
#include <unsupported/Eigen/FFT>

namespace warpbeam {
namespace {

using Complex = std::complex<double>;

int64_t LargestFactor(int64_t n) {
  int64_t largest = 1;
  for (int64_t p = 2; p * p <= n; ++p) {
    while (n % p == 0) {
      largest = p;
      n /= p;
    }
  }
  return n > 1 ? n : largest;
}

}  // namespace

struct FourierTransform::Library {
  Eigen::FFT<double> fft;
};

FourierTransform::FourierTransform(int64_t length, bool inverse)
    : length_(length), inverse_(inverse), library_(std::make_unique<Library>()) {
  library_->fft.SetFlag(Eigen::FFT<double>::Unscaled);
  // About where three transforms of more than twice the length take less time.
  constexpr int64_t kLargeFactor = 64;
  if (LargestFactor(length_) > kLargeFactor) {
    PrepareChirp();
  } else {
    scratch_.resize(length_);
  }
}

FourierTransform::~FourierTransform() = default;

void FourierTransform::Run(Complex* line) {
  if (length_ > 1) {
    if (!chirp_.empty()) {
      RunChirp(line);
    } else {
      std::copy(line, line + length_, scratch_.begin());
      if (inverse_) {
        library_->fft.inv(line, scratch_.data(), length_);
      } else {
        library_->fft.fwd(line, scratch_.data(), length_);
      }
    }
  }
  if (!inverse_) return;
  const double scale = 1.0 / static_cast<double>(length_);
  for (int64_t i = 0; i < length_; ++i) line[i] *= scale;
}

// With c[k] = exp(-i pi k^2 / n), X[k] = c[k] sum_j (x[j] c[j]) conj(c[k - j]).
void FourierTransform::PrepareChirp() {
  const double direction = inverse_ ? 1 : -1;
  chirp_.resize(length_);
  for (int64_t k = 0; k < length_; ++k) {
    // k^2 modulo 2n keeps the angle small, and so exact.
    const double turn = static_cast<double>(k * k % (2 * length_)) / static_cast<double>(length_);
    chirp_[k] = std::polar(1.0, direction * M_PI * turn);
  }
  int64_t padded = 1;
  while (padded < 2 * length_ - 1) padded *= 2;
  product_.assign(padded, Complex(0));
  product_[0] = std::conj(chirp_[0]);
  for (int64_t k = 1; k < length_; ++k) {
    product_[k] = product_[padded - k] = std::conj(chirp_[k]);
  }
  filter_.resize(padded);
  scratch_.resize(padded);
  library_->fft.fwd(filter_.data(), product_.data(), padded);
  const double scale = 1.0 / static_cast<double>(padded);
  for (Complex& value : filter_) value *= scale;
}

void FourierTransform::RunChirp(Complex* line) {
  const int64_t padded = static_cast<int64_t>(filter_.size());
  for (int64_t k = 0; k < length_; ++k) product_[k] = line[k] * chirp_[k];
  std::fill(product_.begin() + length_, product_.end(), Complex(0));
  library_->fft.fwd(scratch_.data(), product_.data(), padded);
  for (int64_t k = 0; k < padded; ++k) scratch_[k] *= filter_[k];
  library_->fft.inv(product_.data(), scratch_.data(), padded);
  for (int64_t k = 0; k < length_; ++k) line[k] = product_[k] * chirp_[k];
}

}  // namespace warpbeam
