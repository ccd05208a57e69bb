// Sums, products, reductions and parts of sparse tensors, and what they refuse.
#include <gtest/gtest.h>

#include <limits>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using Code = StatusCode;
constexpr int64_t kHuge = int64_t{1} << 40;

// Values 1, 2 and -3 at [0,1], [1,0] and [1,2] of a matrix of 2 by 3.
OpTest& Three(OpTest&& test) {
  return test.Input<int64_t>({3, 2}, {0, 1, 1, 0, 1, 2})
      .Input<float>({3}, {1, 2, -3})
      .Input<int64_t>({2}, {2, 3});
}
// The same indices out of bounds, or another shape.
OpTest& Placed(OpTest&& test, std::initializer_list<int64_t> indices,
               std::initializer_list<int64_t> shape) {
  return test.Input<int64_t>({3, 2}, indices)
      .Input<float>({3}, {1, 2, -3})
      .Input(Tensor::Vector<int64_t>(shape));
}

TEST(SparseAdd, MergesAndDropsSmallSums) {
  Three(OpTest("SparseAdd"))
      .Input<int64_t>({2, 2}, {0, 0, 1, 2})
      .Input<float>({2}, {4, 3})
      .Input<int64_t>({2}, {2, 3})
      .Scalar<float>(0.5f)
      .Expect<int64_t>({3, 2}, {0, 0, 0, 1, 1, 0})
      .Expect<float>({3}, {4, 1, 2})
      .Expect<int64_t>({2}, {2, 3});
  Three(OpTest("SparseAdd"))
      .Input<int64_t>({1, 2}, {0, 0})
      .Input<float>({1}, {4})
      .Input<int64_t>({2}, {2, 4})
      .Scalar<float>(0)
      .ExpectError(Code::kInvalidArgument, "Operands' shapes do not match");
  Three(OpTest("SparseAdd"))
      .Input<int64_t>({1, 2}, {0, 0})
      .Input<float>({1}, {4})
      .Input<int64_t>({2}, {2, 3})
      .Input<float>({1}, {0})
      .ExpectError(Code::kInvalidArgument);
}

TEST(SparseAddGrad, FollowsEachOperand) {
  OpTest("SparseAddGrad")
      .Input<float>({2}, {1, 2})
      .Input<int64_t>({2, 2}, {0, 0, 0, 1})
      .Input<int64_t>({2, 2}, {0, 1, 1, 1})
      .Input<int64_t>({2, 2}, {0, 1, 1, 1})
      .Expect<float>({2}, {0, 1})
      .Expect<float>({2}, {1, 2});
  OpTest("SparseAddGrad")
      .Input<float>({3}, {1, 2, 3})
      .Input<int64_t>({1, 2}, {0, 0})
      .Input<int64_t>({1, 2}, {0, 1})
      .Input<int64_t>({2, 2}, {0, 1, 1, 1})
      .ExpectError(Code::kInvalidArgument);
}

TEST(SparseDenseCwise, SpreadsTheDenseTensorOnly) {
  Three(OpTest("SparseDenseCwiseMul")).Input<float>({3}, {2, 3, 4}).Expect<float>({3}, {3, 4, -12});
  Three(OpTest("SparseDenseCwiseDiv")).Scalar<float>(2).Expect<float>({3}, {0.5f, 1, -1.5f});
  Three(OpTest("SparseDenseCwiseAdd"))
      .Input<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6})
      .ExpectError(Code::kInvalidArgument,
                   "broadcasts dense to sparse only; got incompatible shapes: [2,3] vs. [1,2,3]");
  Placed(OpTest("SparseDenseCwiseAdd"), {0, 1, 1, 0, 1, 3}, {2, 3})
      .Scalar<float>(2)
      .ExpectError(Code::kInvalidArgument, "out of bounds");
  OpTest("SparseDenseCwiseDiv")
      .Input<int64_t>({2, 1}, {0, 1})
      .Input<int32_t>({2}, {std::numeric_limits<int32_t>::min(), 1})
      .Input<int64_t>({1}, {2})
      .Input<int32_t>({2}, {-1, 0})
      .ExpectError(Code::kInvalidArgument, "Integer division by zero");
}

