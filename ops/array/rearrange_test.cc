// Ops that rearrange elements: joins, parts, blocks, diagonals.
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

TEST(Concat, AlongAnyAxis) {
  const Tensor a = OpTest::Make<float>({2, 1}, {1, 2}),
               b = OpTest::Make<float>({2, 2}, {3, 4, 5, 6});
  OpTest("ConcatV2")
      .InputList({a, b})
      .Scalar<int32_t>(-1)
      .Expect<float>({2, 3}, {1, 3, 4, 2, 5, 6});
  OpTest("ConcatV2")
      .InputList({b, b})
      .Scalar<int64_t>(0)
      .Expect<float>({4, 2}, {3, 4, 5, 6, 3, 4, 5, 6});
  OpTest("ConcatV2").InputList({a, b}).Scalar<int32_t>(0).ExpectError(Code::kInvalidArgument);
  OpTest("ConcatV2").InputList({a, b}).Scalar<int32_t>(2).ExpectError(Code::kInvalidArgument);
}

TEST(Split, IntoEqualAndUnequalParts) {
  OpTest("Split")
      .Attr("num_split", 2)
      .Scalar<int32_t>(1)
      .Input<int32_t>({1, 4}, {1, 2, 3, 4})
      .Expect<int32_t>({1, 2}, {1, 2})
      .Expect<int32_t>({1, 2}, {3, 4});
  OpTest("SplitV")
      .Attr("num_split", 2)
      .Input<int32_t>({3}, {1, 2, 3})
      .Input<int32_t>({2}, {-1, 2})
      .Scalar<int32_t>(0)
      .Expect<int32_t>({1}, {1})
      .Expect<int32_t>({2}, {2, 3});
  OpTest("Split")
      .Attr("num_split", 3)
      .Scalar<int32_t>(0)
      .Input<int32_t>({4}, {1, 2, 3, 4})
      .ExpectError(Code::kInvalidArgument);
}

// Around the borders of the tiles and blocks in which matrices are transposed.
template <typename T>
void TransposeMatrices(DType dtype) {
  for (const int64_t rows : {4, 7, 8, 9, 16, 17, 24, 31}) {
    for (const int64_t cols : {2, 8, 12, 15, 16, 25, 40}) {
      Tensor x = *Tensor::Allocate(dtype, {2, rows, cols});
      Tensor y = *Tensor::Allocate(dtype, {2, cols, rows});
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        const int64_t c = i % cols, r = i / cols % rows, n = i / cols / rows;
        x.data<T>()[i] = y.data<T>()[(n * cols + c) * rows + r] = static_cast<T>(i);
      }
      OpTest("Transpose").Input(x).Input<int32_t>({3}, {0, 2, 1}).Expect(y);
    }
  }
}
TEST(Transpose, OfAnySize) {
  TransposeMatrices<float>(DType::kFloat);
  TransposeMatrices<int32_t>(DType::kInt32);
  TransposeMatrices<int16_t>(DType::kInt16);
  TransposeMatrices<int64_t>(DType::kInt64);
}

TEST(Slices, WithMasksAndNegativeStrides) {
  OpTest("Slice")
      .Input<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6})
      .Input<int32_t>({2}, {0, 1})
      .Input<int32_t>({2}, {-1, 2})
      .Expect<int32_t>({2, 2}, {2, 3, 5, 6});
  OpTest("StridedSlice")
      .Attr("begin_mask", 1)
      .Attr("end_mask", 1)
      .Attr("shrink_axis_mask", 2)
      .Input<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6})
      .Input<int32_t>({2}, {0, -1})
      .Input<int32_t>({2}, {0, 0})
      .Input<int32_t>({2}, {-1, 1})
      .Expect<int32_t>({2}, {6, 3});
  constexpr int64_t kFar = int64_t{1} << 62;
  OpTest("StridedSlice")
      .Input<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6})
      .Input<int64_t>({2}, {0, 1})
      .Input<int64_t>({2}, {2, 3})
      .Input<int64_t>({2}, {kFar, 1})
      .Expect<int32_t>({1, 2}, {2, 3});
  OpTest("StridedSlice")
      .Input<int32_t>({3}, {1, 2, 3})
      .Input<int32_t>({1}, {0})
      .Input<int32_t>({1}, {2})
      .Input<int32_t>({1}, {0})
      .ExpectError(Code::kInvalidArgument);
}

