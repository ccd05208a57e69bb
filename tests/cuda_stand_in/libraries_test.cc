// The real sides of products and convolutions are those that stand-ins of cuBLASLt and cuDNN serve,
// and round floats as they are allowed to. That they give what the CPU gives is tested by the tests
// of their ops, which this program has as well.
#include <utility>

#include "gtest/gtest.h"
#include "ops/launch/gpu_op_runner.h"
#include "runtime/kernel/product/tensor_float_32.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

// Which TF32 rounds to one.
constexpr float kFine = 1.0f + 1.0f / 4096;

float Product() {
  const auto y = GpuOpRunner("MatMul", GpuMode::kReal)
                     .Input(Tensor::FromValues<float>(Shape({1, 1}), {kFine}))
                     .Input(Tensor::FromValues<float>(Shape({1, 1}), {1.0f}))
                     .Run();
  EXPECT_TRUE(y.ok()) << y.status();
  return y.ok() ? y->data<float>()[0] : 0;
}

float Convolution() {
  const auto y = GpuOpRunner("Conv2D", GpuMode::kReal)
                     .Attr("strides", std::vector<int64_t>{1, 1, 1, 1})
                     .Attr("padding", std::string("SAME"))
                     .Input(Tensor::FromValues<float>(Shape({1, 1, 1, 1}), {kFine}))
                     .Input(Tensor::FromValues<float>(Shape({1, 1, 1, 1}), {1.0f}))
                     .Run();
  EXPECT_TRUE(y.ok()) << y.status();
  return y.ok() ? y->data<float>()[0] : 0;
}

TEST(Libraries, AreAsked) {
  ASSERT_EQ(GpuModes().back(), GpuMode::kReal);
  Product();
  Convolution();
  EXPECT_EQ(cuda_stand_in::Left().libraries, 2);
  EXPECT_GT(cuda_stand_in::Left().descriptors, 0);
}

TEST(Libraries, RoundFloatsWhereTheyMay) {
  ASSERT_TRUE(TensorFloat32());
  EXPECT_EQ(Product(), 1);
  EXPECT_EQ(Convolution(), 1);
  SetTensorFloat32(false);
  EXPECT_EQ(Product(), kFine);
  EXPECT_EQ(Convolution(), kFine);
  SetTensorFloat32(true);
}

}  // namespace
}  // namespace warpbeam
