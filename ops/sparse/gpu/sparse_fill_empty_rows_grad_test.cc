// Gradients of filled rows on simulated GPUs are what they are on the CPU.
#include <vector>

#include "gtest/gtest.h"
#include "ops/array/gpu/counting_tensor.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"

namespace warpbeam {
namespace {

TEST(FillEmptyRowsGradOnGpu, TypesAndSizes) {
  std::vector<int64_t> every_third(2000);
  for (size_t i = 0; i < every_third.size(); ++i) every_third[i] = static_cast<int64_t>(3 * i);
  for (const char* op : {"SparseFillEmptyRowsGrad", "RaggedFillEmptyRowsGrad"}) {
    for (const DType dtype :
         {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble, DType::kInt8,
          DType::kUInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt64}) {
      const double near = dtype == DType::kBFloat16 ? 2e-2 : dtype == DType::kHalf ? 2e-3 : 0;
      const auto expect = [&](const std::vector<int64_t>& map, int64_t total) {
        const OpCall call{
            op, {}, {{Tensor::Vector<int64_t>(map)}, {CountingTensor(dtype, Shape({total}))}}};
        EXPECT_EQ(GpuAsCpu(call, {near, near}), OkStatus()) << DTypeName(dtype) << total;
      };
      expect(every_third, 6001);
      expect({1, 2}, 5);
      expect({}, 3);
      expect({}, 0);
    }
    const Tensor matrix = CountingTensor(DType::kFloat, Shape({2, 2}));
    EXPECT_EQ(GpuAsCpu({op, {}, {{Tensor::Vector<int64_t>({0})}, {matrix}}}, {}), OkStatus());
  }
}

TEST(FillEmptyRowsGradOnGpu, GivesZeroForPlacesOutOfRange) {
  for (const GpuMode mode : GpuModes()) {
    const auto y = GpuOpRunner("SparseFillEmptyRowsGrad", mode)
                       .Input(Tensor::Vector<int64_t>({1, -1, 2}))
                       .Input(Tensor::Vector<float>({3, 4}))
                       .RunAll();
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(CompareTensors((*y)[0], Tensor::Vector<float>({4, 0, 0}), {}), OkStatus());
    EXPECT_EQ(CompareTensors((*y)[1], Tensor::Scalar<float>(3), {}), OkStatus());
  }
}

}  // namespace
}  // namespace warpbeam
