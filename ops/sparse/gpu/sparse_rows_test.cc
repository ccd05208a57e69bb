// What moves the elements of sparse tensors on GPUs gives what it gives on the CPU: reordering,
// concatenation, splitting, slicing, filling of empty rows.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"

namespace warpbeam {
namespace {

constexpr DType kSizes[] = {DType::kBool, DType::kHalf, DType::kFloat, DType::kInt64};

Tensor Cast(const Tensor& x, DType dtype) {
  return OpRunner("Cast").Attr("DstT", dtype).Input(x).RunOne().value_or(Tensor());
}
Tensor Values(int64_t count, DType dtype) {
  std::vector<int32_t> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i % 101);
  return Cast(Tensor::Vector<int32_t>(values), dtype);
}
// Rows of two columns, in no order.
Tensor Rows(int64_t count, int64_t height, int64_t width) {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = i * 7919 % (height * width);
    indices.push_back(at / width);
    indices.push_back(at % width);
  }
  return Tensor::FromValues<int64_t>(Shape({count, 2}), indices);
}
Tensor Dims2(int64_t a, int64_t b) { return Tensor::Vector<int64_t>({a, b}); }

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
// Six rows out of every range, two of them equal.
Tensor OddRows() {
  return Tensor::FromValues<int64_t>(Shape({6, 2}),
                                     {kMost, 1, -kMost - 1, 2, 0, 3, 0, 3, -1, kMost, kMost, 0});
}

void ExpectAsOnCpu(const OpCall& call) {
  EXPECT_EQ(GpuAsCpu(call, Tolerance()), OkStatus()) << call.op;
}
void ExpectRefusedAlike(const OpCall& call) {
  OpRunner on_cpu(call.op);
  for (const auto& [name, value] : call.attrs) on_cpu.Attr(name, value);
  for (const auto& tensors : call.arguments) on_cpu.InputList(tensors);
  const Status refused = on_cpu.Run().status();
  ASSERT_FALSE(refused.ok());
  for (const GpuMode mode : GpuModes()) {
    GpuOpRunner on_gpu(call.op, mode);
    for (const auto& [name, value] : call.attrs) on_gpu.Attr(name, value);
    for (const auto& tensors : call.arguments) on_gpu.InputList(tensors);
    EXPECT_EQ(on_gpu.RunAll().status(), refused);
  }
}

TEST(SparseRowsOnGpu, Reorder) {
  for (const DType dtype : kSizes) {
    ExpectAsOnCpu({"SparseReorder", {}, {{Rows(9, 3, 4)}, {Values(9, dtype)}, {Dims2(3, 4)}}});
  }
  ExpectAsOnCpu({"SparseReorder",
                 {},
                 {{Rows(5000, 70, 90)}, {Values(5000, DType::kFloat)}, {Dims2(70, 90)}}});
  // Equal rows stay as they are, and no number is too large or too small.
  const Tensor huge = Dims2(kMost, kMost);
  ExpectAsOnCpu({"SparseReorder", {}, {{OddRows()}, {Values(6, DType::kFloat)}, {huge}}});
  const Tensor none = Tensor::FromValues<int64_t>(Shape({0, 2}), {});
  ExpectAsOnCpu({"SparseReorder", {}, {{none}, {Values(0, DType::kFloat)}, {Dims2(2, 2)}}});
  ExpectRefusedAlike(
      {"SparseReorder", {}, {{Rows(2, 3, 4)}, {Values(2, DType::kFloat)}, {Dims2(3, -4)}}});
  ExpectRefusedAlike(
      {"SparseReorder", {}, {{Rows(2, 3, 4)}, {Values(3, DType::kFloat)}, {Dims2(3, 4)}}});
}

