// SparseToDense on simulated GPUs gives what it gives on the CPU.
#include <vector>

#include "gtest/gtest.h"
#include "ops/array/gpu/counting_tensor.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"

namespace warpbeam {
namespace {

OpCall Setting(const Tensor& places, const Tensor& shape, const Tensor& values) {
  return {"SparseToDense",
          {},
          {{places}, {shape}, {values}, {CountingTensor(values.dtype(), Shape())}}};
}

TEST(SparseToDenseOnGpu, TypesAndPlaces) {
  for (const DType dtype :
       {DType::kBool, DType::kInt16, DType::kHalf, DType::kFloat, DType::kDouble, DType::kUInt64}) {
    const Tensor three = CountingTensor(dtype, Shape({3})), one = CountingTensor(dtype, Shape());
    const Tensor pairs = Tensor::FromValues<int64_t>(Shape({3, 2}), {0, 1, 2, 0, 2, 4});
    const Tensor rows = Tensor::Vector<int32_t>({1, 4, 7});
    const Tensor wide = Tensor::Vector<int64_t>({3, 5}), narrow = Tensor::Vector<int32_t>({900});
    for (const Tensor& values : {three, one}) {
      EXPECT_EQ(GpuAsCpu(Setting(pairs, wide, values), {}), OkStatus()) << DTypeName(dtype);
      EXPECT_EQ(GpuAsCpu(Setting(rows, narrow, values), {}), OkStatus());
    }
    EXPECT_EQ(GpuAsCpu(Setting(Tensor::Scalar<int32_t>(4), narrow, one), {}), OkStatus());
    EXPECT_EQ(GpuAsCpu(Setting(Tensor::Vector<int32_t>({}), narrow, one), {}), OkStatus());
    EXPECT_EQ(GpuAsCpu(Setting(pairs, Tensor::Vector<int64_t>({3, 5, 2}), three), {}), OkStatus());
    EXPECT_EQ(GpuAsCpu(Setting(rows, narrow, CountingTensor(dtype, Shape({2}))), {}), OkStatus());
  }
}

TEST(SparseToDenseOnGpu, LeavesOutWhatIsOutOfRange) {
  for (const GpuMode mode : GpuModes()) {
    const auto y = GpuOpRunner("SparseToDense", mode)
                       .Input(Tensor::Vector<int32_t>({2, -1, 0, 3}))
                       .Input(Tensor::Vector<int32_t>({3}))
                       .Input(Tensor::Vector<float>({1, 2, 3, 4}))
                       .Input(Tensor::Scalar<float>(9))
                       .Run();
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(CompareTensors(*y, Tensor::Vector<float>({3, 9, 1}), {}), OkStatus());
  }
}

}  // namespace
}  // namespace warpbeam