TEST(SparseReduce, ToDenseAndToSparse) {
  Three(OpTest("SparseReduceSum")).Input<int32_t>({1}, {-1}).Expect<float>({2}, {1, -1});
  Three(OpTest("SparseReduceMax"))
      .Attr("keep_dims", true)
      .Input<int32_t>({1}, {0})
      .Expect<float>({1, 3}, {2, 1, -3});
  Three(OpTest("SparseReduceSum")).Input<int32_t>({2}, {0, 1}).Expect<float>({}, {0});
  Three(OpTest("SparseReduceSum"))
      .Input<int32_t>({0}, {})
      .Expect<float>({2, 3}, {0, 1, 0, 2, 0, -3});
  Three(OpTest("SparseReduceMaxSparse"))
      .Attr("keep_dims", true)
      .Scalar<int32_t>(1)
      .Expect<int64_t>({2, 2}, {0, 0, 1, 0})
      .Expect<float>({2}, {1, 2})
      .Expect<int64_t>({2}, {2, 1});
  Three(OpTest("SparseReduceSum"))
      .Scalar<int32_t>(2)
      .ExpectError(Code::kInvalidArgument,
                   "Invalid reduction dimension 2, for input with 2 dimensions.");
  Placed(OpTest("SparseReduceSum"), {0, 9, 1, 0, 1, 2}, {2, 3})
      .Scalar<int32_t>(0)
      .ExpectError(Code::kInvalidArgument, "out of bounds");
  Placed(OpTest("SparseReduceSum"), {0, 1, 1, 0, 1, 2}, {kHuge, kHuge})
      .Scalar<int32_t>(0)
      .ExpectError(Code::kInvalidArgument);
}

TEST(SparseReshape, FillsInTheOpenExtent) {
  const auto reshaped = [](OpTest&& test, std::initializer_list<int64_t> shape) -> OpTest& {
    return test.Input<int64_t>({2, 2}, {0, 1, 1, 2})
        .Input<int64_t>({2}, {2, 3})
        .Input(Tensor::Vector<int64_t>(shape));
  };
  reshaped(OpTest("SparseReshape"), {3, -1})
      .Expect<int64_t>({2, 2}, {0, 1, 2, 1})
      .Expect<int64_t>({2}, {3, 2});
  reshaped(OpTest("SparseReshape"), {-1, -1})
      .ExpectError(Code::kInvalidArgument, "only one output dimension may be -1, not both 0 and 1");
  reshaped(OpTest("SparseReshape"), {4, -1})
      .ExpectError(Code::kInvalidArgument, "requested shape requires a multiple of 4");
  reshaped(OpTest("SparseReshape"), {0, -1}).ExpectError(Code::kInvalidArgument);
  reshaped(OpTest("SparseReshape"), {-2, 3})
      .ExpectError(Code::kInvalidArgument, "size 0 must be non-negative, not -2");
  reshaped(OpTest("SparseReshape"), {kHuge, kHuge}).ExpectError(Code::kInvalidArgument);
}

TEST(SparseFillEmptyRows, FillsAndFlowsBack) {
  Placed(OpTest("SparseFillEmptyRows"), {2, 1, 0, 1, 0, 0}, {4, 3})
      .Scalar<float>(9)
      .Expect<int64_t>({5, 2}, {0, 1, 0, 0, 1, 0, 2, 1, 3, 0})
      .Expect<float>({5}, {2, -3, 9, 1, 9})
      .Expect<bool>({4}, {false, true, false, true})
      .Expect<int64_t>({3}, {3, 0, 1});
  Placed(OpTest("SparseFillEmptyRows"), {2, 1, 0, 1, 0, 0}, {2, 3})
      .Scalar<float>(9)
      .ExpectError(Code::kInvalidArgument, "row");
  Placed(OpTest("SparseFillEmptyRows"), {0, 1, 0, 1, 0, 0}, {int64_t{1} << 60, 3})
      .Scalar<float>(9)
      .ExpectError(Code::kInvalidArgument, "more bytes");
  OpTest("SparseFillEmptyRowsGrad")
      .Input<int64_t>({2}, {0, 2})
      .Input<float>({3}, {1, 2, 3})
      .Expect<float>({2}, {1, 3})
      .ExpectScalar<float>(2);
  OpTest("SparseFillEmptyRowsGrad")
      .Input<int64_t>({2}, {0, 3})
      .Input<float>({3}, {1, 2, 3})
      .ExpectError(Code::kInvalidArgument);
}

OpTest& FillRagged(std::initializer_list<int64_t> row_ids, std::initializer_list<float> values,
                   int64_t rows, OpTest&& test) {
  return test.Input(Tensor::Vector<int64_t>(row_ids))
      .Input(Tensor::Vector<float>(values))
      .Scalar<int64_t>(rows)
      .Scalar<float>(-1);
}