TEST(Gather, RowsColumnsAndBatches) {
  const Tensor m = OpTest::Make<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  OpTest("GatherV2")
      .Input(m)
      .Input<int32_t>({2}, {1, 1})
      .Scalar<int32_t>(0)
      .Expect<float>({2, 3}, {4, 5, 6, 4, 5, 6});
  OpTest("GatherV2")
      .Attr("batch_dims", 1)
      .Input(m)
      .Input<int64_t>({2, 1}, {2, 0})
      .Scalar<int32_t>(1)
      .Expect<float>({2, 1}, {3, 4});
  OpTest("GatherV2")
      .Input(m)
      .Input<int32_t>({1}, {2})
      .Scalar<int32_t>(0)
      .ExpectError(Code::kInvalidArgument);
  OpTest("GatherNd").Input(m).Input<int32_t>({2, 2}, {0, 2, 1, 0}).Expect<float>({2}, {3, 4});
  OpTest("GatherNd")
      .Input<float>({0, 3}, {})
      .Input<int32_t>({1, 2}, {0, 0})
      .ExpectError(Code::kInvalidArgument,
                   "Requested more than 0 entries, but params is empty.  Params shape: [0,3]");
  OpTest("GatherNd").Input<float>({0, 3}, {}).Input<int32_t>({0, 2}, {}).Expect<float>({0}, {});
  OpTest("GatherNd").Input<float>({2, 0}, {}).Input<int32_t>({1, 1}, {1}).Expect<float>({1, 0}, {});
}

TEST(SpaceAndDepth, AreInverse) {
  const Tensor plane = OpTest::Make<int32_t>({1, 2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor deep = OpTest::Make<int32_t>({1, 1, 2, 4}, {1, 2, 5, 6, 3, 4, 7, 8});
  OpTest("SpaceToDepth").Attr("block_size", 2).Input(plane).Expect(deep);
  OpTest("DepthToSpace").Attr("block_size", 2).Input(deep).Expect(plane);
  OpTest("SpaceToDepth").Attr("block_size", 3).Input(plane).ExpectError(Code::kInvalidArgument);
}

TEST(SpaceAndBatch, PadAndCrop) {
  const Tensor x = OpTest::Make<float>({1, 3, 1}, {1, 2, 3});
  const Tensor blocks = OpTest::Make<float>({2, 2, 1}, {0, 2, 1, 3});
  OpTest("SpaceToBatchND")
      .Input(x)
      .Input<int32_t>({1}, {2})
      .Input<int32_t>({1, 2}, {1, 0})
      .Expect(blocks);
  OpTest("BatchToSpaceND")
      .Input(blocks)
      .Input<int32_t>({1}, {2})
      .Input<int32_t>({1, 2}, {1, 0})
      .Expect(x);
  OpTest("SpaceToBatch")
      .Attr("block_size", 2)
      .Input<float>({1, 2, 2, 1}, {1, 2, 3, 4})
      .Input<int32_t>({2, 2}, {0, 0, 0, 0})
      .Expect<float>({4, 1, 1, 1}, {1, 2, 3, 4});
  OpTest("SpaceToBatchND")
      .Input(x)
      .Input<int32_t>({1}, {2})
      .Input<int32_t>({1, 2}, {0, 0})
      .ExpectError(Code::kInvalidArgument);
  OpTest("BatchToSpaceND")
      .Input(blocks)
      .Input<int32_t>({1}, {2})
      .Input<int32_t>({1, 2}, {3, 3})
      .ExpectError(Code::kInvalidArgument);
}

TEST(Diag, OfVectorsAndMatrices) {
  OpTest("Diag").Input<float>({2}, {1, 2}).Expect<float>({2, 2}, {1, 0, 0, 2});
  OpTest("DiagPart").Input<float>({2, 2}, {1, 3, 4, 2}).Expect<float>({2}, {1, 2});
  OpTest("DiagPart").Input<float>({2, 3}, {1, 2, 3, 4, 5, 6}).ExpectError(Code::kInvalidArgument);
  OpTest("MatrixDiag").Input<float>({1, 2}, {1, 2}).Expect<float>({1, 2, 2}, {1, 0, 0, 2});
  OpTest("MatrixBandPart")
      .Input<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})
      .Scalar<int64_t>(1)
      .Scalar<int64_t>(0)
      .Expect<float>({3, 3}, {1, 0, 0, 4, 5, 0, 0, 8, 9});
}

