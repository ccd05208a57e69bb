// Depthwise convolutions on simulated GPUs give what they give on the CPU.
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/op_runner.h"
#include "ops/nn/gpu_loops/numbers_testing.h"

namespace warpbeam {
namespace {

using Attrs = std::vector<std::pair<std::string, AttrValue>>;
using Numbers = std::vector<int64_t>;

struct Case {
  Shape input, filter;
  int64_t stride;
  const char* padding;
  const char* format;
};
const Case kCases[] = {
    {Shape({2, 6, 5, 3}), Shape({3, 3, 3, 2}), 1, "SAME", "NHWC"},
    {Shape({2, 7, 8, 8}), Shape({3, 2, 8, 1}), 2, "VALID", "NHWC"},
    {Shape({1, 9, 9, 4}), Shape({2, 2, 4, 4}), 3, "SAME", "NHWC"},
    {Shape({1, 5, 5, 1}), Shape({1, 1, 1, 1}), 1, "VALID", "NHWC"},
    {Shape({0, 5, 5, 2}), Shape({2, 2, 2, 1}), 1, "VALID", "NHWC"},
    {Shape({2, 3, 6, 5}), Shape({3, 3, 3, 2}), 1, "SAME", "NCHW"},
    {Shape({2, 4, 7, 8}), Shape({3, 2, 4, 1}), 2, "VALID", "NCHW"},
};

StatusOr<Tensor> OnCpu(const OpCall& call) {
  OpRunner runner(call.op);
  for (const auto& [name, value] : call.attrs) runner.Attr(name, value);
  for (const auto& argument : call.arguments) runner.InputList(argument);
  return runner.RunOne();
}

TEST(DepthwiseOnGpu, AllPasses) {
  for (const Case& c : kCases) {
    for (const DType dtype : kTestFloats) {
      const std::string format = c.format;
      // The CPU takes no doubles with their channels first.
      if (format == "NCHW" && dtype == DType::kDouble) continue;
      const Attrs attrs = {{"strides", format == "NHWC" ? Numbers{1, c.stride, c.stride, 1}
                                                        : Numbers{1, 1, c.stride, c.stride}},
                           {"padding", c.padding},
                           {"data_format", format}};
      const Tensor x = TestNumbers(c.input, dtype, 1), filter = TestNumbers(c.filter, dtype, 2);
      const OpCall forward{"DepthwiseConv2dNative", attrs, {{x}, {filter}}};
      Tolerance tolerance = ToleranceOf(dtype);
      tolerance.absolute *= 200;  // sums of products that cancel
      EXPECT_EQ(GpuAsCpu(forward, tolerance), OkStatus()) << c.input.ToString();
      const auto y = OnCpu(forward);
      ASSERT_TRUE(y.ok()) << y.status();
      const Tensor dy = TestNumbers(y->shape(), dtype, 3);
      EXPECT_EQ(
          GpuAsCpu(
              {"DepthwiseConv2dNativeBackpropInput", attrs, {{SizesOf(c.input)}, {filter}, {dy}}},
              tolerance),
          OkStatus())
          << c.input.ToString();
      EXPECT_EQ(
          GpuAsCpu({"DepthwiseConv2dNativeBackpropFilter", attrs, {{x}, {SizesOf(c.filter)}, {dy}}},
                   tolerance),
          OkStatus())
          << c.input.ToString();
    }
  }
}

TEST(DepthwiseOnGpu, ExplicitPaddings) {
  const Tensor x = TestNumbers(Shape({1, 5, 6, 2}), DType::kFloat, 1);
  const Tensor filter = TestNumbers(Shape({3, 2, 2, 1}), DType::kFloat, 2);
  const OpCall call{"DepthwiseConv2dNative",
                    {{"strides", Numbers{1, 2, 2, 1}},
                     {"padding", "EXPLICIT"},
                     {"explicit_paddings", Numbers{0, 0, 1, 0, 2, 1, 0, 0}}},
                    {{x}, {filter}}};
  EXPECT_EQ(GpuAsCpu(call, ToleranceOf(DType::kFloat)), OkStatus());
}

TEST(DepthwiseOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor x = TestNumbers(Shape({1, 5, 6, 2}), DType::kFloat, 1);
  const Tensor filter = TestNumbers(Shape({3, 2, 3, 1}), DType::kFloat, 2);
  const Attrs attrs = {{"strides", Numbers{1, 1, 1, 1}}, {"padding", "VALID"}};
  EXPECT_EQ(GpuAsCpu({"DepthwiseConv2dNative", attrs, {{x}, {filter}}}, Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu({"DepthwiseConv2dNativeBackpropFilter",
                      attrs,
                      {{x}, {Tensor::Vector<int32_t>({2, 2, 2, 1})}, {x}}},
                     Tolerance()),
            OkStatus());
}

}  // namespace
}  // namespace warpbeam
