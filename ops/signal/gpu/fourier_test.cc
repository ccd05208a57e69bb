// Fourier transforms on simulated GPUs give what they give on the CPU.
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"

namespace warpbeam {
namespace {

template <class Real>
Tensor RealNumbers(const Shape& shape) {
  std::vector<Real> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<Real>(static_cast<int>(i * 37 % 101)) / 16 - 3;
  }
  return Tensor::FromValues<Real>(shape, values);
}

template <class Real>
Tensor ComplexNumbers(const Shape& shape) {
  std::vector<std::complex<Real>> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = {static_cast<Real>(static_cast<int>(i * 37 % 101)) / 16 - 3,
                 static_cast<Real>(static_cast<int>(i * 53 % 89)) / 16 - 2};
  }
  return Tensor::FromValues<std::complex<Real>>(shape, values);
}

Tensor Lengths(const std::vector<int32_t>& lengths) {
  return Tensor::FromValues<int32_t>(Shape({static_cast<int64_t>(lengths.size())}), lengths);
}

// Of sums of so many numbers up to six, in the precision of the numbers.
template <class Real>
Tolerance ToleranceOf(int64_t values) {
  const double epsilon = std::is_same_v<Real, double> ? 1e-14 : 2e-6;
  return {epsilon * 10, epsilon * static_cast<double>(values)};
}

template <class Real>
Status AsOnCpu(const std::string& op, const Shape& shape) {
  return GpuAsCpu({op, {}, {{ComplexNumbers<Real>(shape)}}},
                  ToleranceOf<Real>(shape.num_elements()));
}

using RealType = ::testing::Types<float, double>;
template <class Real>
class FourierOnGpuTest : public ::testing::Test {};
TYPED_TEST_SUITE(FourierOnGpuTest, RealType);

TYPED_TEST(FourierOnGpuTest, OneDimension) {
  for (const int64_t n : {1, 2, 3, 4, 5, 7, 8, 12, 30, 49, 64, 67, 97, 134, 211, 256, 1009}) {
    for (const char* op : {"FFT", "IFFT"}) {
      EXPECT_EQ(AsOnCpu<TypeParam>(op, Shape({n})), OkStatus()) << op << n;
      EXPECT_EQ(AsOnCpu<TypeParam>(op, Shape({2, 3, n})), OkStatus()) << op << n;
    }
  }
}

TYPED_TEST(FourierOnGpuTest, MoreDimensions) {
  for (const Shape& shape :
       {Shape({4, 6}), Shape({3, 5, 7}), Shape({2, 3, 8, 1}), Shape({1, 11}), Shape({13, 22})}) {
    for (const char* op : {"FFT2D", "IFFT2D"}) {
      EXPECT_EQ(AsOnCpu<TypeParam>(op, shape), OkStatus()) << op << shape.ToString();
    }
  }
  for (const Shape& shape :
       {Shape({4, 6, 2}), Shape({3, 5, 7, 2}), Shape({2, 2, 1, 3, 11}), Shape({1, 1, 1})}) {
    for (const char* op : {"FFT3D", "IFFT3D"}) {
      EXPECT_EQ(AsOnCpu<TypeParam>(op, shape), OkStatus()) << op << shape.ToString();
    }
  }
}

// Which GPUs alone have.
TEST(FourierOnGpu, ThoseOfBatches) {
  const Tensor x = ComplexNumbers<float>(Shape({2, 3, 4, 5}));
  for (const std::string op : {"FFT", "IFFT", "FFT2D", "IFFT2D", "FFT3D", "IFFT3D"}) {
    for (const GpuMode mode : GpuModes()) {
      const auto y = GpuOpRunner("Batch" + op, mode).Input(x).Run();
      const auto want = GpuOpRunner(op, mode).Input(x).Run();
      ASSERT_TRUE(y.ok() && want.ok()) << y.status() << want.status();
      EXPECT_EQ(CompareTensors(*y, *want, {}), OkStatus()) << op;
    }
  }
}

struct RealCase {
  Shape given;
  std::vector<int32_t> lengths;
};

template <class Real>
OpCall Rfft(const RealCase& c) {
  constexpr const char* kOps[] = {"", "RFFT", "RFFT2D", "RFFT3D"};
  const DType complex = DTypeOf<std::complex<Real>>::value;
  return {kOps[c.lengths.size()],
          {{"Tcomplex", complex}},
          {{RealNumbers<Real>(c.given)}, {Lengths(c.lengths)}}};
}
template <class Real>
OpCall Irfft(const RealCase& c) {
  constexpr const char* kOps[] = {"", "IRFFT", "IRFFT2D", "IRFFT3D"};
  return {kOps[c.lengths.size()],
          {{"Treal", DTypeOf<Real>::value}},
          {{ComplexNumbers<Real>(c.given)}, {Lengths(c.lengths)}}};
}

template <class Real>
void ExpectAsOnCpu(OpCall (*call)(const RealCase&), const std::vector<RealCase>& cases) {
  for (const RealCase& c : cases) {
    std::string lengths;
    for (const int32_t n : c.lengths) lengths += " " + std::to_string(n);
    const auto tolerance = ToleranceOf<Real>(c.given.num_elements());
    EXPECT_EQ(GpuAsCpu(call(c), tolerance), OkStatus()) << c.given.ToString() << lengths;
  }
}