TEST(Diag, BandsStandWhereAlignSays) {
  const Tensor m = OpTest::Make<float>({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6});
  OpTest("MatrixDiagPartV3")  // RIGHT_LEFT
      .Input(m)
      .Input<int32_t>({2}, {-1, 2})
      .Scalar<float>(0)
      .Expect<float>({4, 3}, {0, 3, 8, 2, 7, 6, 1, 6, 7, 5, 8, 0});
  OpTest("MatrixDiagPartV3")
      .Attr("align", "LEFT_RIGHT")
      .Input(m)
      .Input<int32_t>({2}, {-1, 2})
      .Scalar<float>(9)
      .Expect<float>({4, 3}, {3, 8, 9, 2, 7, 6, 1, 6, 7, 9, 5, 8});
  OpTest("MatrixDiagV3")
      .Input<float>({2, 2}, {0, 7, 1, 2})
      .Input<int32_t>({2}, {0, 1})
      .Scalar<int32_t>(-1)
      .Scalar<int32_t>(-1)
      .Scalar<float>(-1)
      .Expect<float>({2, 2}, {1, 7, -1, 2});
  OpTest("MatrixSetDiagV2")
      .Input<float>({2, 3}, {0, 0, 0, 0, 0, 0})
      .Input<float>({2}, {5, 6})
      .Scalar<int32_t>(1)
      .Expect<float>({2, 3}, {0, 5, 0, 0, 0, 6});
  OpTest("MatrixDiagPartV2")
      .Input(m)
      .Scalar<int32_t>(4)
      .Scalar<float>(0)
      .ExpectError(Code::kInvalidArgument);
}

TEST(SearchSorted, BoundsAndTuples) {
  const Tensor sorted = OpTest::Make<float>({1, 4}, {1, 2, 2, 5});
  OpTest("LowerBound")
      .Input(sorted)
      .Input<float>({1, 3}, {2, 0, 9})
      .Expect<int32_t>({1, 3}, {1, 0, 4});
  OpTest("UpperBound")
      .Input(sorted)
      .Input<float>({1, 3}, {2, 0, 9})
      .Expect<int32_t>({1, 3}, {3, 0, 4});
  OpTest("UnravelIndex")
      .Input<int32_t>({2}, {5, 3})
      .Input<int32_t>({2}, {2, 3})
      .Expect<int32_t>({2, 2}, {1, 1, 2, 0});
  OpTest("UnravelIndex")
      .Input<int32_t>({0}, {})
      .Input<int32_t>({2}, {2, 3})
      .ExpectError(Code::kInvalidArgument, "received empty tensor indices");
  const auto refused = [](int32_t index, const std::vector<int32_t>& dims, const char* text) {
    OpTest("UnravelIndex")
        .Scalar<int32_t>(index)
        .Input(Tensor::Vector<int32_t>(dims))
        .ExpectError(Code::kInvalidArgument, text);
  };
  refused(6, {2, 3}, "index is out of bound as with dims");
  refused(1, {2, 0}, "dims cannot contain a dim of zero, but dims contains zero at index 1");
  refused(1, {-2, 3}, "Input dims cannot be negative. Got dim = -2 at index 0");
  refused(1, {1 << 20, 1 << 20}, "Input dims product is causing integer overflow");
  OpTest("UnravelIndex")
      .Scalar<int64_t>((int64_t{1} << 20) + 5)
      .Input<int64_t>({2}, {1 << 20, 1 << 20})
      .Expect<int64_t>({2}, {1, 5});
  OpTest("UnravelIndex")
      .Input<int32_t>({1, 1}, {1})
      .Input<int32_t>({2}, {2, 3})
      .ExpectError(Code::kInvalidArgument, "The indices can only be scalar or vector");
}

