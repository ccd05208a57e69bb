// The values have their distributions; they are others than the CPU's.
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"

namespace warpbeam {
namespace {

constexpr char kOp[] = "ParameterizedTruncatedNormal";
constexpr int64_t kBatches = 4, kSamples = 4000;

template <class T>
Tensor ListOf(const std::vector<double>& values) {
  std::vector<T> list;
  for (const double value : values) list.push_back(static_cast<T>(static_cast<float>(value)));
  return Tensor::Vector<T>(MakeConstSpan(list));
}

// A middle, a tail by an exponential and one by a uniform proposal, and a half on the left.
template <class T>
void ExpectDistributions(DType dtype) {
  const std::vector<double> low = {-1, 3, 2.9, -100}, high = {1, 8, 3, 0};
  const std::vector<double> mean = {0, 1, 0, 0}, deviation = {1, 1, 1, 2};
  // Of the distributions: by symmetry, by Mills' ratio, of nearly a line, and of half a normal one.
  const double want[] = {0, 3.373, 2.9487, -2 * std::sqrt(2 / 3.14159265)};
  for (const GpuMode mode : GpuModes()) {
    const StatusOr<Tensor> y = GpuOpRunner(kOp, mode)
                                   .Attr("seed", int64_t{3})
                                   .Attr("seed2", int64_t{4})
                                   .Attr("dtype", dtype)
                                   .Input(Tensor::Vector<int32_t>({kBatches, kSamples}))
                                   .Input(ListOf<T>(mean))
                                   .Input(ListOf<T>(deviation))
                                   .Input(ListOf<T>(low))
                                   .Input(ListOf<T>(high))
                                   .Run();
    ASSERT_TRUE(y.ok()) << y.status();
    for (int64_t b = 0; b < kBatches; ++b) {
      const auto at = static_cast<size_t>(b);
      double sum = 0, previous = NAN;
      int64_t repeated = 0;
      for (int64_t i = 0; i < kSamples; ++i) {
        const auto x = static_cast<double>(static_cast<float>(y->data<T>()[b * kSamples + i]));
        ASSERT_GE(x, low[at] - 2e-3) << b;
        ASSERT_LE(x, high[at] + 2e-3) << b;
        repeated += x == previous ? 1 : 0;
        previous = x;
        sum += x;
      }
      EXPECT_NEAR(sum / kSamples, want[at], 0.06) << b;
      EXPECT_LT(repeated, kSamples / 10) << b;
    }
  }
}

TEST(TruncatedNormalOnGpu, HasItsDistributions) {
  ExpectDistributions<float>(DType::kFloat);
  ExpectDistributions<double>(DType::kDouble);
  ExpectDistributions<Half>(DType::kHalf);
}

TEST(TruncatedNormalOnGpu, IsNoNumberWhereThereIsNoDistribution) {
  for (const GpuMode mode : GpuModes()) {
    const auto y = GpuOpRunner(kOp, mode)
                       .Attr("dtype", DType::kFloat)
                       .Input(Tensor::Vector<int32_t>({3, 1}))
                       .Input(Tensor::Scalar<float>(0))
                       .Input(Tensor::Vector<float>({1, -1, 1}))
                       .Input(Tensor::Vector<float>({0, 0, 2}))
                       .Input(Tensor::Vector<float>({1, 1, 2}))
                       .Run();
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_FALSE(std::isnan(y->data<float>()[0]));
    EXPECT_TRUE(std::isnan(y->data<float>()[1]));  // a negative deviation
    EXPECT_TRUE(std::isnan(y->data<float>()[2]));  // an empty interval
  }
}

TEST(TruncatedNormalOnGpu, RefusesShapesThatTheCpuRefuses) {
  const Tensor one = Tensor::Scalar<float>(1), two = Tensor::Vector<float>({1, 2});
  const auto call = [&](std::vector<int32_t> shape, const Tensor& mean) {
    return OpCall{kOp,
                  {{"dtype", DType::kFloat}},
                  {{Tensor::Vector<int32_t>(MakeConstSpan(shape))},
                   {mean},
                   {one},
                   {Tensor::Scalar<float>(0)},
                   {Tensor::Scalar<float>(9)}}};
  };
  EXPECT_EQ(GpuAsCpu(call({3, 4}, two), Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu(call({}, one), Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu(call({0, 4}, one), Tolerance()), OkStatus());
  for (const GpuMode mode : GpuModes()) {
    GpuOpRunner runner(kOp, mode);
    runner.Attr("dtype", DType::kFloat).Input(Tensor::Vector<int32_t>({3, 4})).Input(two);
    runner.Input(one).Input(Tensor::Scalar<float>(0)).Input(Tensor::Scalar<float>(9));
    EXPECT_EQ(runner.Run().status().code(), StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace warpbeam
