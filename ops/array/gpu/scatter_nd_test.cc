// Scattering and gathering by tuples on simulated GPUs gives what it gives on the CPU; tuples out
// of range are left out.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/array/gpu/counting_tensor.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"

namespace warpbeam {
namespace {

// With one tuple twice, which an update must not have.
Tensor Tuples(bool distinct) {
  return Tensor::FromValues<int32_t>(Shape({3, 2}), {0, 1, 3, 2, distinct ? 2 : 0, 1});
}

TEST(ScatterNdOnGpu, GatherNd) {
  for (const DType dtype : {DType::kHalf, DType::kFloat, DType::kDouble, DType::kComplex128}) {
    for (const int64_t width : {1, 4, 7, 600}) {
      const Tensor params = CountingTensor(dtype, Shape({4, 3, width}));
      EXPECT_EQ(GpuAsCpu({"GatherNd", {}, {{params}, {Tuples(false)}}}, Tolerance()), OkStatus());
      const Tensor whole = *Tensor::Allocate(DType::kInt64, Shape({2, 0}));
      EXPECT_EQ(GpuAsCpu({"GatherNd", {}, {{params}, {whole}}}, Tolerance()), OkStatus());
    }
  }
}

TEST(ScatterNdOnGpu, SumsOfEachType) {
  for (const DType dtype :
       {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble, DType::kComplex64,
        DType::kComplex128, DType::kInt8, DType::kUInt8, DType::kInt16, DType::kUInt16,
        DType::kUInt32, DType::kInt64, DType::kUInt64}) {
    const Tensor updates = CountingTensor(dtype, Shape({3, 5}));
    const Tensor shape = Tensor::Vector<int32_t>({4, 3, 5});
    EXPECT_EQ(GpuAsCpu({"ScatterNd", {}, {{Tuples(false)}, {updates}, {shape}}}, Tolerance()),
              OkStatus())
        << DTypeName(dtype);
    const Tensor x = CountingTensor(dtype, Shape({4, 3, 5}));
    EXPECT_EQ(
        GpuAsCpu({"ScatterNdNonAliasingAdd", {}, {{x}, {Tuples(false)}, {updates}}}, Tolerance()),
        OkStatus());
  }
}

TEST(ScatterNdOnGpu, TensorScatters) {
  for (const DType dtype :
       {DType::kFloat, DType::kDouble, DType::kInt64, DType::kComplex64, DType::kComplex128}) {
    for (const int64_t width : {1, 4, 7, 600}) {
      const Tensor x = CountingTensor(dtype, Shape({4, 3, width}));
      const Tensor updates = CountingTensor(dtype, Shape({3, width}));
      for (const std::string op : {"TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub"}) {
        const Tensor tuples = Tuples(op == "TensorScatterUpdate");
        EXPECT_EQ(GpuAsCpu({op, {}, {{x}, {tuples}, {updates}}}, Tolerance()), OkStatus());
        EXPECT_EQ(GpuAsCpu({op, {}, {{x}, {tuples}, {x}}}, Tolerance()), OkStatus());
      }
    }
  }
}

TEST(SearchSortedOnGpu, EachTypeAndRowsOfNothing) {
  for (const DType dtype : {DType::kHalf, DType::kFloat, DType::kDouble, DType::kInt8,
                            DType::kUInt16, DType::kInt32, DType::kUInt64}) {
    const Tensor rows =
        *OpRunner("Cast")
             .Attr("DstT", dtype)
             .Input(Tensor::FromValues<double>(Shape({2, 5}), {1, 2, 2, 4, 9, 0, 3, 3, 3, 7}))
             .RunOne();
    const Tensor values =
        *OpRunner("Cast")
             .Attr("DstT", dtype)
             .Input(Tensor::FromValues<double>(Shape({2, 3}), {2, 0, 10, 3, 7, 5}))
             .RunOne();
    const Tensor empty = *Tensor::Allocate(dtype, Shape({2, 0}));
    for (const char* op : {"LowerBound", "UpperBound"}) {
      for (const DType out : {DType::kInt32, DType::kInt64}) {
        EXPECT_EQ(GpuAsCpu({op, {{"out_type", out}}, {{rows}, {values}}}, Tolerance()), OkStatus());
        EXPECT_EQ(GpuAsCpu({op, {{"out_type", out}}, {{empty}, {values}}}, Tolerance()),
                  OkStatus());
        EXPECT_EQ(GpuAsCpu({op, {{"out_type", out}}, {{rows}, {empty}}}, Tolerance()), OkStatus());
      }
      EXPECT_EQ(GpuAsCpu({op, {}, {{rows}, {Tensor::Vector<int32_t>({1})}}}, Tolerance()),
                OkStatus());
    }
  }
}

TEST(ScatterNdOnGpu, TuplesOutOfRange) {
  const Tensor tuples = Tensor::FromValues<int32_t>(Shape({3, 1}), {1, 2, -1});
  for (const GpuMode mode : GpuModes()) {
    const auto sums = GpuOpRunner("ScatterNd", mode)
                          .Input(tuples)
                          .Input(Tensor::Vector<float>({5, 6, 7}))
                          .Input(Tensor::Vector<int32_t>({2}))
                          .Run();
    ASSERT_TRUE(sums.ok()) << sums.status();
    EXPECT_EQ(std::vector<float>(sums->data<float>(), sums->data<float>() + 2),
              (std::vector<float>{0, 5}));
    const auto rows =
        GpuOpRunner("GatherNd", mode).Input(Tensor::Vector<float>({5, 6})).Input(tuples).Run();
    ASSERT_TRUE(rows.ok()) << rows.status();
    EXPECT_EQ(std::vector<float>(rows->data<float>(), rows->data<float>() + 3),
              (std::vector<float>{6, 0, 0}));
  }
}

}  // namespace
}  // namespace warpbeam
