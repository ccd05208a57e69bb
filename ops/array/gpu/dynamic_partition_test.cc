// DynamicPartition on GPUs deals out what it does on the CPU, in the same order.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/array/gpu/counting_tensor.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"

namespace warpbeam {
namespace {

OpCall Partition(const Tensor& data, const Tensor& partitions, int64_t count) {
  return {"DynamicPartition", {{"num_partitions", count}}, {{data}, {partitions}}};
}
// Numbers below `count`, in no order.
Tensor Scattered(const Shape& shape, int32_t count) {
  std::vector<int32_t> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int32_t>(i * 7919 % 104729 % static_cast<size_t>(count));
  }
  return Tensor::FromValues<int32_t>(shape, values);
}

TEST(DynamicPartitionOnGpu, EachTypeAndShape) {
  for (const DType dtype : {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble,
                            DType::kInt32, DType::kInt64, DType::kComplex64, DType::kComplex128}) {
    const OpCall calls[] = {
        Partition(CountingTensor(dtype, Shape({7})), Scattered(Shape({7}), 3), 3),
        Partition(CountingTensor(dtype, Shape({7, 3})), Scattered(Shape({7}), 3), 5),
        Partition(CountingTensor(dtype, Shape({2, 3, 4})), Scattered(Shape({2, 3}), 2), 2),
        Partition(CountingTensor(dtype, Shape({2, 3})), Scattered(Shape({}), 2), 2),
        Partition(CountingTensor(dtype, Shape({4})), Scattered(Shape({4}), 1), 1)};
    for (const OpCall& call : calls) {
      EXPECT_EQ(GpuAsCpu(call, Tolerance()), OkStatus()) << DTypeName(dtype);
    }
  }
}

TEST(DynamicPartitionOnGpu, ManyRowsKeepTheirOrder) {
  const Tensor data = CountingTensor(DType::kInt32, Shape({20000, 2}));
  for (const int32_t count : {2, 15, 16, 17, 300}) {
    EXPECT_EQ(GpuAsCpu(Partition(data, Scattered(Shape({20000}), count), count), Tolerance()),
              OkStatus())
        << count;
  }
}

TEST(DynamicPartitionOnGpu, NoRowsAndRowsWithoutElements) {
  EXPECT_EQ(
      GpuAsCpu(Partition(CountingTensor(DType::kFloat, Shape({0, 3})), Scattered(Shape({0}), 1), 2),
               Tolerance()),
      OkStatus());
  EXPECT_EQ(
      GpuAsCpu(Partition(CountingTensor(DType::kFloat, Shape({3, 0})), Scattered(Shape({3}), 2), 2),
               Tolerance()),
      OkStatus());
}

TEST(DynamicPartitionOnGpu, RefusesInTheWordsOfTheCpu) {
  const Tensor data = CountingTensor(DType::kFloat, Shape({2, 2}));
  for (const std::vector<int32_t>& to : {std::vector<int32_t>{0, 1, 2, 0}, {0, 0, 0, -1}, {1, 0}}) {
    const Shape shape = to.size() == 4 ? Shape({2, 2}) : Shape({1, 2});
    const Tensor partitions = Tensor::FromValues<int32_t>(shape, to);
    const auto refused = OpRunner("DynamicPartition")
                             .Attr("num_partitions", int64_t{2})
                             .Input(data)
                             .Input(partitions)
                             .Run()
                             .status();
    ASSERT_FALSE(refused.ok());
    for (const GpuMode mode : GpuModes()) {
      EXPECT_EQ(GpuOpRunner("DynamicPartition", mode)
                    .Attr("num_partitions", int64_t{2})
                    .Input(data)
                    .Input(partitions)
                    .RunAll()
                    .status(),
                refused);
    }
  }
}

}  // namespace
}  // namespace warpbeam
