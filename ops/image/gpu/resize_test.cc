// Resizing on simulated GPUs gives what it gives on the CPU.
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/array/gpu/counting_tensor.h"
#include "ops/launch/gpu_as_cpu.h"

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
        EXPECT_EQ(GpuAsCpu({"ResizeBilinear", attrs, {{images}, {size}}}, Tolerance()),
                  absl::OkStatus());
        EXPECT_EQ(GpuAsCpu({"ResizeNearestNeighbor", attrs, {{images}, {size}}}, Tolerance()),
                  absl::OkStatus());
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
            absl::OkStatus());
        EXPECT_EQ(
            GpuAsCpu(
                {"ResizeNearestNeighborGrad", attrs, {{CountingTensor(dtype, resized)}, {size}}},
                ToleranceOf(dtype)),
            absl::OkStatus());
      });
    }
  }
}

TEST(ResizeOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor images = CountingTensor(DType::kFloat, Shape({2, 4, 4, 3}));
  for (const Tensor& size : {Tensor::Vector<int32_t>({0, 3}), Tensor::Vector<int32_t>({3})}) {
    for (const char* op :
         {"ResizeBilinear", "ResizeNearestNeighbor", "ResizeNearestNeighborGrad"}) {
      EXPECT_EQ(GpuAsCpu({op, {}, {{images}, {size}}}, Tolerance()), absl::OkStatus());
    }
  }
  EXPECT_EQ(GpuAsCpu({"ResizeBilinearGrad",
                      {},
                      {{images}, {CountingTensor(DType::kFloat, Shape({1, 4, 4, 3}))}}},
                     Tolerance()),
            absl::OkStatus());
}

}  // namespace
}  // namespace warpbeam