OpCall Concat(DType dtype, int64_t axis, const Tensor& dims) {
  const Tensor none = Tensor::FromValues<int64_t>(Shape({0, 2}), {});
  return {"SparseConcat",
          {{"concat_dim", axis}},
          {{Rows(5, 3, 4), none, Rows(7, 3, 4)},
           {Values(5, dtype), Values(0, dtype), Values(7, dtype)},
           {Dims2(3, 4), Dims2(3, 4), dims}}};
}

TEST(SparseRowsOnGpu, Concat) {
  for (const DType dtype : {DType::kBool, DType::kHalf, DType::kFloat, DType::kComplex128}) {
    for (const int64_t axis : {0, 1, -1}) ExpectAsOnCpu(Concat(dtype, axis, Dims2(3, 4)));
  }
  ExpectRefusedAlike(Concat(DType::kFloat, 0, Dims2(3, 5)));
  ExpectRefusedAlike(Concat(DType::kFloat, 2, Dims2(3, 4)));
  ExpectRefusedAlike(Concat(DType::kFloat, 0, Dims2(std::numeric_limits<int64_t>::max(), 4)));
  ExpectRefusedAlike(Concat(DType::kFloat, 0, Dims2(-3, 4)));
  ExpectRefusedAlike(Concat(DType::kFloat, -3, Dims2(3, 4)));
}

// They are put in order as they are.
TEST(SparseRowsOnGpu, ConcatKeepsIndicesThatAreOutOfRange) {
  const Tensor out = Tensor::FromValues<int64_t>(Shape({3, 2}), {9, -7, -kMost, 2, 1, -kMost});
  for (const int64_t axis : {0, 1}) {
    ExpectAsOnCpu({"SparseConcat",
                   {{"concat_dim", axis}},
                   {{OddRows(), Rows(5, 3, 4), out},
                    {Values(6, DType::kFloat), Values(5, DType::kFloat), Values(3, DType::kFloat)},
                    {Dims2(3, 4), Dims2(3, 4), Dims2(3, 4)}}});
  }
}

// The CPU refuses these; a GPU would have to be waited for.
TEST(SparseRowsOnGpu, ConcatOfIndicesThatOverflowWrapsAround) {
  const auto rows = [](std::vector<int64_t> indices) {
    return Tensor::FromValues<int64_t>(Shape({1, 2}), indices);
  };
  for (const GpuMode mode : GpuModes()) {
    GpuOpRunner concat("SparseConcat", mode);
    concat.Attr("concat_dim", int64_t{0}).InputList({rows({1, 2}), rows({kMost, 3})});
    concat.InputList({Tensor::Vector<float>({5}), Tensor::Vector<float>({6})});
    const auto joined = concat.InputList({Dims2(3, 4), Dims2(3, 4)}).RunAll();
    ASSERT_TRUE(joined.ok()) << joined.status();
    const Tensor want = Tensor::FromValues<int64_t>(Shape({2, 2}), {-kMost + 1, 3, 1, 2});
    EXPECT_EQ(CompareTensors((*joined)[0], want, {}), OkStatus());
    EXPECT_EQ(CompareTensors((*joined)[1], Tensor::Vector<float>({6, 5}), {}), OkStatus());
  }
}

TEST(SparseRowsOnGpu, ConcatRefusesPartsThatDoNotFit) {
  const auto refused = [](const Tensor& rows, const Tensor& values, const Tensor& dims) {
    ExpectRefusedAlike(
        {"SparseConcat",
         {{"concat_dim", int64_t{0}}},
         {{Rows(5, 3, 4), rows}, {Values(5, DType::kFloat), values}, {Dims2(3, 4), dims}}});
  };
  const Tensor two = Values(2, DType::kFloat);
  refused(Rows(3, 3, 4), two, Dims2(3, 4));
  refused(Rows(2, 3, 4), Cast(Dims2(1, 2), DType::kFloat).Reshaped({2, 1}).value(), Dims2(3, 4));
  refused(Rows(2, 3, 4), two, Tensor::Vector<int64_t>({3, 4, 1}));
  refused(Rows(2, 3, 4), two, Tensor::Scalar<int64_t>(3));
  refused(Dims2(1, 2), two, Dims2(3, 4));
  const Tensor of_three = Tensor::FromValues<int64_t>(Shape({2, 3}), {0, 1, 2, 1, 1, 1});
  refused(of_three, two, Tensor::Vector<int64_t>({3, 4, 5}));
}