// As TensorFlow 2.21 has it.
TEST(RaggedFillEmptyRows, FillsAndFlowsBack) {
  FillRagged({2, 0, 2}, {1, 2, 3}, 4, OpTest("RaggedFillEmptyRows"))
      .Expect(Tensor::Vector<int64_t>({0, 1, 2, 2, 3}))
      .Expect(Tensor::Vector<float>({2, -1, 1, 3, -1}))
      .Expect(Tensor::Vector<bool>({false, true, false, true}))
      .Expect(Tensor::Vector<int64_t>({2, 0, 3}));
  FillRagged({}, {}, 2, OpTest("RaggedFillEmptyRows"))
      .Expect(Tensor::Vector<int64_t>({0, 1}))
      .Expect(Tensor::Vector<float>({-1, -1}))
      .Expect(Tensor::Vector<bool>({true, true}))
      .Expect(Tensor::Vector<int64_t>({}));
  const auto refused = [](std::initializer_list<int64_t> row_ids, int64_t rows) {
    FillRagged(row_ids, {1, 2, 3}, rows, OpTest("RaggedFillEmptyRows"))
        .ExpectError(Code::kInvalidArgument);
  };
  refused({0, 1, 4}, 4);
  refused({-1, 0, 1}, 4);
  refused({0, 1}, 4);
  refused({0, 1, 2}, -2);
  refused({0, 1, 2}, int64_t{1} << 60);
  OpTest("RaggedFillEmptyRowsGrad")
      .Input(Tensor::Vector<int64_t>({0, 2}))
      .Input(Tensor::Vector<float>({1, 2, 4, 8}))
      .Expect(Tensor::Vector<float>({1, 4}))
      .ExpectScalar<float>(10);
}

TEST(SparseConcat, MovesIndicesAlongTheAxis) {
  const auto joined = [](OpTest&& test, int axis, int64_t extent) -> OpTest& {
    return test.Attr("concat_dim", axis)
        .InputList({OpTest::Make<int64_t>({2, 2}, {0, 1, 1, 0}),
                    OpTest::Make<int64_t>({2, 2}, {1, 0, 0, 1})})
        .InputList({Tensor::Vector<float>({1, 2}), Tensor::Vector<float>({3, 4})})
        .InputList({Tensor::Vector<int64_t>({2, 2}), Tensor::Vector<int64_t>({2, extent})});
  };
  joined(OpTest("SparseConcat"), -1, 3)
      .Expect<int64_t>({4, 2}, {0, 1, 0, 3, 1, 0, 1, 2})
      .Expect<float>({4}, {1, 4, 2, 3})
      .Expect<int64_t>({2}, {2, 5});
  joined(OpTest("SparseConcat"), 0, 3)
      .ExpectError(Code::kInvalidArgument, "Input shapes must match");
  joined(OpTest("SparseConcat"), 2, 2).ExpectError(Code::kInvalidArgument);
  joined(OpTest("SparseConcat"), 1, std::numeric_limits<int64_t>::max())
      .ExpectError(Code::kInvalidArgument);
}

TEST(SparseSlice, CutsAndFlowsBack) {
  Three(OpTest("SparseSlice"))
      .Input<int64_t>({2}, {0, 1})
      .Input<int64_t>({2}, {2, std::numeric_limits<int64_t>::max()})
      .Expect<int64_t>({2, 2}, {0, 0, 1, 1})
      .Expect<float>({2}, {1, -3})
      .Expect<int64_t>({2}, {2, 2});
  Three(OpTest("SparseSlice"))
      .Input<int64_t>({2}, {0, 0})
      .Input<int64_t>({2}, {-1, 2})
      .ExpectError(Code::kInvalidArgument, "negative");
  Three(OpTest("SparseSlice"))
      .Input<int64_t>({1}, {0})
      .Input<int64_t>({1}, {1})
      .ExpectError(Code::kInvalidArgument);
  const auto back = [](OpTest&& test, std::initializer_list<int64_t> rows) -> OpTest& {
    return test.Input<float>({2}, {1, 2})
        .Input<int64_t>({3, 2}, {0, 1, 1, 0, 1, 2})
        .Input<int64_t>({2}, {1, 0})
        .Input<int64_t>({2, 2}, rows);
  };
  back(OpTest("SparseSliceGrad"), {0, 0, 0, 2}).Expect<float>({3}, {0, 1, 2});
  back(OpTest("SparseSliceGrad"), {0, 0, 0, 1}).ExpectError(Code::kInvalidArgument);
}

OpTest& Split(OpTest&& test, int parts) {
  return test.Attr("num_split", parts)
      .Scalar<int64_t>(-1)
      .Input<int64_t>({3, 2}, {0, 1, 1, 0, 1, 2})
      .Input<float>({3}, {1, 2, -3})
      .Input<int64_t>({2}, {2, 3});
}

TEST(SparseSplit, FirstPartsAreLarger) {
  Split(OpTest("SparseSplit"), 2)
      .Expect<int64_t>({2, 2}, {0, 1, 1, 0})
      .Expect<int64_t>({1, 2}, {1, 0})
      .Expect<float>({2}, {1, 2})
      .Expect<float>({1}, {-3})
      .Expect<int64_t>({2}, {2, 2})
      .Expect<int64_t>({2}, {2, 1});
  Split(OpTest("SparseSplit"), 4).ExpectError(Code::kInvalidArgument, "num_split");
}

}  // namespace
}  // namespace warpbeam
