#include <limits>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"
#include "ops/random/sobol_directions.h"

namespace warpbeam {
namespace {

constexpr int32_t kHighest = std::numeric_limits<int32_t>::max();

StatusOr<Tensor> Points(int32_t dim, int32_t count, int32_t skip) {
  return OpRunner("SobolSample")
      .Attr("dtype", DType::kDouble)
      .Input(Tensor::Scalar<int32_t>(dim))
      .Input(Tensor::Scalar<int32_t>(count))
      .Input(Tensor::Scalar<int32_t>(skip))
      .RunOne();
}

TEST(SobolSample, FirstPoints) {
  OpTest("SobolSample")
      .Scalar<int32_t>(5)
      .Scalar<int32_t>(4)
      .Scalar<int32_t>(0)
      .Expect<float>({4, 5}, {0.5f,   0.5f,   0.5f,   0.5f,   0.5f,   //
                              0.75f,  0.25f,  0.25f,  0.25f,  0.75f,  //
                              0.25f,  0.75f,  0.75f,  0.75f,  0.25f,  //
                              0.375f, 0.375f, 0.625f, 0.875f, 0.375f});
  OpTest("SobolSample")
      .Attr("dtype", DType::kDouble)
      .Scalar<int32_t>(2)
      .Scalar<int32_t>(3)
      .Scalar<int32_t>(5)
      .Expect<double>({3, 2}, {0.625, 0.125, 0.125, 0.625, 0.1875, 0.3125});
}

// In every dimension the points below 2^k, the origin included, are all multiples of 2^-k.
TEST(SobolSample, EachCoordinateTakesEachValueOnce) {
  constexpr int kPoints = 255;
  const auto points = Points(kMaxSobolDimensions, kPoints, 0);
  ASSERT_TRUE(points.ok()) << points.status();
  for (int64_t d = 0; d < kMaxSobolDimensions; ++d) {
    std::vector<bool> seen(kPoints + 1, false);
    for (int64_t i = 0; i < kPoints; ++i) {
      const double x = points->data<double>()[i * kMaxSobolDimensions + d] * (kPoints + 1);
      ASSERT_GE(x, 1);
      ASSERT_LE(x, kPoints);
      ASSERT_FALSE(seen[static_cast<size_t>(x)]) << "dimension " << d << " point " << i;
      seen[static_cast<size_t>(x)] = true;
    }
  }
}

TEST(SobolSample, RefusesWhatHasNoPoints) {
  const auto code = [](int32_t dim, int32_t count, int32_t skip) {
    return Points(dim, count, skip).status().code();
  };
  EXPECT_EQ(code(0, 1, 0), kInvalid);
  EXPECT_EQ(code(2, 0, 0), kInvalid);
  EXPECT_EQ(code(2, -1, 0), kInvalid);
  EXPECT_EQ(code(2, 1, -1), kInvalid);
  EXPECT_EQ(code(2, 2, kHighest), kInvalid);
  EXPECT_EQ(code(2, 2, kHighest - 2), kInvalid);
  EXPECT_EQ(code(2, 1, kHighest - 2), StatusCode::kOk);
  EXPECT_EQ(code(kHighest, 1, 0), kInvalid);
  EXPECT_EQ(code(kMaxSobolDimensions + 1, 1, 0), StatusCode::kUnimplemented);
  OpTest("SobolSample")
      .Input<int32_t>({1}, {2})
      .Scalar<int32_t>(1)
      .Scalar<int32_t>(0)
      .ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