OpCall Split(const Tensor& indices, DType dtype, int64_t axis, int64_t parts) {
  return {
      "SparseSplit",
      {{"num_split", parts}},
      {{Tensor::Scalar<int64_t>(axis)}, {indices}, {Values(indices.dim(0), dtype)}, {Dims2(7, 5)}}};
}

TEST(SparseRowsOnGpu, Split) {
  for (const DType dtype : {DType::kBool, DType::kHalf, DType::kFloat, DType::kComplex128}) {
    for (const int64_t parts : {1, 2, 3, 5}) {
      ExpectAsOnCpu(Split(Rows(20, 7, 5), dtype, 0, parts));
      ExpectAsOnCpu(Split(Rows(20, 7, 5), dtype, 1, parts));
    }
  }
  ExpectAsOnCpu(Split(Tensor::FromValues<int64_t>(Shape({0, 2}), {}), DType::kFloat, 0, 3));
  ExpectRefusedAlike(Split(Rows(20, 7, 5), DType::kFloat, 0, 8));
  ExpectRefusedAlike(Split(Rows(20, 7, 5), DType::kFloat, 2, 2));
  ExpectRefusedAlike(
      Split(Tensor::FromValues<int64_t>(Shape({1, 2}), {0, 5}), DType::kFloat, 0, 2));
  ExpectRefusedAlike(
      Split(Tensor::FromValues<int64_t>(Shape({2, 2}), {0, 0, -1, 0}), DType::kFloat, 1, 2));
}

OpCall Slice(DType dtype, const Tensor& start, const Tensor& size) {
  return {
      "SparseSlice", {}, {{Rows(20, 7, 5)}, {Values(20, dtype)}, {Dims2(7, 5)}, {start}, {size}}};
}

TEST(SparseRowsOnGpu, Slice) {
  for (const DType dtype : {DType::kBool, DType::kHalf, DType::kFloat, DType::kComplex128}) {
    ExpectAsOnCpu(Slice(dtype, Dims2(2, 1), Dims2(3, 3)));
    ExpectAsOnCpu(Slice(dtype, Dims2(0, 0), Dims2(100, 100)));
    ExpectAsOnCpu(Slice(dtype, Dims2(-2, 1), Dims2(5, 2)));
    ExpectAsOnCpu(Slice(dtype, Dims2(9, 9), Dims2(1, 1)));
  }
  for (const Tensor& size : {Dims2(3, 4), Dims2(kMost, kMost)}) {
    ExpectAsOnCpu(
        {"SparseSlice",
         {},
         {{OddRows()}, {Values(6, DType::kFloat)}, {Dims2(3, 4)}, {Dims2(0, 0)}, {size}}});
  }
  ExpectRefusedAlike(Slice(DType::kFloat, Dims2(0, 0), Dims2(-1, 1)));
  ExpectRefusedAlike(Slice(DType::kFloat, Dims2(0, 0), Tensor::Vector<int64_t>({1})));
}

OpCall SliceGrad(const Tensor& dy, const std::vector<int64_t>& slice, const Tensor& start) {
  const int64_t rows = static_cast<int64_t>(slice.size()) / 2;
  return {"SparseSliceGrad",
          {},
          {{dy},
           {Tensor::FromValues<int64_t>(Shape({5, 2}), {0, 1, 1, 0, 1, 2, 2, 3, 4, 4})},
           {start},
           {Tensor::FromValues<int64_t>(Shape({rows, 2}), slice)}}};
}

