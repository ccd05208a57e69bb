// Bucketize and HistogramFixedWidth on simulated GPUs give what they give on the CPU.
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"

namespace warpbeam {
namespace {

template <class T>
Tensor AroundZero(const Shape& shape) {
  std::vector<T> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(static_cast<int>(i) * 37 % 101 - 50) / static_cast<T>(2);
  }
  return Tensor::FromValues<T>(shape, values);
}

template <class T>
void ExpectBuckets() {
  std::vector<float> many(1500);
  for (size_t i = 0; i < many.size(); ++i) many[i] = static_cast<float>(i) / 32 - 20;
  for (const Shape& shape : {Shape({3, 400}), Shape({7}), Shape(), Shape({0})}) {
    for (const std::vector<float>& boundaries :
         {std::vector<float>{-3, 0, 0, 4.5f}, {1}, std::vector<float>(), many}) {
      const OpCall call{"Bucketize", {{"boundaries", boundaries}}, {{AroundZero<T>(shape)}}};
      EXPECT_EQ(GpuAsCpu(call, {}), OkStatus()) << shape.ToString() << boundaries.size();
    }
  }
}

TEST(BucketizeOnGpu, TypesAndBoundaries) {
  ExpectBuckets<float>();
  ExpectBuckets<double>();
  ExpectBuckets<int32_t>();
  ExpectBuckets<int64_t>();
  const OpCall unsorted{
      "Bucketize", {{"boundaries", std::vector<float>{2, 1}}}, {{AroundZero<float>(Shape({3}))}}};
  EXPECT_EQ(GpuAsCpu(unsorted, {}), OkStatus());
}

template <class T>
OpCall CountingIntervals(const Shape& shape, T low, T high, int32_t bins) {
  return {"HistogramFixedWidth",
          {},
          {{AroundZero<T>(shape)}, {Tensor::Vector<T>({low, high})}, {Tensor::Scalar(bins)}}};
}

TEST(HistogramFixedWidthOnGpu, TypesAndRanges) {
  for (const Shape& shape : {Shape({3, 900}), Shape({7}), Shape({0})}) {
    for (const int32_t bins : {1, 10, 300}) {
      EXPECT_EQ(GpuAsCpu(CountingIntervals<float>(shape, -11, 13, bins), {}), OkStatus());
      EXPECT_EQ(GpuAsCpu(CountingIntervals<double>(shape, 0, 1, bins), {}), OkStatus());
    }
  }
  EXPECT_EQ(GpuAsCpu(CountingIntervals<float>(Shape({4}), 2, 2, 3), {}), OkStatus());
  EXPECT_EQ(GpuAsCpu(CountingIntervals<float>(Shape({4}), 0, 2, 0), {}), OkStatus());
}

TEST(HistogramFixedWidthOnGpu, LeavesOutNaN) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const GpuMode mode : GpuModes()) {
    const auto counts = GpuOpRunner("HistogramFixedWidth", mode)
                            .Input(Tensor::Vector<float>({kNaN, 0.5f, -kInfinity, kInfinity, 1.5f}))
                            .Input(Tensor::Vector<float>({0, 2}))
                            .Input(Tensor::Scalar<int32_t>(2))
                            .Run();
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_EQ(CompareTensors(*counts, Tensor::Vector<int32_t>({2, 2}), {}), OkStatus());
  }
}

}  // namespace
}  // namespace warpbeam
