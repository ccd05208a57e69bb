// Contrast, projections and colours of 16 bits on simulated GPUs are the CPU's.
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/array/gpu/counting_tensor.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"

namespace warpbeam {
namespace {

Tensor Floats(const std::vector<float>& values) { return Tensor::Vector<float>(values); }

TEST(AdjustContrastOnGpu, BothVersions) {
  const Tolerance tolerance = {1e-6, 1e-6};
  const Tensor factor = Tensor::Scalar<float>(1.5f);
  const Tensor low = Tensor::Scalar<float>(-20), high = Tensor::Scalar<float>(30);
  for (const Shape& shape : {Shape({40, 30, 3}), Shape({2, 5, 4, 1}), Shape({0, 2, 2, 3})}) {
    const Tensor x = CountingTensor(DType::kFloat, shape);
    EXPECT_EQ(GpuAsCpu({"AdjustContrastv2", {}, {{x}, {factor}}}, tolerance), OkStatus());
    for (const DType dtype : {DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32,
                              DType::kFloat, DType::kDouble}) {
      const OpCall call{
          "AdjustContrast", {}, {{CountingTensor(dtype, shape)}, {factor}, {low}, {high}}};
      EXPECT_EQ(GpuAsCpu(call, tolerance), OkStatus()) << DTypeName(dtype);
    }
  }
  const Tensor flat = CountingTensor(DType::kFloat, Shape({4, 3}));
  EXPECT_EQ(GpuAsCpu({"AdjustContrastv2", {}, {{flat}, {factor}}}, tolerance), OkStatus());
}

// The CPU has no kernels of half: those of float, rounded.
TEST(AdjustColorsOnGpu, Half) {
  const Tensor x = CountingTensor(DType::kHalf, Shape({5, 7, 3}));
  const auto wide = OpRunner("Cast").Attr("DstT", DType::kFloat).Input(x).RunOne();
  ASSERT_TRUE(wide.ok()) << wide.status();
  const Tensor amount = Tensor::Scalar<float>(0.375f);
  for (const char* op : {"AdjustHue", "AdjustSaturation", "AdjustContrastv2"}) {
    const auto expected = OpRunner(op).Input(*wide).Input(amount).RunOne();
    ASSERT_TRUE(expected.ok()) << expected.status();
    const auto rounded = OpRunner("Cast").Attr("DstT", DType::kHalf).Input(*expected).RunOne();
    for (const GpuMode mode : GpuModes()) {
      const auto y = GpuOpRunner(op, mode).Input(x).Input(amount).Run();
      ASSERT_TRUE(y.ok()) << y.status();
      EXPECT_EQ(CompareTensors(*y, *rounded, {2e-3, 2e-3}), OkStatus()) << op;
    }
  }
}

TEST(ProjectiveTransformOnGpu, TypesAndFills) {
  const Tensor one = Tensor::FromValues<float>(
      Shape({1, 8}), {1.2f, 0.3f, -1.5f, -0.2f, 0.9f, 2.25f, 0.01f, -0.02f});
  const Tensor each = Tensor::FromValues<float>(
      Shape({2, 8}), {1, 0, 9.5f, 0, 1, -7.25f, 0, 0, -1, 0, 3, 0.5f, -1.5f, 2, 0.25f, -0.5f});
  const Tensor size = Tensor::Vector<int32_t>({6, 9}), fill = Tensor::Scalar<float>(7);
  for (const DType dtype :
       {DType::kUInt8, DType::kInt32, DType::kInt64, DType::kHalf, DType::kFloat, DType::kDouble}) {
    const Tensor images = CountingTensor(dtype, Shape({2, 5, 4, 3}));
    for (const char* interpolation : {"NEAREST", "BILINEAR"}) {
      for (const char* mode : {"CONSTANT", "REFLECT", "WRAP", "NEAREST"}) {
        for (const Tensor& map : {one, each}) {
          const std::vector<std::pair<std::string, AttrValue>> attrs = {
              {"interpolation", interpolation}, {"fill_mode", mode}};
          EXPECT_EQ(GpuAsCpu({"ImageProjectiveTransformV2", attrs, {{images}, {map}, {size}}}, {}),
                    OkStatus());
          EXPECT_EQ(
              GpuAsCpu({"ImageProjectiveTransformV3", attrs, {{images}, {map}, {size}, {fill}}},
                       {}),
              OkStatus())
              << DTypeName(dtype) << interpolation << mode;
        }
      }
    }
  }
}

TEST(ProjectiveTransformOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor images = CountingTensor(DType::kFloat, Shape({2, 5, 4, 3}));
  const Tensor map = Tensor::FromValues<float>(Shape({1, 8}), {1, 0, 0, 0, 1, 0, 0, 0});
  const Tensor size = Tensor::Vector<int32_t>({6, 0});
  EXPECT_EQ(
      GpuAsCpu(
          {"ImageProjectiveTransformV2", {{"interpolation", "NEAREST"}}, {{images}, {map}, {size}}},
          {}),
      OkStatus());
  EXPECT_EQ(GpuAsCpu({"ImageProjectiveTransformV2",
                      {{"interpolation", "NEAREST"}},
                      {{images}, {Floats({1, 2})}, {size}}},
                     {}),
            OkStatus());
}

}  // namespace
}  // namespace warpbeam