TEST(SparseRowsOnGpu, SliceGradient) {
  for (const DType dtype : {DType::kInt8, DType::kHalf, DType::kFloat, DType::kComplex128}) {
    ExpectAsOnCpu(SliceGrad(Values(3, dtype), {0, 0, 0, 2, 1, 3}, Dims2(1, 0)));
    ExpectAsOnCpu(SliceGrad(Values(0, dtype), {}, Dims2(1, 0)));
  }
  ExpectRefusedAlike(SliceGrad(Values(2, DType::kFloat), {0, 0}, Dims2(1, 0)));
  ExpectRefusedAlike(SliceGrad(Values(1, DType::kFloat), {0, 0}, Tensor::Vector<int64_t>({1})));
}

// What a GPU does not see without waiting.
TEST(SparseRowsOnGpu, SliceGradientLeavesOutRowsThatAreNotThere) {
  for (const GpuMode mode : GpuModes()) {
    GpuOpRunner grad("SparseSliceGrad", mode);
    const OpCall call = SliceGrad(Tensor::Vector<float>({5, 6}), {0, 1, 1, 3}, Dims2(1, 0));
    for (const auto& tensors : call.arguments) grad.InputList(tensors);
    const auto dx = grad.Run();
    ASSERT_TRUE(dx.ok()) << dx.status();
    EXPECT_EQ(CompareTensors(*dx, Tensor::Vector<float>({0, 0, 0, 6, 0}), {}), OkStatus());
  }
}

OpCall Fill(const Tensor& indices, DType dtype, int64_t rows) {
  return {"SparseFillEmptyRows",
          {},
          {{indices},
           {Values(indices.dim(0), dtype)},
           {Dims2(rows, 5)},
           {Cast(Tensor::Scalar<int32_t>(1), dtype)}}};
}

TEST(SparseRowsOnGpu, FillEmptyRows) {
  const Tensor ordered = Tensor::FromValues<int64_t>(Shape({4, 2}), {1, 3, 1, 0, 4, 2, 7, 1});
  const Tensor none = Tensor::FromValues<int64_t>(Shape({0, 2}), {});
  for (const DType dtype : {DType::kBool, DType::kHalf, DType::kFloat, DType::kComplex128}) {
    ExpectAsOnCpu(Fill(ordered, dtype, 10));
    ExpectAsOnCpu(Fill(Rows(12, 7, 5), dtype, 9));
    ExpectAsOnCpu(Fill(none, dtype, 3));
  }
  ExpectAsOnCpu(Fill(none, DType::kFloat, 0));
  ExpectAsOnCpu(Fill(Rows(3000, 5000, 5), DType::kFloat, 5000));
  ExpectRefusedAlike(Fill(ordered, DType::kFloat, 7));
  ExpectRefusedAlike(Fill(Tensor::FromValues<int64_t>(Shape({1, 2}), {-1, 0}), DType::kFloat, 7));
}

OpCall RaggedFill(const std::vector<int64_t>& rows, int64_t nrows, const Tensor& fill) {
  return {"RaggedFillEmptyRows",
          {},
          {{Tensor::Vector<int64_t>(rows)},
           {Values(static_cast<int64_t>(rows.size()), fill.dtype())},
           {Tensor::Scalar<int64_t>(nrows)},
           {fill}}};
}

TEST(SparseRowsOnGpu, FillEmptyRowsOfRaggedTensors) {
  for (const DType dtype : {DType::kBool, DType::kHalf, DType::kFloat, DType::kComplex128}) {
    const Tensor fill = Cast(Tensor::Scalar<int32_t>(1), dtype);
    ExpectAsOnCpu(RaggedFill({0, 0, 3, 5}, 7, fill));
    ExpectAsOnCpu(RaggedFill({5, 0, 3, 0}, 7, fill));
    ExpectAsOnCpu(RaggedFill({}, 2, fill));
  }
  ExpectRefusedAlike(RaggedFill({0, 7}, 7, Tensor::Scalar<float>(1)));
  ExpectRefusedAlike(RaggedFill({0, 1}, 7, Tensor::Vector<float>({1})));
}

