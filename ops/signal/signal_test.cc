#include <cmath>
#include <complex>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using C = std::complex<float>;
using Z = std::complex<double>;

std::vector<Z> Wave(int64_t n) {
  std::vector<Z> x(n);
  for (int64_t i = 0; i < n; ++i) x[i] = Z(static_cast<double>(i * 7 % 11) - 5, i * 5 % 13 - 6.0);
  return x;
}

// By the definition, which takes n^2 time.
std::vector<Z> Definition(const std::vector<Z>& x) {
  const int64_t n = static_cast<int64_t>(x.size());
  std::vector<Z> y(n);
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t j = 0; j < n; ++j) {
      y[k] += x[j] * std::polar(1.0, -2 * M_PI * static_cast<double>(j * k % n) / n);
    }
  }
  return y;
}

Tensor Vector(const std::vector<Z>& x) {
  return Tensor::FromValues<Z>(Shape({static_cast<int64_t>(x.size())}), x);
}

// Lengths with small factors, and with large ones, which take another algorithm.
TEST(Fft, AgreesWithTheDefinition) {
  for (const int64_t n : {1, 2, 3, 4, 5, 7, 8, 12, 30, 49, 64, 67, 97, 134, 211, 256, 1009}) {
    const std::vector<Z> x = Wave(n), y = Definition(x);
    OpTest("FFT").Input(Vector(x)).Expect(Vector(y)).Within(1e-9, 1e-9);
    OpTest("IFFT").Input(Vector(y)).Expect(Vector(x)).Within(1e-9, 1e-9);
  }
}

TEST(Fft, TransformsEveryLineOfABatch) {
  OpTest("FFT")
      .Input<C>({2, 2}, {C(1), C(2), C(3), C(5)})
      .Expect<C>({2, 2}, {C(3), C(-1), C(8), C(-2)});
}

TEST(Fft, TwoAndThreeDimensions) {
  OpTest("FFT2D")
      .Input<C>({1, 2, 2}, {C(1), C(2), C(3), C(5)})
      .Expect<C>({1, 2, 2}, {C(11), C(-3), C(-5), C(1)});
  OpTest("IFFT2D")
      .Input<C>({2, 2}, {C(11), C(-3), C(-5), C(1)})
      .Expect<C>({2, 2}, {C(1), C(2), C(3), C(5)});
  OpTest("FFT3D")
      .Input<Z>({2, 1, 2}, {Z(1), Z(2), Z(3), Z(5)})
      .Expect<Z>({2, 1, 2}, {Z(11), Z(-3), Z(-5), Z(1)});
  OpTest("IFFT3D")
      .Input<Z>({2, 1, 2}, {Z(11), Z(-3), Z(-5), Z(1)})
      .Expect<Z>({2, 1, 2}, {Z(1), Z(2), Z(3), Z(5)});
}

TEST(Fft, EmptyTensorsAndTooFewDimensions) {
  OpTest("FFT").Input<C>({3, 0}, {}).Expect<C>({3, 0}, {});
  OpTest("FFT2D").Input<C>({0, 3}, {}).Expect<C>({0, 3}, {});
  OpTest("FFT").Scalar<C>(C(1)).ExpectError(kInvalid);
  OpTest("FFT3D").Input<C>({1, 1}, {C(1)}).ExpectError(kInvalid);
}

TEST(Rfft, HalfOfTheSpectrum) {
  OpTest("RFFT")
      .Input<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})
      .Input<int32_t>({1}, {4})
      .Expect<C>({2, 3}, {C(10), C(-2, 2), C(-2), C(26), C(-2, 2), C(-2)});
  OpTest("RFFT")
      .Attr("Tcomplex", DType::kComplex128)
      .Input<double>({3}, {1, 2, 3})
      .Input<int32_t>({1}, {3})
      .Expect<Z>({2}, {Z(6), Z(-1.5, std::sqrt(3) / 2)});
}

TEST(Rfft, LeavesOutWhatIsLonger) {
  OpTest("RFFT2D")
      .Input<float>({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
      .Input<int32_t>({2}, {2, 2})
      .Expect<C>({2, 2}, {C(14), C(-2), C(-8), C(0)});
  OpTest("RFFT3D")
      .Input<float>({2, 1, 2}, {1, 2, 3, 5})
      .Input<int32_t>({3}, {2, 1, 2})
      .Expect<C>({2, 1, 2}, {C(11), C(-3), C(-5), C(1)});
}

TEST(Rfft, ZeroLengthsAndEmptyInputs) {
  OpTest("RFFT").Input<float>({0, 4}, {}).Input<int32_t>({1}, {4}).Expect<C>({0, 3}, {});
  OpTest("RFFT").Input<float>({2}, {1, 2}).Input<int32_t>({1}, {0}).Expect<C>({0}, {});
  OpTest("RFFT").Input<float>({1, 0}, {}).Input<int32_t>({1}, {2}).Expect<C>({1, 2}, {C(0), C(0)});
}

TEST(Rfft, RefusesWhatDoesNotFit) {
  OpTest("RFFT").Input<float>({2}, {1, 2}).Input<int32_t>({1}, {3}).ExpectError(kInvalid, "least");
  OpTest("RFFT").Input<float>({2}, {1, 2}).Input<int32_t>({1}, {-1}).ExpectError(kInvalid, "neg");
  OpTest("RFFT").Input<float>({2}, {1, 2}).Input<int32_t>({2}, {1, 1}).ExpectError(kInvalid);
  OpTest("RFFT").Input<float>({2}, {1, 2}).Scalar<int32_t>(2).ExpectError(kInvalid);
  OpTest("RFFT2D").Input<float>({2}, {1, 2}).Input<int32_t>({2}, {1, 1}).ExpectError(kInvalid);
  OpTest("RFFT")
      .Attr("Tcomplex", DType::kComplex128)
      .Input<float>({2}, {1, 2})
      .Input<int32_t>({1}, {2})
      .ExpectError(kInvalid, "precision");
}

TEST(Irfft, EvenAndOddLengths) {
  OpTest("IRFFT")
      .Input<C>({2, 3}, {C(10), C(-2, 2), C(-2), C(26), C(-2, 2), C(-2)})
      .Input<int32_t>({1}, {4})
      .Expect<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  OpTest("IRFFT")
      .Attr("Treal", DType::kDouble)
      .Input<Z>({2}, {Z(6), Z(-1.5, std::sqrt(3) / 2)})
      .Input<int32_t>({1}, {3})
      .Expect<double>({3}, {1, 2, 3});
}

TEST(Irfft, ImaginaryPartsThatARealLineHasNot) {
  OpTest("IRFFT")
      .Input<C>({3}, {C(0, 1), C(0, 2), C(0, 3)})
      .Input<int32_t>({1}, {4})
      .Expect<float>({4}, {0, -1, 0, 1});
}

TEST(Irfft, TwoAndThreeDimensions) {
  OpTest("IRFFT2D")
      .Input<C>({2, 2}, {C(14), C(-2), C(-8), C(0)})
      .Input<int32_t>({2}, {2, 2})
      .Expect<float>({2, 2}, {1, 2, 5, 6});
  OpTest("IRFFT3D")
      .Input<C>({2, 1, 2}, {C(11), C(-3), C(-5), C(1)})
      .Input<int32_t>({3}, {2, 1, 2})
      .Expect<float>({2, 1, 2}, {1, 2, 3, 5});
  OpTest("IRFFT2D")
      .Input<C>({1, 2}, {C(1), C(2)})
      .Input<int32_t>({2}, {2, 2})
      .ExpectError(kInvalid, "least");
}

}  // namespace
}  // namespace warpbeam
