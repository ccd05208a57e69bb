// Resizing on simulated GPUs gives what it gives on the CPU.
#include <cmath>
#include <cstdint>
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

constexpr DType kFloats[] = {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble};
// Larger, smaller, mixed, to one row and from one, the same.
const std::pair<std::pair<int32_t, int32_t>, std::pair<int32_t, int32_t>> kSizes[] = {
    {{4, 5}, {9, 13}}, {{11, 7}, {4, 3}}, {{4, 9}, {7, 4}},
    {{5, 4}, {1, 9}},  {{1, 3}, {6, 1}},  {{5, 5}, {5, 5}}};

template <class Check>
void ForEachMode(const Check& check) {
  for (const bool align : {false, true}) {
    for (const bool half : {false, true}) {
      check(std::vector<std::pair<std::string, AttrValue>>{{"align_corners", align},
                                                           {"half_pixel_centers", half}});
    }
  }
}

// Sums of 16-bit floats are rounded once, not at each step.
Tolerance ToleranceOf(DType dtype) {
  Tolerance tolerance;
  tolerance.relative = tolerance.absolute = dtype == DType::kDouble     ? 1e-12
                                            : dtype == DType::kFloat    ? 1e-5
                                            : dtype == DType::kBFloat16 ? 4e-2
                                                                        : 4e-3;
  return tolerance;
}

TEST(ResizeOnGpu, BilinearAndNearest) {
  for (const DType dtype : kFloats) {
    for (const auto& [in, out] : kSizes) {
      const Tensor images = CountingTensor(dtype, Shape({2, in.first, in.second, 3}));
      const Tensor size = Tensor::Vector<int32_t>({out.first, out.second});
      ForEachMode([&](const auto& attrs) {
        EXPECT_EQ(GpuAsCpu({"ResizeBilinear", attrs, {{images}, {size}}}, Tolerance()), OkStatus());
        EXPECT_EQ(GpuAsCpu({"ResizeNearestNeighbor", attrs, {{images}, {size}}}, Tolerance()),
                  OkStatus());
      });
    }
  }
}

TEST(ResizeOnGpu, Gradients) {
  for (const DType dtype : kFloats) {
    for (const auto& [in, out] : kSizes) {
      const Tensor images = CountingTensor(dtype, Shape({2, in.first, in.second, 3}));
      const Tensor size = Tensor::Vector<int32_t>({in.first, in.second});
      const Shape resized({2, out.first, out.second, 3});
      ForEachMode([&](const auto& attrs) {
        EXPECT_EQ(
            GpuAsCpu(
                {"ResizeBilinearGrad", attrs, {{CountingTensor(DType::kFloat, resized)}, {images}}},
                ToleranceOf(dtype)),
            OkStatus());
        EXPECT_EQ(
            GpuAsCpu(
                {"ResizeNearestNeighborGrad", attrs, {{CountingTensor(dtype, resized)}, {size}}},
                ToleranceOf(dtype)),
            OkStatus());
      });
    }
  }
}

TEST(ResizeOnGpu, CropsAndTheirGradients) {
  // Whole, turned over, partly outside, a point.
  const Tensor boxes = Tensor::FromValues<float>(
      Shape({4, 4}),
      {0, 0, 1, 1, 0.9f, 0.2f, 0.1f, 0.7f, -0.5f, 0.5f, 0.5f, 1.5f, .3f, .3f, .3f, .3f});
  const Tensor index = Tensor::Vector<int32_t>({1, 0, 1, 1});
  for (const DType dtype : {DType::kHalf, DType::kFloat, DType::kDouble}) {
    const Tensor images = CountingTensor(dtype, Shape({2, 7, 5, 3}));
    for (const auto& [height, width] : {std::pair(4, 6), {1, 1}, {14, 3}}) {
      const Tensor grads = CountingTensor(DType::kFloat, Shape({4, height, width, 3}));
      for (const std::string method : {"bilinear", "nearest"}) {
        EXPECT_EQ(
            GpuAsCpu({"CropAndResize",
                      {{"method", method}, {"extrapolation_value", 7.0f}},
                      {{images}, {boxes}, {index}, {Tensor::Vector<int32_t>({height, width})}}},
                     Tolerance()),
            OkStatus());
        Tolerance rounded;
        rounded.relative = rounded.absolute = dtype == DType::kHalf ? 0.3 : 1e-4;
        EXPECT_EQ(GpuAsCpu({"CropAndResizeGradImage",
                            {{"method", method}, {"T", dtype}},
                            {{grads}, {boxes}, {index}, {Tensor::Vector<int32_t>({2, 7, 5, 3})}}},
                           rounded),
                  OkStatus());
      }
      Tolerance sums;
      sums.relative = 1e-4;
      sums.absolute = 1e-2;
      EXPECT_EQ(
          GpuAsCpu({"CropAndResizeGradBoxes", {}, {{grads}, {images}, {boxes}, {index}}}, sums),
          OkStatus());
      const Tensor others = CountingTensor(DType::kFloat, Shape({3, height, width, 3}));
      EXPECT_EQ(
          GpuAsCpu({"CropAndResizeGradBoxes", {}, {{others}, {images}, {boxes}, {index}}}, sums),
          OkStatus());
    }
  }
}

