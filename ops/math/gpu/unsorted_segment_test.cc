// Joined segments on simulated GPUs are what they are on the CPU.
#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/math/gpu/numbers_testing.h"

namespace warpbeam {
namespace {

constexpr const char* kOps[] = {"UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax",
                                "UnsortedSegmentMin"};

OpCall Joining(const char* op, const Tensor& x, const Tensor& ids, int32_t count) {
  return {op, {}, {{x}, {ids}, {Tensor::Scalar<int32_t>(count)}}};
}

Tensor Numbers(const Shape& shape, int32_t count, DType dtype) {
  std::vector<double> ids(shape.num_elements());
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int>(i * 5 % (count + 1)) - 1;
  const Tensor x = Tensor::FromValues<double>(shape, ids);
  return OpRunner("Cast").Attr("DstT", dtype).Input(x).RunOne().value_or(Tensor());
}

TEST(UnsortedSegmentOnGpu, TypesAndShapes) {
  const struct {
    Shape x, ids;
  } cases[] = {{Shape({7}), Shape({7})},         {Shape({7, 5}), Shape({7})},
               {Shape({7, 5}), Shape({7, 5})},   {Shape({2, 3, 4, 5}), Shape({2, 3})},
               {Shape({40, 3000}), Shape({40})}, {Shape({0, 5}), Shape({0})},
               {Shape({4, 0}), Shape({4})},      {Shape({3}), Shape({})}};
  for (const auto& c : cases) {
    for (const DType dtype :
         {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble, DType::kInt32}) {
      for (const char* op : kOps) {
        for (const DType index : {DType::kInt32, DType::kInt64}) {
          const OpCall call = Joining(op, SmallNumbers(c.x, dtype), Numbers(c.ids, 6, index), 6);
          EXPECT_EQ(GpuAsCpu(call, ToleranceFor(dtype)), OkStatus())
              << op << DTypeName(dtype) << c.x.ToString();
        }
      }
    }
  }
}

TEST(UnsortedSegmentOnGpu, ComplexSums) {
  for (const DType dtype : {DType::kComplex64, DType::kComplex128}) {
    const OpCall call = Joining("UnsortedSegmentSum", SmallNumbers(Shape({9, 4}), dtype),
                                Numbers(Shape({9}), 3, DType::kInt32), 3);
    EXPECT_EQ(GpuAsCpu(call, ToleranceFor(dtype)), OkStatus());
  }
}

TEST(UnsortedSegmentOnGpu, RefusesShapesThatDoNotFit) {
  const Tensor x = SmallNumbers(Shape({3, 2}), DType::kFloat);
  EXPECT_EQ(GpuAsCpu(Joining(kOps[0], x, Numbers(Shape({2}), 2, DType::kInt32), 2), {}),
            OkStatus());
  EXPECT_EQ(GpuAsCpu(Joining(kOps[0], x, Numbers(Shape({3}), 2, DType::kInt32), -1), {}),
            OkStatus());
}

// What a GPU cannot refuse.
TEST(UnsortedSegmentOnGpu, LeavesOutNumbersThatAreTooLarge) {
  for (const GpuMode mode : GpuModes()) {
    const auto y = GpuOpRunner("UnsortedSegmentSum", mode)
                       .Input(Tensor::Vector<float>({1, 2, 4, 8}))
                       .Input(Tensor::Vector<int32_t>({0, 2, 1, 1 << 30}))
                       .Input(Tensor::Scalar<int32_t>(2))
                       .Run();
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(CompareTensors(*y, Tensor::Vector<float>({1, 4}), {}), OkStatus());
  }
}

}  // namespace
}  // namespace warpbeam
