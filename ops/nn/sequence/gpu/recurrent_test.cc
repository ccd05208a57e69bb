// Recurrent cells on simulated GPUs give what they give on the CPU.
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/nn/gpu_loops/numbers_testing.h"

namespace warpbeam {
namespace {

struct Sizes {
  int64_t batch, inputs, cells;
};
const Sizes kSizes[] = {{2, 3, 5}, {4, 8, 16}, {1, 1, 1}, {70, 5, 24}, {0, 3, 4}, {3, 0, 4}};

// Small enough that gates are not all the way open or shut.
Tensor Small(const Shape& shape, DType dtype, int seed) {
  const Tensor x = TestNumbers(shape, DType::kFloat, seed);
  std::vector<float> values(x.data<float>(), x.data<float>() + x.num_elements());
  for (float& v : values) v /= 16;
  if (dtype == DType::kFloat) return Tensor::FromValues<float>(shape, values);
  std::vector<Half> halves;
  for (const float v : values) halves.push_back(Half(v));
  return Tensor::FromValues<Half>(shape, halves);
}

Tolerance CellTolerance(DType dtype) {
  Tolerance tolerance;
  tolerance.relative = tolerance.absolute = dtype == DType::kFloat ? 2e-5 : 1e-2;
  return tolerance;
}

std::vector<std::vector<Tensor>> LstmArguments(const Sizes& n, DType dtype) {
  const Shape state({n.batch, n.cells}), cells({n.cells});
  return {{Small(Shape({n.batch, n.inputs}), dtype, 1)},
          {Small(state, dtype, 2)},
          {Small(state, dtype, 3)},
          {Small(Shape({n.inputs + n.cells, 4 * n.cells}), dtype, 4)},
          {Small(cells, dtype, 5)},
          {Small(cells, dtype, 6)},
          {Small(cells, dtype, 7)},
          {Small(Shape({4 * n.cells}), dtype, 8)}};
}

TEST(LstmOnGpu, OneStepAndItsGradient) {
  for (const Sizes& n : kSizes) {
    for (const DType dtype : {DType::kFloat, DType::kHalf}) {
      for (const bool peephole : {false, true}) {
        auto arguments = LstmArguments(n, dtype);
        EXPECT_EQ(
            GpuAsCpu(
                {"LSTMBlockCell", {{"use_peephole", peephole}, {"cell_clip", 0.3f}}, arguments},
                CellTolerance(dtype)),
            OkStatus());
        for (int i = 0; i < 8; ++i) {
          arguments.push_back({Small(Shape({n.batch, n.cells}), dtype, 10 + i)});
        }
        EXPECT_EQ(GpuAsCpu({"LSTMBlockCellGrad", {{"use_peephole", peephole}}, arguments},
                           CellTolerance(dtype)),
                  OkStatus());
      }
    }
  }
}

TEST(LstmOnGpu, AllStepsAndTheirGradients) {
  constexpr int64_t kSteps = 4;
  for (const Sizes& n : kSizes) {
    for (const DType dtype : {DType::kFloat, DType::kHalf}) {
      for (const int64_t steps : {int64_t{0}, int64_t{1}, kSteps - 1, kSteps}) {
        const bool peephole = steps % 2 == 1;
        auto arguments = LstmArguments(n, dtype);
        arguments[0] = {Small(Shape({kSteps, n.batch, n.inputs}), dtype, 1)};
        arguments.insert(arguments.begin(), {Tensor::Scalar<int64_t>(steps)});
        for (const char* op : {"BlockLSTM", "BlockLSTMV2"}) {
          EXPECT_EQ(GpuAsCpu({op, {{"use_peephole", peephole}, {"cell_clip", 0.0f}}, arguments},
                             CellTolerance(dtype)),
                    OkStatus());
        }
        for (int i = 0; i < 9; ++i) {
          arguments.push_back({Small(Shape({kSteps, n.batch, n.cells}), dtype, 10 + i)});
        }
        for (const char* op : {"BlockLSTMGrad", "BlockLSTMGradV2"}) {
          EXPECT_EQ(GpuAsCpu({op, {{"use_peephole", peephole}}, arguments}, CellTolerance(dtype)),
                    OkStatus())
              << op << n.batch << " " << n.inputs << " " << n.cells << " " << steps;
        }
      }
    }
  }
}

TEST(GruOnGpu, OneStepAndItsGradient) {
  for (const Sizes& n : kSizes) {
    const Shape state({n.batch, n.cells});
    const DType dtype = DType::kFloat;
    std::vector<std::vector<Tensor>> arguments = {
        {Small(Shape({n.batch, n.inputs}), dtype, 1)},
        {Small(state, dtype, 2)},
        {Small(Shape({n.inputs + n.cells, 2 * n.cells}), dtype, 3)},
        {Small(Shape({n.inputs + n.cells, n.cells}), dtype, 4)},
        {Small(Shape({2 * n.cells}), dtype, 5)},
        {Small(Shape({n.cells}), dtype, 6)}};
    EXPECT_EQ(GpuAsCpu({"GRUBlockCell", {}, arguments}, CellTolerance(dtype)), OkStatus());
    for (int i = 0; i < 4; ++i) arguments.push_back({Small(state, dtype, 10 + i)});
    EXPECT_EQ(GpuAsCpu({"GRUBlockCellGrad", {}, arguments}, CellTolerance(dtype)), OkStatus());
  }
}

TEST(RecurrentOnGpu, RefusesWhatTheCpuRefuses) {
  auto arguments = LstmArguments({2, 3, 5}, DType::kFloat);
  arguments[3] = arguments[0];
  EXPECT_EQ(GpuAsCpu({"LSTMBlockCell", {}, arguments}, Tolerance()), OkStatus());
  auto all = LstmArguments({2, 3, 5}, DType::kFloat);
  all[0] = {Small(Shape({4, 2, 3}), DType::kFloat, 1)};
  all.insert(all.begin(), {Tensor::Scalar<int64_t>(5)});
  EXPECT_EQ(GpuAsCpu({"BlockLSTM", {}, all}, Tolerance()), OkStatus());
}

}  // namespace
}  // namespace warpbeam