OpCall Reshape(const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  return {"SparseReshape",
          {},
          {{Rows(20, 6, 5)}, {Tensor::Vector<int64_t>(from)}, {Tensor::Vector<int64_t>(to)}}};
}

TEST(SparseRowsOnGpu, Reshape) {
  ExpectAsOnCpu(Reshape({6, 5}, {3, 2, 5}));
  ExpectAsOnCpu(Reshape({6, 5}, {-1}));
  ExpectAsOnCpu(Reshape({6, 5}, {6, 5}));
  ExpectAsOnCpu(Reshape({2, 2}, {4}));  // of indices out of bounds
  const Tensor none = Tensor::FromValues<int64_t>(Shape({0, 2}), {});
  ExpectAsOnCpu({"SparseReshape", {}, {{none}, {Dims2(0, 5)}, {Dims2(5, 0)}}});
  ExpectRefusedAlike(Reshape({6, 5}, {4, 5}));
  ExpectRefusedAlike(Reshape({6, 5, 1}, {30}));
  ExpectRefusedAlike(Reshape({6, 0}, {0}));
}

TEST(SparseRowsOnGpu, ReshapeKeepsIndicesThatAreOutOfRange) {
  for (const std::vector<int64_t>& to : {std::vector<int64_t>{4, 3}, {12}, {2, -1, 3}}) {
    ExpectAsOnCpu(
        {"SparseReshape", {}, {{OddRows()}, {Dims2(3, 4)}, {Tensor::Vector<int64_t>(to)}}});
  }
  ExpectAsOnCpu(
      {"SparseReshape", {}, {{OddRows()}, {Dims2(1, kMost)}, {Tensor::Vector<int64_t>({kMost})}}});
}

TEST(SparseRowsOnGpu, ReshapeRefusesShapesThatAreNone) {
  ExpectRefusedAlike(Reshape({6, 5}, {-1, -1}));
  ExpectRefusedAlike(Reshape({6, 5}, {-2, -15}));
  ExpectRefusedAlike(Reshape({6, 5}, {7, -1}));
  ExpectRefusedAlike(Reshape({6, 5}, {0, -1}));
  ExpectRefusedAlike(Reshape({6, 5}, {kMost, kMost}));
  ExpectRefusedAlike(Reshape({-6, -5}, {30}));
  ExpectRefusedAlike(Reshape({kMost, kMost}, {1}));
  ExpectRefusedAlike(Reshape({6, 5}, std::vector<int64_t>(300, 1)));
  const auto refused = [](const Tensor& rows, const Tensor& from, const Tensor& to) {
    ExpectRefusedAlike({"SparseReshape", {}, {{rows}, {from}, {to}}});
  };
  refused(Dims2(0, 1), Dims2(6, 5), Dims2(5, 6));
  refused(Rows(2, 6, 5), Dims2(6, 5), Tensor::Scalar<int64_t>(30));
  refused(Rows(2, 6, 5), Tensor::Scalar<int64_t>(30), Dims2(5, 6));
}

// A launch takes the strides of 64 dimensions along.
TEST(SparseRowsOnGpu, ReshapeOfMoreDimensionsThanALaunchTakes) {
  std::vector<int64_t> to(64, 1);
  to[7] = 30;
  ExpectAsOnCpu(Reshape({6, 5}, to));
  to.push_back(1);
  for (const GpuMode mode : GpuModes()) {
    GpuOpRunner reshape("SparseReshape", mode);
    for (const auto& tensors : Reshape({6, 5}, to).arguments) reshape.InputList(tensors);
    EXPECT_EQ(reshape.RunAll().status().code(), StatusCode::kUnimplemented);
  }
}

}  // namespace
}  // namespace warpbeam
