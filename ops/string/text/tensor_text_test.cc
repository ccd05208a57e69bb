#include "ops/string/text/tensor_text.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

// What TensorFlow 2.21 says of the same tensors when an Assert fails.
TEST(TensorText, Values) {
  std::vector<int64_t> counting(12);
  for (int64_t i = 0; i < 12; ++i) counting[i] = i;
  const Tensor matrix = Tensor::FromValues<int64_t>(Shape({3, 4}), counting);
  EXPECT_EQ(SummarizeValues(matrix, 3), "[0 1 2...]...");
  EXPECT_EQ(SummarizeValues(matrix, 100), "[0 1 2 3][4 5 6 7][8 9 10 11]");
  EXPECT_EQ(
      SummarizeValues(Tensor::FromValues<double>(Shape({2, 2, 2}), std::vector<double>(8)), 5),
      "[[0 0][0 0]][[0...]]...");
  EXPECT_EQ(SummarizeValues(Tensor::Vector<int32_t>({0, 1, 2, 3, 4}), -1), "0 1 2 3 4");
  EXPECT_EQ(SummarizeValues(Tensor::Vector<int32_t>({0, 1, 2, 3, 4}), 2), "0 1...");
  EXPECT_EQ(SummarizeValues(Tensor::FromValues<double>(Shape({0, 3}), {}), 3), "");
  EXPECT_EQ(SummarizeValues(Tensor::Vector<float>({1.0f / 3, 1e20f}), 3), "0.333333343 1e+20");
  EXPECT_EQ(SummarizeValues(Tensor::Vector<std::string>({"a", "b\n"}), 3), "a b\\n");
}

TEST(TensorText, Scalars) {
  EXPECT_EQ(SummarizeValues(Tensor::Scalar(1.5f), 3), "1.5");
  EXPECT_EQ(SummarizeValues(Tensor::Scalar(1e-8), 3), "1e-08");
  EXPECT_EQ(SummarizeValues(Tensor::Scalar<int8_t>(5), 3), "5");
  EXPECT_EQ(SummarizeValues(Tensor::Scalar(true), 3), "1");
  EXPECT_EQ(SummarizeValues(Tensor::Scalar(Half(0.1f)), 3), "0.0999755859");
  EXPECT_EQ(SummarizeValues(Tensor::Scalar(std::complex<float>(1, 2)), 3), "?");
  EXPECT_EQ(SummarizeValues(Tensor::Scalar(7), 0), "...");
}

}  // namespace
}  // namespace warpbeam
