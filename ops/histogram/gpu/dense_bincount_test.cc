// Counts on simulated GPUs are the CPU's.
#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"

namespace warpbeam {
namespace {

template <class T, class Index>
OpCall Counting(const Shape& shape, Index size, bool weighted, bool binary) {
  const int64_t count = shape.num_elements();
  std::vector<Index> values(count);
  std::vector<T> weights(weighted ? count : 0);
  for (int64_t i = 0; i < count; ++i) values[i] = static_cast<Index>(i * 5 % 7);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<T>(i % 4);
  return {"DenseBincount",
          {{"binary_output", binary}},
          {{Tensor::FromValues<Index>(shape, values)},
           {Tensor::Scalar<Index>(size)},
           {Tensor::FromValues<T>(weighted ? shape : Shape({0}), weights)}}};
}

template <class T, class Index>
void ExpectAsOnCpu() {
  for (const Shape& shape : {Shape({}), Shape({900}), Shape({6, 50}), Shape({0}), Shape({3, 0})}) {
    for (const int size : {0, 3, 10}) {
      for (const bool weighted : {false, true}) {
        for (const bool binary : {false, true}) {
          EXPECT_EQ(GpuAsCpu(Counting<T, Index>(shape, size, weighted, binary), {}), OkStatus())
              << shape.ToString() << size << weighted << binary;
        }
      }
    }
  }
}

TEST(DenseBincountOnGpu, TypesAndShapes) {
  ExpectAsOnCpu<int32_t, int32_t>();
  ExpectAsOnCpu<float, int32_t>();
  ExpectAsOnCpu<int32_t, int64_t>();
  ExpectAsOnCpu<float, int64_t>();
}

TEST(DenseBincountOnGpu, RefusesWhatDoesNotFit) {
  EXPECT_EQ(GpuAsCpu(Counting<float, int32_t>(Shape({2, 2, 2}), 3, false, false), {}), OkStatus());
  EXPECT_EQ(GpuAsCpu(Counting<float, int32_t>(Shape({2}), -3, false, false), {}), OkStatus());
}

// What a GPU cannot refuse.
TEST(DenseBincountOnGpu, LeavesOutNegativeNumbers) {
  for (const GpuMode mode : GpuModes()) {
    const auto bins = GpuOpRunner("DenseBincount", mode)
                          .Input(Tensor::Vector<int32_t>({1, -1, 1, 0}))
                          .Input(Tensor::Scalar<int32_t>(2))
                          .Input(Tensor::FromValues<float>(Shape({0}), {}))
                          .Run();
    ASSERT_TRUE(bins.ok()) << bins.status();
    EXPECT_EQ(CompareTensors(*bins, Tensor::Vector<float>({1, 2}), {}), OkStatus());
  }
}

}  // namespace
}  // namespace warpbeam
