// Dilations on GPUs give what they give on the CPU.
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

TEST(DilationOnGpu, AndItsGradients) {
  for (const DType dtype : kTestFloats) {
    for (const char* padding : {"SAME", "VALID"}) {
      for (const int64_t batch : {0, 2}) {
        const Attrs attrs = {
            {"strides", Numbers{1, 2, 1, 1}}, {"rates", Numbers{1, 1, 2, 1}}, {"padding", padding}};
        const Tensor x = TestNumbers(Shape({batch, 7, 6, 3}), dtype, 1);
        const Tensor filter = TestNumbers(Shape({3, 2, 3}), dtype, 2);
        const OpCall forward{"Dilation2D", attrs, {{x}, {filter}}};
        EXPECT_EQ(GpuAsCpu(forward, Tolerance()), OkStatus());
        OpRunner runner("Dilation2D");
        for (const auto& [name, value] : attrs) runner.Attr(name, value);
        const auto y = runner.Input(x).Input(filter).RunOne();
        ASSERT_TRUE(y.ok()) << y.status();
        const Tensor dy = TestNumbers(y->shape(), dtype, 3);
        Tolerance tolerance = ToleranceOf(dtype);
        tolerance.absolute *= 30;  // 16-bit sums are rounded after each addition, in any order
        for (const char* op : {"Dilation2DBackpropInput", "Dilation2DBackpropFilter"}) {
          EXPECT_EQ(GpuAsCpu({op, attrs, {{x}, {filter}, {dy}}}, tolerance), OkStatus());
        }
      }
    }
  }
}

TEST(DilationOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor x = TestNumbers(Shape({1, 4, 4, 3}), DType::kFloat, 1);
  const Tensor filter = TestNumbers(Shape({2, 2, 2}), DType::kFloat, 2);
  const Tensor good = TestNumbers(Shape({2, 2, 3}), DType::kFloat, 2);
  const Attrs attrs = {
      {"strides", Numbers{1, 1, 1, 1}}, {"rates", Numbers{1, 1, 1, 1}}, {"padding", "VALID"}};
  EXPECT_EQ(GpuAsCpu({"Dilation2D", attrs, {{x}, {filter}}}, Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu({"Dilation2DBackpropInput", attrs, {{x}, {good}, {x}}}, Tolerance()),
            OkStatus());
}

}  // namespace
}  // namespace warpbeam
