// Values of generators whose state is a variable are those of the CPU on simulated GPUs, and so is
// the state that they leave.
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/state/testing/variable_op_check.h"

namespace warpbeam {
namespace {

const Tensor kAlgorithm = Tensor::Scalar<int64_t>(1);

// The counter's first half overflows.
Tensor State() { return Tensor::Vector<int64_t>({-5, std::numeric_limits<int64_t>::max(), 77, 3}); }

TEST(StatefulRandomOnGpu, FillsAsTheCpuDoes) {
  for (const std::vector<int64_t>& dims :
       {std::vector<int64_t>{7}, {31, 101}, {0, 3}, std::vector<int64_t>()}) {
    const Tensor shape = Tensor::Vector<int64_t>(dims);
    for (const DType dtype : {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble}) {
      const double near = dtype == DType::kDouble     ? 1e-12
                          : dtype == DType::kFloat    ? 1e-5
                          : dtype == DType::kBFloat16 ? 2e-2
                                                      : 2e-3;
      for (const char* op :
           {"StatefulStandardNormalV2", "StatefulTruncatedNormal", "StatefulUniform"}) {
        const VariableOp call{op, {{"dtype", dtype}}, {State()}, {kAlgorithm, shape}};
        EXPECT_EQ(GpuUpdatesAsCpu(call, {near, near}), OkStatus()) << DTypeName(dtype);
      }
    }
    for (const DType dtype : {DType::kInt32, DType::kInt64, DType::kUInt32, DType::kUInt64}) {
      const VariableOp call{
          "StatefulUniformFullInt", {{"dtype", dtype}}, {State()}, {kAlgorithm, shape}};
      EXPECT_EQ(GpuUpdatesAsCpu(call, {}), OkStatus()) << DTypeName(dtype);
    }
    const VariableOp ints{
        "StatefulUniformInt",
        {},
        {State()},
        {kAlgorithm, shape, Tensor::Scalar<int64_t>(-3), Tensor::Scalar<int64_t>(1000)}};
    EXPECT_EQ(GpuUpdatesAsCpu(ints, {}), OkStatus());
  }
}

TEST(StatefulRandomOnGpu, Skips) {
  EXPECT_EQ(
      GpuUpdatesAsCpu({"RngSkip", {}, {State()}, {kAlgorithm, Tensor::Scalar<int64_t>(12)}}, {}),
      OkStatus());
  EXPECT_EQ(GpuUpdatesAsCpu({"RngReadAndSkip",
                             {},
                             {State()},
                             {Tensor::Scalar<int32_t>(1), Tensor::Scalar<uint64_t>(12)}},
                            {}),
            OkStatus());
}

TEST(StatefulRandomOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor shape = Tensor::Vector<int64_t>({7}), three = Tensor::Scalar<int64_t>(3);
  const auto expect = [](const VariableOp& call) {
    EXPECT_EQ(GpuUpdatesAsCpu(call, {}), OkStatus()) << call.op;
  };
  expect({"StatefulUniform", {}, {Tensor::Vector<int64_t>({1, 2})}, {kAlgorithm, shape}});
  expect({"StatefulUniform", {}, {Tensor::Vector<float>({1, 2, 3})}, {kAlgorithm, shape}});
  expect({"StatefulUniform", {}, {State()}, {three, shape}});
  expect({"StatefulUniformInt", {}, {State()}, {kAlgorithm, shape, three, three}});
}

}  // namespace
}  // namespace warpbeam