// What lies in a GPU's memory cannot be refused.
TEST(ResizeOnGpu, BoxesOfNoImageAreOutside) {
  for (const GpuMode mode : GpuModes()) {
    const auto crops =
        GpuOpRunner("CropAndResize", mode)
            .Attr("extrapolation_value", 7.0f)
            .Input(CountingTensor(DType::kFloat, Shape({1, 3, 3, 1})))
            .Input(Tensor::FromValues<float>(Shape({3, 4}), {0, 0, 1, 1, 0, 0, NAN, 1, 0, 0, 1, 1}))
            .Input(Tensor::Vector<int32_t>({1, 0, -1}))
            .Input(Tensor::Vector<int32_t>({1, 2}))
            .Run();
    ASSERT_TRUE(crops.ok()) << crops.status();
    EXPECT_EQ(std::vector<float>(crops->data<float>(), crops->data<float>() + 6),
              std::vector<float>(6, 7));
  }
}

TEST(ResizeOnGpu, GradientsOfBoxesOfNoImageAreZero) {
  // Of three whole images, the one between is there.
  const Tensor boxes =
      Tensor::FromValues<float>(Shape({3, 4}), {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1});
  const Tensor one = Tensor::FromValues<float>(Shape({1, 4}), {0, 0, 1, 1});
  const Tensor grads = CountingTensor(DType::kFloat, Shape({3, 2, 2, 1}));
  const Tensor grad = grads.Rows(1, 2);
  const Tensor images = CountingTensor(DType::kFloat, Shape({2, 3, 3, 1}));
  const Tensor size = Tensor::Vector<int32_t>({2, 3, 3, 1});
  for (const auto& [before, behind] : {std::pair(-1, 2), {INT32_MIN, INT32_MAX}}) {
    const Tensor index = Tensor::Vector<int32_t>({before, 1, behind});
    const Tensor second = Tensor::Vector<int32_t>({1});
    for (const std::string method : {"bilinear", "nearest"}) {
      const auto want = OpRunner("CropAndResizeGradImage")
                            .Attr("method", method)
                            .Attr("T", DType::kFloat)
                            .Input(grad)
                            .Input(one)
                            .Input(second)
                            .Input(size)
                            .RunOne();
      ASSERT_TRUE(want.ok()) << want.status();
      for (const GpuMode mode : GpuModes()) {
        const auto got = GpuOpRunner("CropAndResizeGradImage", mode)
                             .Attr("method", method)
                             .Attr("T", DType::kFloat)
                             .Input(grads)
                             .Input(boxes)
                             .Input(index)
                             .Input(size)
                             .Run();
        ASSERT_TRUE(got.ok()) << got.status();
        EXPECT_EQ(CompareTensors(*got, *want, {1e-5, 1e-5}), OkStatus()) << method;
      }
    }
    const auto want = OpRunner("CropAndResizeGradBoxes")
                          .Input(grad)
                          .Input(images)
                          .Input(one)
                          .Input(second)
                          .RunOne();
    ASSERT_TRUE(want.ok()) << want.status();
    for (const GpuMode mode : GpuModes()) {
      const auto got = GpuOpRunner("CropAndResizeGradBoxes", mode)
                           .Input(grads)
                           .Input(images)
                           .Input(boxes)
                           .Input(index)
                           .Run();
      ASSERT_TRUE(got.ok()) << got.status();
      const float* const values = got->data<float>();
      EXPECT_EQ(std::vector<float>(values, values + 4), std::vector<float>(4, 0));
      EXPECT_EQ(CompareTensors(got->Rows(1, 2), *want, {1e-4, 1e-4}), OkStatus());
      EXPECT_EQ(std::vector<float>(values + 8, values + 12), std::vector<float>(4, 0));
    }
  }
}

TEST(ResizeOnGpu, Colors) {
  for (const DType dtype : {DType::kFloat, DType::kDouble}) {
    const Tensor images = CountingTensor(dtype, Shape({5, 7, 3}));
    EXPECT_EQ(GpuAsCpu({"RGBToHSV", {}, {{images}}}, Tolerance()), OkStatus());
    EXPECT_EQ(GpuAsCpu({"HSVToRGB", {}, {{images}}}, Tolerance()), OkStatus());
    const Tensor grey = CountingTensor(dtype, Shape({5, 7, 1}));
    EXPECT_EQ(GpuAsCpu({"RGBToHSV", {}, {{grey}}}, Tolerance()), OkStatus());
  }
  const Tensor images = CountingTensor(DType::kFloat, Shape({5, 7, 3}));
  for (const float amount : {-0.3f, 0.0f, 1.7f}) {
    const Tensor by = Tensor::Scalar<float>(amount);
    EXPECT_EQ(GpuAsCpu({"AdjustHue", {}, {{images}, {by}}}, Tolerance()), OkStatus());
    EXPECT_EQ(GpuAsCpu({"AdjustSaturation", {}, {{images}, {by}}}, Tolerance()), OkStatus());
  }
  EXPECT_EQ(GpuAsCpu({"AdjustHue", {}, {{images}, {images}}}, Tolerance()), OkStatus());
}

TEST(ResizeOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor images = CountingTensor(DType::kFloat, Shape({2, 4, 4, 3}));
  for (const Tensor& size : {Tensor::Vector<int32_t>({0, 3}), Tensor::Vector<int32_t>({3})}) {
    for (const char* op :
         {"ResizeBilinear", "ResizeNearestNeighbor", "ResizeNearestNeighborGrad"}) {
      EXPECT_EQ(GpuAsCpu({op, {}, {{images}, {size}}}, Tolerance()), OkStatus());
    }
  }
  EXPECT_EQ(GpuAsCpu({"ResizeBilinearGrad",
                      {},
                      {{images}, {CountingTensor(DType::kFloat, Shape({1, 4, 4, 3}))}}},
                     Tolerance()),
            OkStatus());
}

}  // namespace
}  // namespace warpbeam
