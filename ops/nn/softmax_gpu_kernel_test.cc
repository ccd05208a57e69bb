// Softmax and LogSoftmax on simulated GPUs give what they give on the CPU.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"
#include "ops/nn/gpu_loops/numbers_testing.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr DType kTypes[] = {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble};

Tensor Logits(const Shape& shape, DType dtype) {
  std::vector<double> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 37 % 101) / 8.0 - 6;
  const Tensor x = Tensor::FromValues<double>(shape, values);
  auto cast = OpRunner("Cast").Attr("DstT", dtype).Input(x).RunOne();
  EXPECT_TRUE(cast.ok()) << cast.status();
  return cast.ok() ? *cast : Tensor();
}

TEST(SoftmaxOnGpu, TypesAndShapes) {
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    for (const Shape& shape : {Shape({1}), Shape({3, 5}), Shape({7, 64}), Shape({2, 3, 65}),
                               Shape({4, 1000}), Shape({3000, 2}), Shape({0, 5}), Shape({5, 0})}) {
      for (const DType dtype : kTypes) {
        const Tensor x = Logits(shape, dtype);
        const auto want = OpRunner(op).Input(x).RunOne();
        ASSERT_TRUE(want.ok()) << want.status();
        for (const GpuMode mode : GpuModes()) {
          const auto got = GpuOpRunner(op, mode).Input(x).Run();
          ASSERT_TRUE(got.ok()) << got.status();
          const Status same = CompareTensors(*got, *want, ToleranceOf(dtype));
          EXPECT_TRUE(same.ok()) << op << " of " << DTypeName(dtype) << shape.ToString() << ": "
                                 << same;
        }
      }
    }
  }
}

TEST(SoftmaxOnGpu, ARowWithoutAMeaningIsNoNumberAndOthersAreAsTheyWere) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::FromValues<float>(
      Shape({4, 3}), {1, nan, 2, 1, kInfinity, 2, 1, -kInfinity, 1, 300, 300, -300});
  for (const GpuMode mode : GpuModes()) {
    const auto y = GpuOpRunner("Softmax", mode).Input(x).Run();
    ASSERT_TRUE(y.ok()) << y.status();
    const std::vector<float> values(y->data<float>(), y->data<float>() + 12);
    for (int i = 0; i < 6; ++i) EXPECT_TRUE(std::isnan(values[i])) << i;
    EXPECT_EQ((std::vector<float>(values.begin() + 6, values.end())),
              (std::vector<float>{0.5, 0, 0.5, 0.5, 0.5, 0}));
  }
}

TEST(SoftmaxOnGpu, RefusesAScalar) {
  for (const GpuMode mode : GpuModes()) {
    const auto y = GpuOpRunner("Softmax", mode).Input(Tensor::Scalar(1.0f)).Run();
    EXPECT_EQ(y.status().code(), StatusCode::kInvalidArgument) << y.status();
  }
}

// What its file's name would take out of the build.
TEST(SoftmaxOnGpu, IsAttachedToItsDeclaration) {
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    AttrMap attrs;
    attrs.Set("T", DType::kFloat);
    const KernelDecl* decl = KernelRegistry::Global().Find(op, attrs, DeviceType::kGpu);
    ASSERT_NE(decl, nullptr);
    EXPECT_NE(decl->gpu_factory, nullptr);
    EXPECT_NE(decl->has_gpu_code, nullptr);
  }
}

}  // namespace
}  // namespace warpbeam
