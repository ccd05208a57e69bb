// Bincount, InplaceUpdate, …Add and …Sub, TensorScatterMin and …Max, and TileGrad on simulated GPUs
// give what they give on the CPU.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/array/gpu/counting_tensor.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"

namespace warpbeam {
namespace {

Tensor Residues(const Shape& shape, int factor, int modulus) {
  std::vector<int32_t> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i) * factor % modulus;
  return Tensor::FromValues<int32_t>(shape, values);
}

TEST(BincountOnGpu, WithAndWithoutWeights) {
  for (const DType dtype : {DType::kFloat, DType::kInt32}) {
    for (const Shape& shape : {Shape({900}), Shape({6, 5}), Shape({0}), Shape()}) {
      for (const int32_t size : {0, 3, 10}) {
        for (const Tensor& weights :
             {CountingTensor(dtype, shape), CountingTensor(dtype, Shape({0}))}) {
          const OpCall call{
              "Bincount", {}, {{Residues(shape, 5, 7)}, {Tensor::Scalar(size)}, {weights}}};
          EXPECT_EQ(GpuAsCpu(call, Tolerance()), OkStatus()) << shape.ToString() << size;
        }
      }
    }
  }
  const Tensor three = Residues(Shape({3}), 1, 3), one = CountingTensor(DType::kFloat, Shape({1}));
  for (const Tensor& size : {Tensor::Scalar<int32_t>(-1), three, Tensor::Scalar<int32_t>(3)}) {
    EXPECT_EQ(GpuAsCpu({"Bincount", {}, {{three}, {size}, {one}}}, Tolerance()), OkStatus());
  }
}

TEST(BincountOnGpu, LeavesOutNegativeNumbers) {
  for (const GpuMode mode : GpuModes()) {
    const auto bins = GpuOpRunner("Bincount", mode)
                          .Input(Tensor::Vector<int32_t>({1, -1, 1 << 30, 1, 0}))
                          .Input(Tensor::Scalar<int32_t>(2))
                          .Input(Tensor::Vector<float>({}))
                          .Run();
    ASSERT_TRUE(bins.ok()) << bins.status();
    EXPECT_EQ(CompareTensors(*bins, Tensor::Vector<float>({1, 2}), {}), OkStatus());
  }
}

// Rows that are named more than once, and numbers that go round.
TEST(InplaceRowsOnGpu, TypesAndOrder) {
  for (const std::string op : {"InplaceUpdate", "InplaceAdd", "InplaceSub"}) {
    for (const DType dtype :
         {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble, DType::kInt8,
          DType::kUInt8, DType::kInt64, DType::kUInt64, DType::kBool}) {
      if (dtype == DType::kBool && op != "InplaceUpdate") continue;
      for (const std::vector<int32_t>& rows :
           {std::vector<int32_t>{1, 3, 1, -1, 9, 1}, {2}, std::vector<int32_t>()}) {
        for (const int64_t width : {1, 3, 700}) {
          const auto count = static_cast<int64_t>(rows.size());
          const OpCall call{op,
                            {},
                            {{CountingTensor(dtype, Shape({5, width}))},
                             {Tensor::Vector<int32_t>(rows)},
                             {CountingTensor(dtype, Shape({count, width}))}}};
          EXPECT_EQ(GpuAsCpu(call, Tolerance()), OkStatus()) << op << DTypeName(dtype) << width;
        }
      }
    }
  }
  const Tensor x = CountingTensor(DType::kFloat, Shape({4, 2}));
  const Tensor two = Tensor::Vector<int32_t>({0, 1});
  EXPECT_EQ(GpuAsCpu({"InplaceAdd", {}, {{x}, {two}, {x}}}, Tolerance()), OkStatus());
}

TEST(TensorScatterExtremesOnGpu, TypesAndOrder) {
  const Tensor tuples = Tensor::FromValues<int32_t>(Shape({5, 1}), {3, 0, 3, 3, 1});
  const Tensor pairs = Tensor::FromValues<int64_t>(Shape({3, 2}), {3, 1, 0, 0, 3, 1});
  for (const char* op : {"TensorScatterMin", "TensorScatterMax"}) {
    for (const DType dtype : {DType::kFloat, DType::kDouble, DType::kInt64}) {
      const Tensor x = CountingTensor(dtype, Shape({4, 3}));
      EXPECT_EQ(
          GpuAsCpu({op, {}, {{x}, {tuples}, {CountingTensor(dtype, Shape({5, 3}))}}}, Tolerance()),
          OkStatus());
      EXPECT_EQ(
          GpuAsCpu({op, {}, {{x}, {pairs}, {CountingTensor(dtype, Shape({3}))}}}, Tolerance()),
          OkStatus());
      EXPECT_EQ(GpuAsCpu({op, {}, {{x}, {pairs}, {x}}}, Tolerance()), OkStatus());
    }
  }
}

TEST(TensorScatterExtremesOnGpu, LeaveOutTuplesOutOfRange) {
  for (const GpuMode mode : GpuModes()) {
    const auto y = GpuOpRunner("TensorScatterMax", mode)
                       .Input(Tensor::Vector<float>({1, 2}))
                       .Input(Tensor::FromValues<int32_t>(Shape({3, 1}), {2, -1, 1}))
                       .Input(Tensor::Vector<float>({9, 9, 9}))
                       .Run();
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(CompareTensors(*y, Tensor::Vector<float>({1, 9}), {}), OkStatus());
  }
}

TEST(TileGradOnGpu, TypesAndShapes) {
  const struct {
    Shape x;
    std::vector<int32_t> times;
  } cases[] = {{Shape({6}), {3}},       {Shape({6, 4}), {2, 1}},
               {Shape({6, 4}), {3, 4}}, {Shape({2, 6, 1, 8}), {1, 2, 1, 4}},
               {Shape({4, 0}), {2, 1}}, {Shape({3, 2}), {1, 1}},
               {Shape({6}), {4}},       {Shape({6}), {0}}};
  for (const auto& c : cases) {
    for (const DType dtype :
         {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble, DType::kInt16,
          DType::kInt32, DType::kInt64, DType::kComplex64, DType::kComplex128}) {
      const OpCall call{
          "TileGrad", {}, {{CountingTensor(dtype, c.x)}, {Tensor::Vector<int32_t>(c.times)}}};
      EXPECT_EQ(GpuAsCpu(call, Tolerance()), OkStatus()) << DTypeName(dtype) << c.x.ToString();
    }
  }
}

}  // namespace
}  // namespace warpbeam