// Whole inputs, and longer ones, of which the first values take part.
TYPED_TEST(FourierOnGpuTest, OfRealNumbers) {
  ExpectAsOnCpu<TypeParam>(&Rfft<TypeParam>, {{Shape({1}), {1}},
                                              {Shape({2, 2}), {2}},
                                              {Shape({3, 8}), {8}},
                                              {Shape({2, 3, 9}), {9}},
                                              {Shape({5, 97}), {97}},
                                              {Shape({1009}), {1009}},
                                              {Shape({3, 12}), {8}},
                                              {Shape({3, 12}), {5}},
                                              {Shape({3, 12}), {1}},
                                              {Shape({4, 6}), {4, 6}},
                                              {Shape({2, 3, 5}), {3, 5}},
                                              {Shape({2, 1, 8}), {1, 8}},
                                              {Shape({2, 5, 1}), {5, 1}},
                                              {Shape({2, 7, 11}), {4, 10}},
                                              {Shape({2, 7, 11}), {7, 3}},
                                              {Shape({4, 6, 8}), {4, 6, 8}},
                                              {Shape({2, 3, 5, 7}), {3, 5, 7}},
                                              {Shape({2, 4, 5, 7}), {2, 3, 6}},
                                              {Shape({2, 4, 5, 7}), {4, 1, 5}}});
}

// Of any numbers: of those that a real array's spectrum has not the same parts are left out.
TYPED_TEST(FourierOnGpuTest, ToRealNumbers) {
  ExpectAsOnCpu<TypeParam>(&Irfft<TypeParam>, {{Shape({1}), {1}},
                                               {Shape({2, 2}), {2}},
                                               {Shape({2, 2}), {3}},
                                               {Shape({3, 5}), {8}},
                                               {Shape({3, 5}), {9}},
                                               {Shape({3, 5}), {6}},
                                               {Shape({3, 5}), {3}},
                                               {Shape({3, 5}), {1}},
                                               {Shape({2, 49}), {97}},
                                               {Shape({505}), {1008}},
                                               {Shape({505}), {1009}},
                                               {Shape({4, 4}), {4, 6}},
                                               {Shape({2, 5, 4}), {5, 6}},
                                               {Shape({2, 5, 4}), {5, 7}},
                                               {Shape({2, 5, 7}), {3, 8}},
                                               {Shape({2, 6, 1}), {6, 1}},
                                               {Shape({4, 6, 5}), {4, 6, 8}},
                                               {Shape({2, 3, 4, 4}), {3, 4, 7}},
                                               {Shape({2, 4, 5, 7}), {3, 4, 10}},
                                               {Shape({2, 4, 5, 7}), {1, 5, 3}}});
}

TEST(FourierOnGpu, OfNothing) {
  EXPECT_EQ(AsOnCpu<float>("FFT", Shape({3, 0})), OkStatus());
  EXPECT_EQ(AsOnCpu<float>("IFFT2D", Shape({0, 3, 4})), OkStatus());
  EXPECT_EQ(AsOnCpu<double>("FFT3D", Shape({2, 0, 4})), OkStatus());
  ExpectAsOnCpu<float>(&Rfft<float>, {{Shape({0, 4}), {4}},
                                      {Shape({2}), {0}},
                                      {Shape({3, 0}), {4}},
                                      {Shape({2, 0, 4}), {3, 4}},
                                      {Shape({2, 3, 0}), {3, 4}},
                                      {Shape({2, 3, 4}), {3, 0}}});
  ExpectAsOnCpu<double>(&Irfft<double>, {{Shape({0, 4}), {6}},
                                         {Shape({2}), {0}},
                                         {Shape({3, 0}), {4}},
                                         {Shape({2, 0, 3}), {3, 4}},
                                         {Shape({2, 3, 0}), {3, 5}},
                                         {Shape({2, 3, 3}), {0, 4}}});
}

TEST(FourierOnGpu, RefusesWhatTheCpuRefuses) {
  constexpr int32_t kTooLong = (1 << 28) + 1;
  EXPECT_EQ(AsOnCpu<float>("FFT", Shape()), OkStatus());
  EXPECT_EQ(AsOnCpu<float>("IFFT3D", Shape({2, 3})), OkStatus());
  EXPECT_EQ(AsOnCpu<float>("FFT", Shape({0, kTooLong})), OkStatus());
  ExpectAsOnCpu<float>(&Rfft<float>, {{Shape({4}), {5}},
                                      {Shape({4}), {-1}},
                                      {Shape({4}), {2, 2}},
                                      {Shape({0, kTooLong}), {kTooLong}}});
  ExpectAsOnCpu<float>(&Irfft<float>, {{Shape({4}), {8}},
                                       {Shape({3, 3}), {4, 4}},
                                       {Shape({4}), {-1}},
                                       {Shape({0, kTooLong}), {kTooLong}}});
  const Tensor x = RealNumbers<float>(Shape({4}));
  EXPECT_EQ(GpuAsCpu({"RFFT", {}, {{x}, {Tensor::Scalar<int32_t>(4)}}}, {}), OkStatus());
  const OpCall mixed = {"RFFT", {{"Tcomplex", DType::kComplex128}}, {{x}, {Lengths({4})}}};
  EXPECT_EQ(GpuAsCpu(mixed, {}), OkStatus());
}

}  // namespace
}  // namespace warpbeam
