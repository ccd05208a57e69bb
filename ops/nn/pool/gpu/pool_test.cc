// Pooling on simulated GPUs gives what it gives on the CPU.
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"
#include "ops/nn/gpu_loops/numbers_testing.h"

namespace warpbeam {
namespace {

using Attrs = std::vector<std::pair<std::string, AttrValue>>;
using Numbers = std::vector<int64_t>;

struct Window {
  Numbers size, stride;
  const char* padding;
};

// Windows that tile, overlap, leave gaps, reach over the border and over the whole image.
const Window kWindows[] = {
    {{2, 2}, {2, 2}, "VALID"}, {{3, 3}, {2, 2}, "SAME"},  {{3, 2}, {1, 1}, "SAME"},
    {{2, 2}, {3, 3}, "VALID"}, {{7, 6}, {1, 1}, "VALID"}, {{9, 9}, {2, 1}, "SAME"},
};

Attrs AttrsOf(const Window& window, const std::string& format) {
  const bool first = format == "NCHW";
  const auto list = [&](const Numbers& n) {
    return first ? Numbers{1, 1, n[0], n[1]} : Numbers{1, n[0], n[1], 1};
  };
  return {{"ksize", list(window.size)},
          {"strides", list(window.stride)},
          {"padding", window.padding},
          {"data_format", format}};
}

StatusOr<Tensor> OnCpu(const OpCall& call) {
  OpRunner runner(call.op);
  for (const auto& [name, value] : call.attrs) runner.Attr(name, value);
  for (const auto& argument : call.arguments) runner.InputList(argument);
  return runner.RunOne();
}

struct Data {
  Shape shape;
  std::string format;
};
const Data kData[] = {{Shape({2, 7, 6, 3}), "NHWC"},
                      {Shape({2, 7, 6, 16}), "NHWC"},
                      {Shape({2, 3, 7, 6}), "NCHW"},
                      {Shape({0, 7, 6, 8}), "NHWC"}};

// The CPU takes no doubles with their channels first.
bool CpuTakes(const Data& data, DType dtype) {
  return data.format == "NHWC" || dtype != DType::kDouble;
}

TEST(MaxPoolOnGpu, AndItsGradients) {
  for (const Data& data : kData) {
    for (const DType dtype : kTestFloats) {
      if (!CpuTakes(data, dtype)) continue;
      for (const Window& window : kWindows) {
        const Attrs attrs = AttrsOf(window, data.format);
        const Tensor x = TestNumbers(data.shape, dtype, 1);
        const OpCall forward{"MaxPool", attrs, {{x}}};
        EXPECT_EQ(GpuAsCpu(forward, Tolerance()), OkStatus()) << data.shape.ToString();
        const auto y = OnCpu(forward);
        ASSERT_TRUE(y.ok()) << y.status();
        const Tensor dy = TestNumbers(y->shape(), dtype, 2);
        EXPECT_EQ(GpuAsCpu({"MaxPoolGrad", attrs, {{x}, {*y}, {dy}}}, ToleranceOf(dtype)),
                  OkStatus())
            << data.shape.ToString();
        if (data.format == "NCHW") continue;
        const Tensor ddx = TestNumbers(data.shape, dtype, 3);
        EXPECT_EQ(GpuAsCpu({"MaxPoolGradGrad", attrs, {{x}, {*y}, {ddx}}}, Tolerance()),
                  OkStatus());
      }
    }
  }
}

TEST(MaxPoolOnGpu, WindowAsInputs) {
  const Tensor x = TestNumbers(Shape({2, 5, 5, 4}), DType::kFloat, 1);
  const Tensor size = Tensor::Vector<int32_t>({1, 3, 3, 1});
  const Tensor strides = Tensor::Vector<int32_t>({1, 2, 2, 1});
  const Attrs attrs = {{"padding", "VALID"}};
  const OpCall forward{"MaxPoolV2", attrs, {{x}, {size}, {strides}}};
  EXPECT_EQ(GpuAsCpu(forward, Tolerance()), OkStatus());
  const auto y = OnCpu(forward);
  ASSERT_TRUE(y.ok()) << y.status();
  const OpCall backward{"MaxPoolGradV2", attrs, {{x}, {*y}, {*y}, {size}, {strides}}};
  EXPECT_EQ(GpuAsCpu(backward, ToleranceOf(DType::kFloat)), OkStatus());
  const OpCall second{"MaxPoolGradGradV2", attrs, {{x}, {*y}, {x}, {size}, {strides}}};
  EXPECT_EQ(GpuAsCpu(second, Tolerance()), OkStatus());
}

TEST(MaxPoolOnGpu, ExplicitPaddingsAndWindowsOverChannels) {
  const Tensor x = TestNumbers(Shape({2, 5, 5, 6}), DType::kFloat, 1);
  EXPECT_EQ(GpuAsCpu({"MaxPool",
                      {{"ksize", Numbers{1, 3, 3, 1}},
                       {"strides", Numbers{1, 2, 2, 1}},
                       {"padding", "EXPLICIT"},
                       {"explicit_paddings", Numbers{0, 0, 1, 2, 2, 0, 0, 0}}},
                      {{x}}},
                     Tolerance()),
            OkStatus());
  EXPECT_EQ(
      GpuAsCpu(
          {"MaxPool",
           {{"ksize", Numbers{1, 1, 1, 3}}, {"strides", Numbers{1, 1, 1, 3}}, {"padding", "VALID"}},
           {{x}}},
          Tolerance()),
      OkStatus());
}

TEST(MaxPoolOnGpu, NaNAndEqualElements) {
  const float nan = std::nanf("");
  const Tensor x = Tensor::FromValues<float>(
      Shape({1, 4, 4, 1}), {nan, 1, 2, 2, 3, 1, 2, 2, nan, nan, 5, nan, nan, nan, 6, 7});
  const Attrs attrs = AttrsOf({{2, 2}, {2, 2}, "VALID"}, "NHWC");
  EXPECT_EQ(GpuAsCpu({"MaxPool", attrs, {{x}}}, Tolerance()), OkStatus());
  const Tensor dy = Tensor::FromValues<float>(Shape({1, 2, 2, 1}), {1, 2, 3, 4});
  EXPECT_EQ(GpuAsCpu({"MaxPoolGrad", attrs, {{x}, {dy}, {dy}}}, Tolerance()), OkStatus());
}

TEST(MaxPoolOnGpu, PlacesOfMaximaAndTheirGradient) {
  for (const Shape& shape : {Shape({2, 7, 6, 3}), Shape({2, 7, 6, 16})}) {
    for (const DType dtype : kTestFloats) {
      for (const Window& window : kWindows) {
        for (const bool batch : {false, true}) {
          Attrs attrs = AttrsOf(window, "NHWC");
          attrs.pop_back();  // no data format
          attrs.emplace_back("include_batch_in_index", batch);
          const Tensor x = TestNumbers(shape, dtype, 1);
          EXPECT_EQ(GpuAsCpu({"MaxPoolWithArgmax", attrs, {{x}}}, Tolerance()), OkStatus());
          OpRunner runner("MaxPoolWithArgmax");
          for (const auto& [name, value] : attrs) runner.Attr(name, value);
          const auto y = runner.Input(x).Run();
          ASSERT_TRUE(y.ok()) << y.status();
          const Tensor dy = TestNumbers((*y)[0].shape(), dtype, 2);
          Tolerance tolerance = ToleranceOf(dtype);
          tolerance.absolute *= 30;  // 16-bit sums are rounded after each addition, in any order
          EXPECT_EQ(GpuAsCpu({"MaxPoolGradWithArgmax", attrs, {{x}, {dy}, {(*y)[1]}}}, tolerance),
                    OkStatus());
        }
      }
    }
  }
  const Tensor none = TestNumbers(Shape({0, 7, 6, 3}), DType::kFloat, 1);
  Attrs attrs = AttrsOf(kWindows[0], "NHWC");
  attrs.pop_back();
  EXPECT_EQ(GpuAsCpu({"MaxPoolWithArgmax", attrs, {{none}}}, Tolerance()), OkStatus());
}

// Of which there is no kernel for the CPU.
TEST(MaxPoolOnGpu, WhatStoodAtThePlacesOfMaxima) {
  const Tensor x = Tensor::FromValues<float>(Shape({2, 1, 2, 1}), {1, 2, 3, 4});
  const Tensor dy = Tensor::FromValues<float>(Shape({2, 1, 2, 1}), {5, 6, 7, 8});
  Attrs attrs = AttrsOf({{1, 2}, {1, 1}, "SAME"}, "NHWC");
  attrs.pop_back();  // no data format
  for (const bool batch : {false, true}) {
    const std::vector<int64_t> places =
        batch ? std::vector<int64_t>{1, 4, 2, -1} : std::vector<int64_t>{1, 2, 0, -1};
    for (const GpuMode mode : GpuModes()) {
      GpuOpRunner runner("MaxPoolGradGradWithArgmax", mode);
      for (const auto& [name, value] : attrs) runner.Attr(name, value);
      const auto y = runner.Attr("include_batch_in_index", batch)
                         .Input(x)
                         .Input(dy)
                         .Input(Tensor::FromValues<int64_t>(Shape({2, 1, 2, 1}), places))
                         .Run();
      ASSERT_TRUE(y.ok()) << y.status();
      // Two name no place of their image.
      EXPECT_EQ(std::vector<float>(y->data<float>(), y->data<float>() + 4),
                (std::vector<float>{6, 0, 7, 0}));
    }
  }
}

// The CPU refuses such places; what lies in a GPU's memory cannot be.
TEST(MaxPoolOnGpu, PlacesOfNoMaximumAddNothing) {
  const Shape shape({2, 1, 3, 1});
  const Tensor dy = Tensor::FromValues<float>(shape, {1, 2, 4, 8, 16, 32});
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Attrs attrs = AttrsOf({{1, 1}, {1, 1}, "VALID"}, "NHWC");
  attrs.pop_back();  // no data format
  for (const bool batch : {false, true}) {
    // One of each image is there. The others are too small or too large; where places count through
    // all images, those of the other image are.
    const std::vector<int64_t> places = batch
                                            ? std::vector<int64_t>{1, 3, -1, 1, -kMost - 1, 3}
                                            : std::vector<int64_t>{1, 3, -1, kMost, -kMost - 1, 0};
    for (const GpuMode mode : GpuModes()) {
      GpuOpRunner runner("MaxPoolGradWithArgmax", mode);
      for (const auto& [name, value] : attrs) runner.Attr(name, value);
      const auto dx = runner.Attr("include_batch_in_index", batch)
                          .Input(Tensor::FromValues<float>(shape, {0, 0, 0, 0, 0, 0}))
                          .Input(dy)
                          .Input(Tensor::FromValues<int64_t>(shape, places))
                          .Run();
      ASSERT_TRUE(dx.ok()) << dx.status();
      EXPECT_EQ(CompareTensors(*dx, Tensor::FromValues<float>(shape, {0, 1, 0, 32, 0, 0}), {}),
                OkStatus());
    }
  }
}

TEST(AvgPoolOnGpu, AndItsGradient) {
  for (const Data& data : kData) {
    for (const DType dtype : kTestFloats) {
      if (!CpuTakes(data, dtype)) continue;
      for (const Window& window : kWindows) {
        const Attrs attrs = AttrsOf(window, data.format);
        const Tensor x = TestNumbers(data.shape, dtype, 1);
        const OpCall forward{"AvgPool", attrs, {{x}}};
        EXPECT_EQ(GpuAsCpu(forward, ToleranceOf(dtype)), OkStatus());
        const auto y = OnCpu(forward);
        ASSERT_TRUE(y.ok()) << y.status();
        std::vector<int32_t> sizes;
        for (int i = 0; i < 4; ++i) sizes.push_back(static_cast<int32_t>(data.shape.dim(i)));
        const Tensor dy = TestNumbers(y->shape(), dtype, 2);
        const OpCall backward{"AvgPoolGrad", attrs, {{Tensor::Vector<int32_t>(sizes)}, {dy}}};
        EXPECT_EQ(GpuAsCpu(backward, ToleranceOf(dtype)), OkStatus());
      }
    }
  }
}

TEST(PoolOnGpu, Volumes) {
  for (const char* format : {"NDHWC", "NCDHW"}) {
    const bool first = format[1] == 'C';
    const Tensor x =
        TestNumbers(first ? Shape({2, 4, 3, 5, 6}) : Shape({2, 3, 5, 6, 4}), DType::kFloat, 1);
    const Attrs attrs = {{"ksize", first ? Numbers{1, 1, 2, 3, 2} : Numbers{1, 2, 3, 2, 1}},
                         {"strides", first ? Numbers{1, 1, 1, 2, 2} : Numbers{1, 1, 2, 2, 1}},
                         {"padding", "SAME"},
                         {"data_format", format}};
    EXPECT_EQ(GpuAsCpu({"MaxPool3D", attrs, {{x}}}, Tolerance()), OkStatus());
    EXPECT_EQ(GpuAsCpu({"AvgPool3D", attrs, {{x}}}, ToleranceOf(DType::kFloat)), OkStatus());
    const auto y = OnCpu({"MaxPool3D", attrs, {{x}}});
    ASSERT_TRUE(y.ok()) << y.status();
    const Tensor dy = TestNumbers(y->shape(), DType::kFloat, 2);
    EXPECT_EQ(GpuAsCpu({"MaxPool3DGrad", attrs, {{x}, {*y}, {dy}}}, ToleranceOf(DType::kFloat)),
              OkStatus());
    std::vector<int32_t> sizes;
    for (int i = 0; i < 5; ++i) sizes.push_back(static_cast<int32_t>(x.dim(i)));
    EXPECT_EQ(GpuAsCpu({"AvgPool3DGrad", attrs, {{Tensor::Vector<int32_t>(sizes)}, {dy}}},
                       ToleranceOf(DType::kFloat)),
              OkStatus());
  }
}

TEST(PoolOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor x = TestNumbers(Shape({2, 5, 5, 4}), DType::kFloat, 1);
  const Tensor matrix = TestNumbers(Shape({2, 5}), DType::kFloat, 1);
  const Attrs attrs = AttrsOf({{2, 2}, {2, 2}, "VALID"}, "NHWC");
  EXPECT_EQ(GpuAsCpu({"MaxPool", attrs, {{matrix}}}, Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu({"AvgPool", attrs, {{matrix}}}, Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu({"MaxPoolGrad", attrs, {{x}, {x}, {x}}}, Tolerance()), OkStatus());
  EXPECT_EQ(
      GpuAsCpu({"AvgPoolGrad", attrs, {{Tensor::Vector<int32_t>({2, 5, 5})}, {x}}}, Tolerance()),
      OkStatus());
}

}  // namespace
}  // namespace warpbeam
