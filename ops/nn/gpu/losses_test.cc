// The softmax cross entropies and InTopKV2 on simulated GPUs give what they give on the CPU.
#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/nn/gpu_loops/numbers_testing.h"

namespace warpbeam {
namespace {

template <class Label>
Tensor Labels(int64_t rows, int64_t classes) {
  std::vector<Label> labels;
  for (int64_t i = 0; i < rows; ++i) labels.push_back(static_cast<Label>(i * 7 % classes));
  return Tensor::Vector<Label>(labels);
}

TEST(SparseEntropyOnGpu, TypesAndShapes) {
  for (const Shape& shape :
       {Shape({1, 1}), Shape({5, 10}), Shape({3, 300}), Shape({0, 4}), Shape({3000, 3})}) {
    for (const DType dtype : {DType::kHalf, DType::kBFloat16, DType::kFloat}) {
      const Tensor x = TestNumbers(shape, dtype, 1);
      for (const Tensor& labels : {Labels<int32_t>(shape.dim(0), shape.dim(1)),
                                   Labels<int64_t>(shape.dim(0), shape.dim(1))}) {
        const OpCall call{"SparseSoftmaxCrossEntropyWithLogits", {}, {{x}, {labels}}};
        EXPECT_EQ(GpuAsCpu(call, ToleranceOf(dtype)), OkStatus()) << shape.ToString();
      }
    }
  }
}

// As TensorFlow's GPU has it: the labels cannot be looked at before.
TEST(SparseEntropyOnGpu, ALabelThatIsNoClassMakesItsRowNoNumber) {
  const Tensor x = TestNumbers(Shape({3, 4}), DType::kFloat, 1);
  for (const GpuMode mode : GpuModes()) {
    const auto got = GpuOpRunner("SparseSoftmaxCrossEntropyWithLogits", mode)
                         .Input(x)
                         .Input(Tensor::Vector<int32_t>({4, 1, -1}))
                         .RunAll();
    ASSERT_TRUE(got.ok()) << got.status();
    for (int row = 0; row < 3; ++row) {
      EXPECT_EQ(std::isnan((*got)[0].data<float>()[row]), row != 1);
      for (int c = 0; c < 4; ++c) {
        EXPECT_EQ(std::isnan((*got)[1].data<float>()[row * 4 + c]), row != 1);
      }
    }
  }
}

TEST(DenseEntropyOnGpu, TypesShapesAndBroadcasting) {
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {Shape({5, 10}), Shape({5, 10})}, {Shape({3, 300}), Shape({3, 300})},
      {Shape({4, 6}), Shape({1, 6})},   {Shape({1, 6}), Shape({4, 6})},
      {Shape({4, 6}), Shape({4, 1})},   {Shape({4, 1}), Shape({4, 6})},
      {Shape({3, 1}), Shape({3, 1})},   {Shape({0, 4}), Shape({0, 4})},
      {Shape({3, 0}), Shape({3, 0})}};
  for (const auto& [logits, labels] : shapes) {
    for (const DType dtype : kTestFloats) {
      const OpCall call{"SoftmaxCrossEntropyWithLogits",
                        {},
                        {{TestNumbers(logits, dtype, 1)}, {TestNumbers(labels, dtype, 2)}}};
      Tolerance tolerance = ToleranceOf(dtype);
      tolerance.absolute *= 30;  // the terms of a loss of such labels cancel
      EXPECT_EQ(GpuAsCpu(call, tolerance), OkStatus())
          << DTypeName(dtype) << logits.ToString() << labels.ToString();
    }
  }
}

TEST(EntropyOnGpu, InfinitiesAndNaN) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Tensor x = Tensor::FromValues<float>(
      Shape({6, 3}), {-kInfinity, 1, 2, -kInfinity, -kInfinity, -kInfinity, 1, kInfinity, 2,  //
                      1, std::nanf(""), 2, 300, 300, -300, -kInfinity, -kInfinity, 5});
  const Tensor labels = Tensor::Vector<int32_t>({1, 1, 1, 0, 0, 2});
  EXPECT_EQ(GpuAsCpu({"SparseSoftmaxCrossEntropyWithLogits", {}, {{x}, {labels}}},
                     ToleranceOf(DType::kFloat)),
            OkStatus());
  const Tensor ones = Tensor::FromValues<float>(Shape({1, 3}), {0, 1, 0});
  EXPECT_EQ(
      GpuAsCpu({"SoftmaxCrossEntropyWithLogits", {}, {{x}, {ones}}}, ToleranceOf(DType::kFloat)),
      OkStatus());
}

TEST(EntropyOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor x = TestNumbers(Shape({2, 3}), DType::kFloat, 1);
  const Tensor vector = TestNumbers(Shape({2}), DType::kFloat, 1);
  const Tensor wide = TestNumbers(Shape({2, 4}), DType::kFloat, 1);
  const Tensor none = TestNumbers(Shape({2, 0}), DType::kFloat, 1);
  const Tensor two = Labels<int32_t>(2, 2), three = Labels<int32_t>(3, 2);
  const char* sparse = "SparseSoftmaxCrossEntropyWithLogits";
  EXPECT_EQ(GpuAsCpu({sparse, {}, {{x}, {three}}}, Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu({sparse, {}, {{vector}, {two}}}, Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu({sparse, {}, {{none}, {two}}}, Tolerance()), OkStatus());
  const char* dense = "SoftmaxCrossEntropyWithLogits";
  EXPECT_EQ(GpuAsCpu({dense, {}, {{x}, {wide}}}, Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu({dense, {}, {{vector}, {vector}}}, Tolerance()), OkStatus());
}

TEST(InTopKOnGpu, RanksLabelsThatAreClasses) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Tensor x = Tensor::FromValues<float>(
      Shape({5, 4}), {1, 2, 3, 4, 4, 4, 4, 4, 1, kInfinity, 2, 3, 9, 8, 7, 6, 1, 2, 3, 4});
  for (const int32_t k : {0, 1, 2, 4, 9}) {
    for (const std::vector<int32_t>& labels :
         {std::vector<int32_t>{3, 0, 0, 2, 4}, std::vector<int32_t>{2, 3, 1, 0, -1}}) {
      const OpCall call{
          "InTopKV2", {}, {{x}, {Tensor::Vector<int32_t>(labels)}, {Tensor::Scalar<int32_t>(k)}}};
      EXPECT_EQ(GpuAsCpu(call, Tolerance()), OkStatus()) << k;
    }
  }
  const Tensor many = TestNumbers(Shape({70, 200}), DType::kFloat, 1);
  const OpCall call{
      "InTopKV2", {}, {{many}, {Labels<int64_t>(70, 200)}, {Tensor::Scalar<int64_t>(80)}}};
  EXPECT_EQ(GpuAsCpu(call, Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu({"InTopKV2", {}, {{x}, {x}, {x}}}, Tolerance()), OkStatus());
}

}  // namespace
}  // namespace warpbeam
