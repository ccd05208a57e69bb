// Joined rows, their gradients and sparse products on simulated GPUs are what they are on the CPU.
#include <complex>
#include <limits>
#include <utility>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"

namespace warpbeam {
namespace {

constexpr DType kFloats[] = {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble};

Tensor CastTo(const Tensor& x, DType dtype) {
  return OpRunner("Cast").Attr("DstT", dtype).Input(x).RunOne().value_or(Tensor());
}
// From -2 to 2, in quarters.
Tensor Quarters(const Shape& shape, DType dtype, int seed = 7) {
  std::vector<double> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int>((i + 1) * seed % 17) / 4.0 - 2;
  return CastTo(Tensor::FromValues<double>(shape, values), dtype);
}
Tensor Index(const std::vector<int32_t>& values, DType dtype) {
  return CastTo(Tensor::Vector<int32_t>(values), dtype);
}
Tolerance ToleranceOf(DType dtype) {
  const double relative = dtype == DType::kHalf ? 2e-3 : dtype == DType::kBFloat16 ? 2e-2 : 1e-6;
  return {relative, relative};
}

TEST(SparseSegmentOnGpu, TypesOfAll) {
  for (const char* op : {"SparseSegmentSumWithNumSegments", "SparseSegmentMeanWithNumSegments",
                         "SparseSegmentSqrtNWithNumSegments"}) {
    for (const DType dtype : kFloats) {
      for (const DType index : {DType::kInt32, DType::kInt64}) {
        for (const DType segment : {DType::kInt32, DType::kInt64}) {
          const OpCall call = {op,
                               {},
                               {{Quarters(Shape({5, 3, 2}), dtype)},
                                {Index({4, 0, 0, 2, 3}, index)},
                                {Index({0, 0, 2, 2, 2}, segment)},
                                {Tensor::Scalar<int32_t>(4)}}};
          EXPECT_EQ(GpuAsCpu(call, ToleranceOf(dtype)), OkStatus()) << op << DTypeName(dtype);
        }
      }
    }
  }
}

TEST(SparseSegmentOnGpu, SegmentsThatTheLastRowCounts) {
  const std::vector<int32_t> none;
  for (const char* op : {"SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"}) {
    for (const DType dtype : kFloats) {
      for (const DType index : {DType::kInt32, DType::kInt64}) {
        for (const DType segment : {DType::kInt32, DType::kInt64}) {
          const Tensor x = Quarters(Shape({5, 3, 2}), dtype);
          const OpCall call = {
              op, {}, {{x}, {Index({4, 0, 0, 2, 3}, index)}, {Index({0, 0, 2, 2, 4}, segment)}}};
          EXPECT_EQ(GpuAsCpu(call, ToleranceOf(dtype)), OkStatus()) << op << DTypeName(dtype);
          const OpCall empty = {op, {}, {{x}, {Index(none, index)}, {Index(none, segment)}}};
          EXPECT_EQ(GpuAsCpu(empty, {}), OkStatus()) << op << DTypeName(dtype);
        }
      }
    }
  }
}

// In the words of the CPU.
void ExpectRefusedAlike(const char* op, const std::vector<Tensor>& inputs) {
  OpRunner on_cpu(op);
  for (const Tensor& input : inputs) on_cpu.Input(input);
  const Status refused = on_cpu.Run().status();
  ASSERT_FALSE(refused.ok());
  for (const GpuMode mode : GpuModes()) {
    GpuOpRunner on_gpu(op, mode);
    for (const Tensor& input : inputs) on_gpu.Input(input);
    EXPECT_EQ(on_gpu.RunAll().status(), refused);
  }
}

TEST(SparseSegmentOnGpu, RefusesRowsThatAreNotThereWhereItWaitsAnyway) {
  const Tensor x = Quarters(Shape({3, 2}), DType::kFloat);
  const auto refuses = [&](std::vector<int32_t> indices, std::vector<int32_t> segments) {
    ExpectRefusedAlike("SparseSegmentMean",
                       {x, Index(indices, DType::kInt32), Index(segments, DType::kInt32)});
  };
  refuses({0, 3}, {0, 1});
  refuses({0, -1}, {0, 1});
  refuses({0, 1}, {1, 0});
  refuses({0, 1}, {-1, 0});
  refuses({0, 1}, {0, 2147483647});
  refuses({0, 1}, {0});
}

TEST(SparseSegmentOnGpu, RefusesShapesThatDoNotFit) {
  const auto refuses = [](const Tensor& x, std::vector<int32_t> ids, int32_t count) {
    const OpCall call = {"SparseSegmentSumWithNumSegments",
                         {},
                         {{x},
                          {Index({0, 1}, DType::kInt32)},
                          {Index(ids, DType::kInt32)},
                          {Tensor::Scalar<int32_t>(count)}}};
    EXPECT_EQ(GpuAsCpu(call, {}), OkStatus());
  };
  refuses(Tensor::Scalar<float>(1), {0, 0}, 1);
  refuses(Quarters(Shape({3, 2}), DType::kFloat), {0}, 1);
  refuses(Quarters(Shape({3, 2}), DType::kFloat), {0, 0}, -1);
}

TEST(SparseSegmentOnGpu, LeavesOutRowsThatAreNotThere) {
  for (const GpuMode mode : GpuModes()) {
    const auto y = GpuOpRunner("SparseSegmentSumWithNumSegments", mode)
                       .Input(Tensor::Vector<float>({1, 2, 4}))
                       .Input(Index({0, 3, -1, 2}, DType::kInt32))
                       .Input(Index({0, 0, 1, 1}, DType::kInt32))
                       .Input(Tensor::Scalar<int32_t>(2))
                       .Run();
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(CompareTensors(*y, Tensor::Vector<float>({1, 4}), {}), OkStatus());
  }
}

TEST(SparseSegmentOnGpu, Gradients) {
  for (const char* op :
       {"SparseSegmentSumGrad", "SparseSegmentMeanGrad", "SparseSegmentSqrtNGrad"}) {
    for (const DType dtype : kFloats) {
      for (const DType index : {DType::kInt32, DType::kInt64}) {
        for (const int32_t rows : {6, 0}) {
          const std::vector<int32_t> picked = {4, 0, 0, 2, 3}, segments = {0, 0, 2, 2, 2};
          const std::vector<int32_t> none;
          const OpCall call = {op,
                               {},
                               {{Quarters(Shape({3, 4}), dtype)},
                                {Index(rows > 0 ? picked : none, index)},
                                {Index(rows > 0 ? segments : none, DType::kInt32)},
                                {Tensor::Scalar<int32_t>(rows)}}};
          EXPECT_EQ(GpuAsCpu(call, ToleranceOf(dtype)), OkStatus()) << op << DTypeName(dtype);
        }
      }
    }
  }
}

TEST(SparseSegmentOnGpu, GradientsLeaveOutRowsAndSegmentsThatAreNotThere) {
  for (const GpuMode mode : GpuModes()) {
    const auto dx = GpuOpRunner("SparseSegmentMeanGrad", mode)
                        .Input(Tensor::Vector<float>({6, 10}))
                        .Input(Tensor::Vector<int64_t>({0, -1, 3, 2, 1, 0}))
                        .Input(Tensor::Vector<int64_t>({0, 0, 0, 1, 2, -1}))
                        .Input(Tensor::Scalar<int32_t>(3))
                        .Run();
    ASSERT_TRUE(dx.ok()) << dx.status();
    // The first segment has three rows, though two of them are not there.
    EXPECT_EQ(CompareTensors(*dx, Tensor::Vector<float>({2, 0, 10}), {}), OkStatus());
  }
}

TEST(SparseSegmentOnGpu, GradientsOfPickedRows) {
  const std::vector<int32_t> picked = {4, 0, 0, 2, 4}, segments = {0, 0, 2, 2, 1}, none;
  for (const char* op :
       {"SparseSegmentSumGradV2", "SparseSegmentMeanGradV2", "SparseSegmentSqrtNGradV2"}) {
    for (const DType dtype : kFloats) {
      for (const DType index : {DType::kInt32, DType::kInt64}) {
        for (const bool has_rows : {true, false}) {
          const OpCall call = {op,
                               {},
                               {{Quarters(Shape({3, 4}), dtype)},
                                {Index(has_rows ? picked : none, index)},
                                {Index(has_rows ? segments : none, DType::kInt64)},
                                {Tensor::Scalar<int32_t>(has_rows ? 6 : 0)}}};
          EXPECT_EQ(GpuAsCpu(call, ToleranceOf(dtype)), OkStatus()) << op << DTypeName(dtype);
        }
      }
    }
  }
}

TEST(SparseSegmentOnGpu, GradientsOfPickedRowsRefuseWhatIsNotThere) {
  const auto refuses = [&](std::vector<int32_t> indices, std::vector<int32_t> segments,
                           int32_t rows) {
    ExpectRefusedAlike("SparseSegmentSumGradV2",
                       {Quarters(Shape({2, 3}), DType::kFloat), Index(indices, DType::kInt32),
                        Index(segments, DType::kInt32), Tensor::Scalar<int32_t>(rows)});
  };
  refuses({0, 3}, {0, 1}, 3);
  refuses({0, -1}, {0, 1}, 3);
  refuses({0, 1}, {0, 2}, 3);
  refuses({0, 1}, {-1, 1}, 3);
  refuses({0, 1}, {0, 1}, -3);
}

TEST(SparseProductOnGpu, TypesAndAdjoints) {
  for (const DType dtype :
       {DType::kHalf, DType::kFloat, DType::kDouble, DType::kComplex64, DType::kComplex128}) {
    const Tensor i = CastTo(Tensor::Scalar(std::complex<double>(1, 0.5)), dtype);
    const auto turned = [&](const Tensor& x) {
      return OpRunner("Mul").Input(x).Input(i).RunOne().value_or(Tensor());
    };
    for (const bool adjoint_a : {false, true}) {
      for (const bool adjoint_b : {false, true}) {
        const Tensor indices = Tensor::FromValues<int64_t>(Shape({4, 2}), {0, 1, 1, 0, 1, 1, 0, 1});
        const Tensor rows = turned(Quarters(adjoint_b ? Shape({5, 2}) : Shape({2, 5}), dtype, 5));
        for (const DType index : {DType::kInt32, DType::kInt64}) {
          const OpCall call = {"SparseTensorDenseMatMul",
                               {{"adjoint_a", adjoint_a}, {"adjoint_b", adjoint_b}},
                               {{CastTo(indices, index)},
                                {turned(Quarters(Shape({4}), dtype))},
                                {Tensor::Vector<int64_t>(adjoint_a ? std::vector<int64_t>{2, 3}
                                                                   : std::vector<int64_t>{3, 2})},
                                {rows}}};
          EXPECT_EQ(GpuAsCpu(call, ToleranceOf(dtype)), OkStatus())
              << DTypeName(dtype) << adjoint_a << adjoint_b;
        }
      }
    }
  }
}

// The CPU refuses such entries; what lies in a GPU's memory cannot be.
TEST(SparseProductOnGpu, LeavesOutEntriesOutsideOfTheMatrix) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  // Of a matrix of two rows and three columns, or, as an adjoint, of three and two.
  const std::vector<int64_t> entries = {0,  1, -1, 0,     2,     0,          0,
                                        -1, 1, 3,  kMost, kMost, -kMost - 1, 0};
  for (const bool adjoint : {false, true}) {
    std::vector<int64_t> indices = entries;
    for (size_t i = 0; adjoint && i < indices.size(); i += 2) std::swap(indices[i], indices[i + 1]);
    for (const GpuMode mode : GpuModes()) {
      const auto y = GpuOpRunner("SparseTensorDenseMatMul", mode)
                         .Attr("adjoint_a", adjoint)
                         .Input(Tensor::FromValues<int64_t>(Shape({7, 2}), indices))
                         .Input(Tensor::Vector<float>({2, 3, 4, 5, 6, 7, 8}))
                         .Input(Tensor::Vector<int64_t>(adjoint ? std::vector<int64_t>{3, 2}
                                                                : std::vector<int64_t>{2, 3}))
                         .Input(Tensor::FromValues<float>(Shape({3, 2}), {1, 10, 100, 1000, 1, 1}))
                         .Run();
      ASSERT_TRUE(y.ok()) << y.status();
      const Tensor want = Tensor::FromValues<float>(Shape({2, 2}), {200, 2000, 0, 0});
      EXPECT_EQ(CompareTensors(*y, want, {}), OkStatus()) << adjoint;
    }
  }
}

TEST(SparseProductOnGpu, RefusesWhatDoesNotFit) {
  const OpCall call = {"SparseTensorDenseMatMul",
                       {},
                       {{Tensor::FromValues<int64_t>(Shape({1, 2}), {0, 0})},
                        {Tensor::Vector<float>({1})},
                        {Tensor::Vector<int64_t>({2, 3})},
                        {Quarters(Shape({2, 2}), DType::kFloat)}}};
  EXPECT_EQ(GpuAsCpu(call, {}), OkStatus());
}

}  // namespace
}  // namespace warpbeam
