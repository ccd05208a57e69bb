// Scatters to variables and gathers from them on simulated GPUs: as on the CPU.
#include <string>
#include <vector>

#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"
#include "ops/state/testing/variable_op_check.h"

namespace warpbeam {
namespace {

// Numbers from 1 to 13, exact in every type.
Tensor Values(const Shape& shape, DType dtype, int seed) {
  std::vector<int64_t> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int64_t>((i * 7 + seed * 5) % 13) + 1;
  }
  auto cast = OpRunner("Cast")
                  .Attr("DstT", dtype)
                  .Input(Tensor::FromValues<int64_t>(shape, values))
                  .RunOne();
  EXPECT_TRUE(cast.ok()) << cast.status();
  return cast.ok() ? *cast : Tensor();
}

constexpr DType kFloats[] = {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble};
constexpr DType kIntegers[] = {DType::kInt8,   DType::kInt16,  DType::kInt64, DType::kUInt8,
                               DType::kUInt16, DType::kUInt32, DType::kUInt64};
const char* const kChanges[] = {"Update", "Add", "Sub", "Mul", "Div", "Min", "Max"};

Tensor Rows(DType dtype, std::initializer_list<int64_t> values) {
  auto cast = OpRunner("Cast").Attr("DstT", dtype).Input(Tensor::Vector<int64_t>(values)).RunOne();
  EXPECT_TRUE(cast.ok()) << cast.status();
  return cast.ok() ? *cast : Tensor();
}

TEST(ScatterOnGpu, RowsInOrder) {
  for (const std::string change : kChanges) {
    for (const DType index : {DType::kInt32, DType::kInt64}) {
      const Tensor rows = Rows(index, {2, 0, 2, 2, 3});
      for (const DType dtype : kFloats) {
        for (const char* kind : {"Scatter", "ResourceScatter"}) {
          const std::string op = kind + change;
          const Tensor value = Values(Shape({4, 3}), dtype, 1);
          EXPECT_EQ(GpuUpdatesAsCpu({op, {}, {value}, {rows, Values(Shape({5, 3}), dtype, 2)}}, {}),
                    OkStatus())
              << DTypeName(dtype);
          EXPECT_EQ(GpuUpdatesAsCpu({op, {}, {value}, {rows, Values(Shape(), dtype, 2)}}, {}),
                    OkStatus())
              << DTypeName(dtype);
        }
      }
      for (const DType dtype : kIntegers) {
        EXPECT_EQ(GpuUpdatesAsCpu({"ResourceScatter" + change,
                                   {},
                                   {Values(Shape({4, 300}), dtype, 1)},
                                   {rows, Values(Shape({5, 300}), dtype, 2)}},
                                  {}),
                  OkStatus())
            << DTypeName(dtype);
      }
    }
  }
}

TEST(ScatterOnGpu, TuplesOfAllLengths) {
  const Tensor whole = Tensor::FromValues<int32_t>(Shape({2, 0}), {});
  const Tensor rows = Tensor::FromValues<int32_t>(Shape({2, 2, 1}), {1, 0, 1, 2});
  const Tensor elements = Tensor::FromValues<int64_t>(Shape({3, 2}), {1, 1, 2, 0, 1, 1});
  for (const std::string change : {"Update", "Add", "Sub", "Min", "Max"}) {
    for (const DType dtype :
         {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble, DType::kInt16,
          DType::kUInt8, DType::kComplex64, DType::kComplex128}) {
      if (IsComplex(dtype) && change[0] == 'M') continue;
      for (const char* kind : {"ScatterNd", "ResourceScatterNd"}) {
        const std::string op = kind + change;
        const Tensor value = Values(Shape({3, 2}), dtype, 1);
        const auto check = [&](const Tensor& indices, const Shape& updates) {
          EXPECT_EQ(GpuUpdatesAsCpu({op, {}, {value}, {indices, Values(updates, dtype, 3)}}, {}),
                    OkStatus())
              << DTypeName(dtype) << updates.ToString();
        };
        check(whole, Shape({2, 3, 2}));
        check(rows, Shape({2, 2, 2}));
        check(elements, Shape({3}));
      }
    }
  }
}

TEST(ScatterOnGpu, MoreRowsThanALaunchOrders) {
  std::vector<int64_t> rows(20000);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int64_t>(i * i % 3);
  const Tensor updates = Values(Shape({20000}), DType::kFloat, 2);
  for (const GpuMode mode : GpuModes()) {
    GpuOpRunner runner("ResourceScatterUpdate", mode);
    runner.Variable(Tensor::Vector<float>({0, 0, 0})).Input(Tensor::Vector<int64_t>(rows));
    const auto value = runner.Input(updates).Run();
    ASSERT_TRUE(value.ok()) << value.status();
    std::vector<float> want(3);
    for (size_t i = 0; i < rows.size(); ++i) want[rows[i]] = updates.data<float>()[i];
    EXPECT_EQ(std::vector<float>(value->data<float>(), value->data<float>() + 3), want);
  }
}

TEST(ScatterOnGpu, LeavesOutWhatIsOutOfRangeAndDivisorsThatAreZero) {
  for (const GpuMode mode : GpuModes()) {
    GpuOpRunner divide("ResourceScatterDiv", mode);
    divide.Variable(Tensor::Vector<int64_t>({10, 20, 30, 40}));
    divide.Input(Tensor::Vector<int32_t>({-1, 0, 4, 1, 2}));
    const auto value = divide.Input(Tensor::Vector<int64_t>({5, 5, 5, 0, -1})).Run();
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(value->ToString(), Tensor::Vector<int64_t>({2, 20, -30, 40}).ToString());
  }
}

TEST(ScatterOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor value = Values(Shape({3, 2}), DType::kFloat, 1);
  const Tensor rows = Tensor::Vector<int32_t>({0, 1});
  const Tensor wrong = Values(Shape({2, 3}), DType::kFloat, 2);
  const Tensor scalar = Tensor::Scalar(1.0f);
  for (const char* op :
       {"ScatterAdd", "ResourceScatterAdd", "ScatterNdAdd", "ResourceScatterNdAdd"}) {
    EXPECT_EQ(GpuUpdatesAsCpu({op, {}, {value}, {rows, wrong}}, {}), OkStatus());
    EXPECT_EQ(GpuUpdatesAsCpu({op, {}, {scalar}, {rows, wrong}}, {}), OkStatus());
    EXPECT_EQ(GpuUpdatesAsCpu({op, {}, {Tensor()}, {rows, wrong}}, {}), OkStatus());
  }
}

TEST(GatherOnGpu, OfVariablesOfAllSizesOfElements) {
  const std::vector<std::pair<std::string, AttrValue>> batched = {{"batch_dims", 1}};
  for (const DType dtype : {DType::kUInt8, DType::kHalf, DType::kFloat, DType::kDouble,
                            DType::kComplex64, DType::kComplex128, DType::kInt64}) {
    for (const int width : {1, 3, 16}) {
      const Tensor value = Values(Shape({3, 4, width}), dtype, 1);
      std::vector<std::pair<std::string, AttrValue>> attrs = {{"dtype", dtype}};
      const auto check = [&](const char* op, const Tensor& indices) {
        EXPECT_EQ(GpuUpdatesAsCpu({op, attrs, {value}, {indices}}, {}), OkStatus())
            << DTypeName(dtype) << width;
      };
      check("ResourceGather", Tensor::FromValues<int32_t>(Shape({2, 2}), {2, 0, 1, 2}));
      check("ResourceGather", Tensor::Scalar<int64_t>(1));
      check("ResourceGather", Tensor::FromValues<int32_t>(Shape({0}), {}));
      if (!IsComplex(dtype)) {
        check("ResourceGatherNd", Tensor::FromValues<int64_t>(Shape({2, 2}), {2, 0, 1, 3}));
        check("ResourceGatherNd", Tensor::FromValues<int32_t>(Shape({2, 1}), {2, 1}));
        check("ResourceGatherNd", Tensor::FromValues<int32_t>(Shape({2, 0}), {}));
      }
      attrs.emplace_back("batch_dims", 1);
      check("ResourceGather", Tensor::FromValues<int32_t>(Shape({3, 2}), {2, 0, 1, 2, 3, 3}));
    }
  }
}

TEST(GatherOnGpu, GivesZerosForWhatIsOutOfRange) {
  for (const GpuMode mode : GpuModes()) {
    GpuOpRunner gather("ResourceGather", mode);
    gather.Attr("dtype", DType::kFloat).Variable(Tensor::Vector<float>({1, 2, 3}));
    const auto outputs = gather.Input(Tensor::Vector<int32_t>({2, -1, 3, 0})).RunAll();
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_EQ((*outputs)[0].ToString(), Tensor::Vector<float>({3, 0, 0, 1}).ToString());
  }
}

}  // namespace
}  // namespace warpbeam
