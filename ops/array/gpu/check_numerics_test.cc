// CheckNumerics on GPUs passes on and refuses what it does on the CPU, in the same words.
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"

namespace warpbeam {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// Small numbers, and `last` behind so many that they need several blocks.
Tensor Ending(DType dtype, double last, int64_t count = 3000) {
  std::vector<double> values(static_cast<size_t>(count), -1.5);
  values.back() = last;
  const Tensor x = Tensor::FromValues<double>(Shape({count}), values);
  return OpRunner("Cast").Attr("DstT", dtype).Input(x).RunOne().value_or(Tensor());
}

TEST(CheckNumericsOnGpu, PassesOnWhatIsFinite) {
  for (const char* const op : {"CheckNumerics", "CheckNumericsV2"}) {
    for (const DType dtype : {DType::kHalf, DType::kFloat, DType::kDouble}) {
      const OpCall call = {op, {{"message", std::string("x")}}, {{Ending(dtype, 2)}}};
      EXPECT_EQ(GpuAsCpu(call, Tolerance()), OkStatus()) << op << " " << DTypeName(dtype);
    }
    const Tensor empty = Tensor::FromValues<float>(Shape({0}), {});
    EXPECT_EQ(GpuAsCpu({op, {{"message", std::string("x")}}, {{empty}}}, Tolerance()), OkStatus());
  }
}

TEST(CheckNumericsOnGpu, RefusesInTheWordsOfTheCpu) {
  for (const std::string op : {"CheckNumerics", "CheckNumericsV2"}) {
    for (const DType dtype : {DType::kHalf, DType::kFloat, DType::kDouble}) {
      for (const double bad : {kInfinity, -kInfinity, kNotANumber}) {
        const Tensor x = Ending(dtype, bad);
        const auto on_cpu = OpRunner(op).Attr("message", std::string("the loss")).Input(x).RunOne();
        ASSERT_FALSE(on_cpu.ok());
        for (const GpuMode mode : GpuModes()) {
          const auto y =
              GpuOpRunner(op, mode).Attr("message", std::string("the loss")).Input(x).Run();
          EXPECT_EQ(y.status(), on_cpu.status()) << op << " " << DTypeName(dtype) << " " << bad;
        }
      }
    }
  }
}

TEST(CheckNumericsOnGpu, NamesAllKindsThatThereAre) {
  const Tensor x = Tensor::Vector<double>({kNotANumber, 1, -kInfinity, kInfinity});
  for (const GpuMode mode : GpuModes()) {
    const auto y = GpuOpRunner("CheckNumericsV2", mode).Attr("message", std::string("x")).Input(x);
    EXPECT_EQ(y.Run().status().message(), "x : Tensor had -Inf and +Inf and NaN values");
  }
}

}  // namespace
}  // namespace warpbeam
