// Ops that assign to variables and read them, on simulated GPUs: as on the CPU.
#include <string>
#include <vector>

#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "ops/launch/op_runner.h"
#include "ops/launch/type_list.h"
#include "ops/state/testing/variable_op_check.h"

namespace warpbeam {
namespace {

Tensor VariableValues(const Shape& shape, DType dtype, int seed) {
  std::vector<int64_t> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int64_t>((i * 37 + seed * 29) % 251);
  }
  auto cast = OpRunner("Cast")
                  .Attr("DstT", dtype)
                  .Input(Tensor::FromValues<int64_t>(shape, values))
                  .RunOne();
  EXPECT_TRUE(cast.ok()) << cast.status();
  return cast.ok() ? *cast : Tensor();
}

std::vector<DType> NumberTypes() {
  std::vector<DType> types;
  for (int i = 1; i < 32; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (kNumberTypes.contains(dtype) && TypeSetOf(NumberTypeList{}).contains(dtype)) {
      types.push_back(dtype);
    }
  }
  return types;
}

TEST(AssignOnGpu, GivesTheVariableTheValue) {
  for (const Shape& shape : {Shape(), Shape({3, 5}), Shape({0})}) {
    const Tensor before = VariableValues(shape, DType::kFloat, 1),
                 after = VariableValues(shape, DType::kFloat, 2);
    for (const char* op : {"Assign", "AssignVariableOp"}) {
      EXPECT_EQ(GpuUpdatesAsCpu({op, {}, {before}, {after}}, {}), OkStatus());
    }
  }
  const Tensor three = Tensor::Vector<float>({1, 2, 3}), two = Tensor::Vector<float>({4, 5});
  for (const bool validate : {false, true}) {
    for (const char* op : {"Assign", "AssignVariableOp"}) {
      EXPECT_EQ(GpuUpdatesAsCpu({op, {{"validate_shape", validate}}, {three}, {two}}, {}),
                OkStatus());
    }
  }
}

TEST(SumOnGpu, EveryTypeAndShape) {
  for (const DType dtype : NumberTypes()) {
    for (const Shape& shape : {Shape(), Shape({3, 5}), Shape({2, 4000}), Shape({0, 2})}) {
      const Tensor value = VariableValues(shape, dtype, 1), delta = VariableValues(shape, dtype, 2);
      for (const char* op : {"AssignAddVariableOp", "AssignSubVariableOp"}) {
        EXPECT_EQ(GpuUpdatesAsCpu({op, {}, {value}, {delta}}, {}), OkStatus())
            << DTypeName(dtype) << shape.ToString();
      }
      if (dtype == DType::kInt32 || IsComplex(dtype)) continue;  // not declared for GPUs
      for (const char* op : {"AssignAdd", "AssignSub"}) {
        EXPECT_EQ(GpuUpdatesAsCpu({op, {}, {value}, {delta}}, {}), OkStatus())
            << DTypeName(dtype) << shape.ToString();
      }
    }
  }
}

TEST(SumOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor three = Tensor::Vector<float>({1, 2, 3}), two = Tensor::Vector<float>({4, 5});
  for (const char* op : {"AssignAdd", "AssignSub", "AssignAddVariableOp", "AssignSubVariableOp"}) {
    EXPECT_EQ(GpuUpdatesAsCpu({op, {}, {three}, {two}}, {}), OkStatus());
    EXPECT_EQ(GpuUpdatesAsCpu({op, {}, {Tensor()}, {two}}, {}), OkStatus());
  }
}

TEST(SliceAssignOnGpu, WritesSlicesOfEverySize) {
  const auto ints = [](std::initializer_list<int32_t> values) {
    return Tensor::Vector<int32_t>(values);
  };
  for (const char* op : {"StridedSliceAssign", "ResourceStridedSliceAssign"}) {
    for (const DType dtype : {DType::kBool, DType::kHalf, DType::kFloat, DType::kComplex128}) {
      const auto check = [&](std::initializer_list<int32_t> begin,
                             std::initializer_list<int32_t> end,
                             std::initializer_list<int32_t> strides, const Shape& update) {
        const VariableOp call{
            op,
            {},
            {VariableValues(Shape({4, 5, 3}), dtype, 1)},
            {ints(begin), ints(end), ints(strides), VariableValues(update, dtype, 2)}};
        EXPECT_EQ(GpuUpdatesAsCpu(call, {}), OkStatus()) << DTypeName(dtype);
      };
      check({1, 0}, {3, 5}, {1, 2}, Shape({2, 3, 3}));
      check({3, 4, 2}, {0, 0, 0}, {-1, -2, -1}, Shape({3, 2, 2}));
      check({0, 1}, {4, 3}, {1, 1}, Shape({3}));  // broadcast
      check({0}, {4}, {1}, Shape());
      check({2}, {2}, {1}, Shape({0, 5, 3}));
      check({1}, {3}, {1}, Shape({7}));  // refused
    }
  }
}

TEST(VariablesOnGpu, AreReadAndAskedAfter) {
  const Tensor value = VariableValues(Shape({3, 5}), DType::kFloat, 1);
  EXPECT_EQ(GpuUpdatesAsCpu({"ReadVariableOp", {{"dtype", DType::kFloat}}, {value}, {}}, {}),
            OkStatus());
  EXPECT_EQ(GpuUpdatesAsCpu({"ReadVariableOp", {{"dtype", DType::kInt64}}, {value}, {}}, {}),
            OkStatus());
  EXPECT_EQ(GpuUpdatesAsCpu({"IsVariableInitialized", {}, {value}, {}}, {}), OkStatus());
}

}  // namespace
}  // namespace warpbeam
