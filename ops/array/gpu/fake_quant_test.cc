// FakeQuant ops on simulated GPUs give what they give on the CPU.
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"

namespace warpbeam {
namespace {

using Attrs = std::vector<std::pair<std::string, AttrValue>>;

// From -8 to 8.
Tensor Sixteenths(const Shape& shape, int factor) {
  std::vector<float> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int>(i) * factor % 257) / 16 - 8;
  }
  return Tensor::FromValues<float>(shape, values);
}

const Shape kShapes[] = {Shape({3, 700, 5}), Shape({7, 5}), Shape({0, 5})};
const Attrs kLevels[] = {{}, {{"num_bits", int64_t{4}}}, {{"narrow_range", true}}};

TEST(FakeQuantOnGpu, RangesOfAttributesAndScalars) {
  const Tensor low = Tensor::Scalar<float>(-2.3f), high = Tensor::Scalar<float>(3.1f);
  const Tensor zero = Tensor::Scalar<float>(0);
  const std::string vars = "FakeQuantWithMinMaxVars";
  for (const Shape& shape : kShapes) {
    const Tensor x = Sixteenths(shape, 37), dy = Sixteenths(shape, 11);
    for (const Attrs& attrs : kLevels) {
      Attrs of_args = attrs;
      of_args.insert(of_args.end(), {{"min", -2.3f}, {"max", 3.1f}});
      EXPECT_EQ(GpuAsCpu({"FakeQuantWithMinMaxArgs", of_args, {{x}}}, {}), OkStatus());
      EXPECT_EQ(GpuAsCpu({"FakeQuantWithMinMaxArgsGradient", of_args, {{dy}, {x}}}, {}),
                OkStatus());
      EXPECT_EQ(GpuAsCpu({vars, attrs, {{x}, {low}, {high}}}, {}), OkStatus());
      EXPECT_EQ(GpuAsCpu({vars, attrs, {{x}, {zero}, {zero}}}, {}), OkStatus());
      const Tolerance sums = {1e-6, 1e-6};
      EXPECT_EQ(GpuAsCpu({vars + "Gradient", attrs, {{dy}, {x}, {low}, {high}}}, sums), OkStatus());
      EXPECT_EQ(GpuAsCpu({vars + "Gradient", attrs, {{dy}, {x}, {zero}, {zero}}}, sums),
                OkStatus());
    }
  }
}

TEST(FakeQuantOnGpu, RangesOfChannels) {
  const Tensor low = Tensor::Vector<float>({-1, -2, 0, -8, 0.5f});
  const Tensor high = Tensor::Vector<float>({1, 3, 0, 8, 6});
  const std::string op = "FakeQuantWithMinMaxVarsPerChannel";
  for (const Shape& shape : kShapes) {
    const Tensor x = Sixteenths(shape, 37), dy = Sixteenths(shape, 11);
    EXPECT_EQ(GpuAsCpu({op, {}, {{x}, {low}, {high}}}, {}), OkStatus());
    EXPECT_EQ(GpuAsCpu({op + "Gradient", {}, {{dy}, {x}, {low}, {high}}}, {1e-6, 1e-6}),
              OkStatus());
  }
  // More channels than one launch has ranges for.
  const Shape many({2, 1100});
  EXPECT_EQ(GpuAsCpu({op,
                      {},
                      {{Sixteenths(many, 37)},
                       {Tensor::FromValues<float>(Shape({1100}), std::vector<float>(1100, -3))},
                       {Sixteenths(Shape({1100}), 5)}}},
                     {}),
            OkStatus());
}

TEST(FakeQuantOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor x = Sixteenths(Shape({2, 3}), 37), two = Sixteenths(Shape({2}), 3);
  EXPECT_EQ(GpuAsCpu({"FakeQuantWithMinMaxVarsPerChannel", {}, {{x}, {two}, {two}}}, {}),
            OkStatus());
  EXPECT_EQ(
      GpuAsCpu({"FakeQuantWithMinMaxVars", {{"num_bits", int64_t{1}}}, {{x}, {two}, {two}}}, {}),
      OkStatus());
  EXPECT_EQ(GpuAsCpu({"FakeQuantWithMinMaxArgsGradient", {}, {{x}, {two}}}, {}), OkStatus());
}

}  // namespace
}  // namespace warpbeam