// In TensorFlow's words, for programs match them.
TEST(ReshapeTest, WhatDoesNotFit) {
  const auto refused = [](const std::vector<int32_t>& shape, const char* text) {
    OpTest("Reshape")
        .Input<float>({4}, {1, 2, 3, 4})
        .Input(Tensor::Vector<int32_t>(shape))
        .ExpectError(Code::kInvalidArgument, text);
  };
  refused({3, 7}, "Input to reshape is a tensor with 4 values, but the requested shape has 21");
  refused({3, -1}, "a tensor with 4 values, but the requested shape requires a multiple of 3");
  refused({-1, -1}, "Only one input size may be -1, not both 0 and 1");
  refused({4, -2}, "Size 1 must be non-negative, not -2");
}

// TensorFlow leaves such an extent open; a graph whose branch is never run may rely on it.
TEST(ReshapeTest, NothingFollowsForAnOpenExtentBesideOneOfZero) {
  auto graph = std::make_shared<Graph>();
  const auto constant = [&](Tensor value) {
    return OutputRef{(*AddConstant(graph.get(), "c", std::move(value)))->id(), 0};
  };
  NodeBuilder reshape(graph.get(), "Reshape");
  const auto open = reshape.Input(constant(OpTest::Make<float>({2, 0}, {})))
                        .Input(constant(Tensor::Vector<int32_t>({-1, 0, 2})))
                        .BuildOutput();
  ASSERT_TRUE(open.ok()) << open.status();
  NodeBuilder sum(graph.get(), "AddN");
  const auto summed =
      sum.Input({*open, constant(OpTest::Make<float>({3, 0, 2}, {}))}).BuildOutput();
  EXPECT_TRUE(summed.ok()) << summed.status();
}

// What takes a vector of one for a scalar, and what does not.
TEST(Arguments, OfOneElement) {
  const auto f = [](float value) { return Tensor::Vector<float>({value}); };
  const auto n = [](int32_t value) { return Tensor::Vector<int32_t>({value}); };
  constexpr auto kInvalid = Code::kInvalidArgument;
  const Tensor two = Tensor::Vector<int32_t>({2, 3});
  OpTest("ConcatOffset").Input(n(0)).InputList({two, two}).ExpectError(kInvalid, "scalar");
  OpTest("OneHot").Input(n(1)).Input(n(2)).Scalar<float>(1).Scalar<float>(0).ExpectError(kInvalid);
  OpTest("OneHot").Input(n(1)).Scalar<int32_t>(2).Input(f(1)).Scalar<float>(0).ExpectError(
      kInvalid);
  OpTest("LinSpace").Scalar<float>(1).Scalar<float>(2).Input(n(3)).ExpectError(kInvalid);
  OpTest("UniqueV2").Input(n(1)).Scalar<int32_t>(0).ExpectError(kInvalid, "1D vector");
  OpTest("Bincount")
      .Input(n(1))
      .Input(n(2))
      .Input(OpTest::Make<float>({0}, {}))
      .ExpectError(kInvalid);
  const Tensor m = OpTest::Make<float>({2, 2}, {1, 2, 3, 4});
  OpTest("MatrixDiagPartV2").Input(m).Scalar<int32_t>(0).Input(f(0)).Expect<float>({2}, {1, 4});
}

}  // namespace
}  // namespace warpbeam
