// Convolutions of volumes on GPUs give what they give on the CPU.
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

// Sums of products that cancel.
Tolerance SumTolerance(DType dtype) {
  Tolerance tolerance = ToleranceOf(dtype);
  tolerance.absolute *= 500;
  return tolerance;
}

TEST(Conv3DOnGpu, AllPasses) {
  for (const bool first : {false, true}) {
    const Shape input = first ? Shape({2, 4, 5, 6, 7}) : Shape({2, 5, 6, 7, 4});
    const Shape filter({3, 2, 3, 4, 6});
    for (const DType dtype : kTestFloats) {
      // The CPU takes no doubles with their channels first.
      if (first && dtype == DType::kDouble) continue;
      for (const char* padding : {"SAME", "VALID"}) {
        const Attrs attrs = {{"strides", first ? Numbers{1, 1, 2, 1, 2} : Numbers{1, 2, 1, 2, 1}},
                             {"padding", padding},
                             {"data_format", first ? "NCDHW" : "NDHWC"}};
        const Tensor x = TestNumbers(input, dtype, 1), weights = TestNumbers(filter, dtype, 2);
        const OpCall forward{"Conv3D", attrs, {{x}, {weights}}};
        EXPECT_EQ(GpuAsCpu(forward, SumTolerance(dtype)), OkStatus());
        OpRunner runner("Conv3D");
        for (const auto& [name, value] : attrs) runner.Attr(name, value);
        const auto y = runner.Input(x).Input(weights).RunOne();
        ASSERT_TRUE(y.ok()) << y.status();
        const Tensor dy = TestNumbers(y->shape(), dtype, 3);
        EXPECT_EQ(GpuAsCpu({"Conv3DBackpropInputV2", attrs, {{SizesOf(input)}, {weights}, {dy}}},
                           SumTolerance(dtype)),
                  OkStatus());
        EXPECT_EQ(GpuAsCpu({"Conv3DBackpropFilterV2", attrs, {{x}, {SizesOf(filter)}, {dy}}},
                           SumTolerance(dtype)),
                  OkStatus());
      }
    }
  }
}

TEST(Conv3DOnGpu, OldFormsOfGradients) {
  const DType dtype = DType::kFloat;
  const Attrs attrs = {{"strides", Numbers{1, 1, 1, 1, 1}}, {"padding", "SAME"}};
  const Tensor x = TestNumbers(Shape({1, 3, 4, 5, 2}), dtype, 1);
  const Tensor filter = TestNumbers(Shape({2, 2, 2, 2, 3}), dtype, 2);
  const Tensor dy = TestNumbers(Shape({1, 3, 4, 5, 3}), dtype, 3);
  for (const char* op : {"Conv3DBackpropInput", "Conv3DBackpropFilter"}) {
    EXPECT_EQ(GpuAsCpu({op, attrs, {{x}, {filter}, {dy}}}, SumTolerance(dtype)), OkStatus());
    EXPECT_EQ(GpuAsCpu({op, attrs, {{x}, {filter}, {x}}}, SumTolerance(dtype)), OkStatus());
  }
}

}  // namespace
}  // namespace warpbeam
