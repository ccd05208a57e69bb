#include "graph/types/testing/tensor_compare.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

std::string Difference(const Tensor& got, const Tensor& want, Tolerance tolerance = {}) {
  return std::string(CompareTensors(got, want, tolerance).message());
}

TEST(CompareTensorsTest, EqualTensorsAgree) {
  EXPECT_EQ(Difference(Tensor::Vector<float>({1, 2}), Tensor::Vector<float>({1, 2})), "");
  EXPECT_EQ(Difference(Tensor::Scalar<std::string>("a"), Tensor::Scalar<std::string>("a")), "");
  EXPECT_EQ(Difference(Tensor::Scalar(Half(2.0f)), Tensor::Scalar(Half(2.0f))), "");
}

TEST(CompareTensorsTest, NamesTypeShapeAndFirstDifference) {
  EXPECT_EQ(Difference(Tensor::Scalar(1.0f), Tensor::Scalar(1.0)),
            "type: got float, expected double");
  EXPECT_EQ(Difference(Tensor::Vector<float>({1}), Tensor::Scalar(1.0f)),
            "shape: got [1], expected []");
  const float got[] = {1, 2, 3, 4, 5, 6};
  const float want[] = {1, 2, 3, 4, 7, 8};
  EXPECT_EQ(Difference(Tensor::FromValues<float>(Shape({2, 3}), got),
                       Tensor::FromValues<float>(Shape({2, 3}), want)),
            "element [1,1]: got 5, expected 7 (2 of 6 differ)");
  EXPECT_EQ(Difference(Tensor::Scalar<std::string>("a\n"), Tensor::Scalar<std::string>("b")),
            R"(element []: got "a\n", expected "b")");
}

TEST(CompareTensorsTest, ToleranceIsRelativeToTheExpected) {
  const Tolerance ten_percent = {0.1, 0};
  EXPECT_EQ(Difference(Tensor::Scalar(110.0), Tensor::Scalar(100.0), ten_percent), "");
  EXPECT_NE(Difference(Tensor::Scalar(111.0), Tensor::Scalar(100.0), ten_percent), "");
  EXPECT_EQ(Difference(Tensor::Scalar(0.5), Tensor::Scalar(0.0), {0, 0.5}), "");
  EXPECT_EQ(Difference(Tensor::Scalar<int32_t>(11), Tensor::Scalar<int32_t>(10), {0.1, 0}), "");
  EXPECT_NE(Difference(Tensor::Scalar(true), Tensor::Scalar(false), {10, 10}), "");
}

TEST(CompareTensorsTest, NanAndInfinity) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Difference(Tensor::Scalar(nan), Tensor::Scalar(nan)), "");
  EXPECT_NE(Difference(Tensor::Scalar(nan), Tensor::Scalar(1.0), {1, 1}), "");
  EXPECT_EQ(Difference(Tensor::Scalar(inf), Tensor::Scalar(inf)), "");
  EXPECT_NE(Difference(Tensor::Scalar(-inf), Tensor::Scalar(inf), {1, 1}), "");
  EXPECT_NE(Difference(Tensor::Scalar(1.0), Tensor::Scalar(inf), {1, 1}), "");
}

TEST(CompareTensorsTest, LargeIntegersAreExact) {
  const int64_t big = (int64_t{1} << 60) + 1;
  EXPECT_EQ(Difference(Tensor::Scalar(big), Tensor::Scalar(big - 1)),
            "element []: got 1152921504606846977, expected 1152921504606846976");
}

TEST(CompareTensorsTest, StoredOnlyTypesByBits) {
  const Tensor a = Tensor::Vector<uint8_t>({1, 2}).Bitcast(DType::kFloat8E5M2);
  const Tensor b = Tensor::Vector<uint8_t>({1, 3}).Bitcast(DType::kFloat8E5M2);
  EXPECT_EQ(Difference(a, a), "");
  EXPECT_THAT(Difference(a, b), HasSubstr("element [1]"));
}

TEST(CompareStatisticsTest, MeanDeviationAndRange) {
  const Tensor t = Tensor::Vector<float>({0, 2});
  EXPECT_TRUE(CompareStatistics(t, {1, 0.1, 1, 0.1, 0, 2}).ok());
  EXPECT_THAT(std::string(CompareStatistics(t, {2, 0.1, 1, 0.1, 0, 2}).message()),
              HasSubstr("mean: got 1"));
  EXPECT_THAT(std::string(CompareStatistics(t, {1, 0.1, 2, 0.1, 0, 2}).message()),
              HasSubstr("standard deviation: got 1"));
  EXPECT_THAT(std::string(CompareStatistics(t, {1, 0.1, 1, 0.1, 0.5, 2}).message()),
              HasSubstr("values lie within [0, 2]"));
}

}  // namespace
}  // namespace warpbeam
