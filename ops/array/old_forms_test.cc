// Ops that graphs of early programs hold; values and refusals are TensorFlow's.
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor NineFloats() { return OpTest::Make<float>({3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8}); }

TEST(BatchMatrixTest, AsTheirSuccessors) {
  OpTest("BatchMatrixBandPart")
      .Input(NineFloats())
      .Scalar<int64_t>(1)
      .Scalar<int64_t>(0)
      .Expect<float>({3, 3}, {0, 0, 0, 3, 4, 0, 0, 7, 8});
  OpTest("BatchMatrixBandPart")
      .Input(NineFloats())
      .Scalar<int64_t>(4)
      .Scalar<int64_t>(0)
      .ExpectError(kInvalid, "num_lower");
  OpTest("BatchMatrixDiag").Input<float>({2}, {1, 2}).Expect<float>({2, 2}, {1, 0, 0, 2});
  OpTest("BatchMatrixDiagPart").Input(NineFloats()).Expect<float>({3}, {0, 4, 8});
  OpTest("BatchMatrixDiagPart").Input<float>({2}, {1, 2}).ExpectError(kInvalid);
  OpTest("BatchMatrixSetDiag")
      .Input(NineFloats())
      .Input<float>({3}, {7, 8, 9})
      .Expect<float>({3, 3}, {7, 1, 2, 3, 8, 5, 6, 7, 9});
  OpTest("BatchMatrixSetDiag").Input(NineFloats()).Input<float>({2}, {7, 8}).ExpectError(kInvalid);
}

TEST(InplaceTest, RowsCountRoundAndRound) {
  const Tensor ones = OpTest::Make<float>({3, 3}, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  OpTest("InplaceUpdate")
      .Input(NineFloats())
      .Input<int32_t>({3}, {1, -1, 1})
      .Input(ones)
      .Expect<float>({3, 3}, {0, 1, 2, 1, 1, 1, 1, 1, 1});
  OpTest("InplaceAdd")
      .Input(NineFloats())
      .Input<int32_t>({3}, {1, -1, 1})
      .Input(ones)
      .Expect<float>({3, 3}, {0, 1, 2, 5, 6, 7, 7, 8, 9});
  OpTest("InplaceSub")
      .Input(NineFloats())
      .Input<int32_t>({3}, {1, -1, 1})
      .Input(ones)
      .Expect<float>({3, 3}, {0, 1, 2, 1, 2, 3, 5, 6, 7});
  OpTest("InplaceUpdate")
      .Input(NineFloats())
      .Input<int32_t>({2}, {5, -7})
      .Input<float>({2, 3}, {0, 1, 2, 3, 4, 5})
      .Expect<float>({3, 3}, {0, 1, 2, 3, 4, 5, 3, 4, 5});
  OpTest("InplaceUpdate")
      .Input<std::string>({2}, {"a", "b"})
      .Input<int32_t>({1}, {1})
      .Input<std::string>({1}, {"c"})
      .Expect<std::string>({2}, {"a", "c"});
  OpTest("InplaceAdd")
      .Input<float>({0, 3}, {})
      .Input<int32_t>({1}, {1})
      .Input<float>({1, 3}, {1, 2, 3})
      .Expect<float>({0, 3}, {});
}

TEST(InplaceTest, Refusals) {
  const Tensor row = OpTest::Make<float>({1, 3}, {1, 2, 3});
  OpTest("InplaceAdd")
      .Input(NineFloats())
      .Input<int32_t>({1}, {1})
      .Input<float>({3}, {1, 2, 3})
      .ExpectError(kInvalid, "ranks differ");
  OpTest("InplaceAdd")
      .Input(NineFloats())
      .Scalar<int32_t>(1)
      .Input(row)
      .ExpectError(kInvalid, "i must be a vector");
  OpTest("InplaceAdd")
      .Input(NineFloats())
      .Input<int32_t>({2}, {1, 2})
      .Input(row)
      .ExpectError(kInvalid, "i and x shape doesn't match at index 0");
  OpTest("InplaceAdd")
      .Input(NineFloats())
      .Input<int32_t>({1}, {1})
      .Input<float>({1, 2}, {1, 2})
      .ExpectError(kInvalid, "x and v shape doesn't match at index 1");
  OpTest("InplaceUpdate")
      .Scalar<float>(1)
      .Input<int32_t>({1}, {1})
      .Scalar<float>(1)
      .ExpectError(kInvalid, "index 0");
  OpTest("InplaceAdd")
      .Input<bool>({2}, {true, false})
      .Input<int32_t>({1}, {1})
      .Input<bool>({1}, {true})
      .ExpectError(kInvalid, "Unsupported data type");
}

TEST(ParallelConcatTest, RowsAndRefusals) {
  const Tensor first = OpTest::Make<float>({1, 2}, {0, 1});
  const Tensor second = OpTest::Make<float>({1, 2}, {2, 3});
  OpTest("ParallelConcat")
      .Attr("shape", PartialShape({2, 2}))
      .InputList({first, second})
      .Expect<float>({2, 2}, {0, 1, 2, 3});
  OpTest("ParallelConcat")
      .Attr("shape", PartialShape({3, 2}))
      .InputList({first, second})
      .Expect<float>({3, 2}, {0, 1, 2, 3, 0, 0});
  OpTest("ParallelConcat")
      .Attr("shape", PartialShape({2, 3}))
      .InputList({first, second})
      .ExpectError(kInvalid, "");
  OpTest("ParallelConcat")
      .Attr("shape", PartialShape({6, 3}))
      .InputList({NineFloats(), NineFloats()})
      .ExpectError(kInvalid, "Size of first dimension must be 1");
  OpTest("ParallelConcat")
      .Attr("shape", PartialShape({-1, 2}))
      .InputList({first, second})
      .ExpectError(kInvalid, "");
}

// TensorFlow's own kernel can no longer be reached; the sums follow from Tile's definition.
TEST(TileGradTest, SumsRepetitions) {
  const Tensor x = OpTest::Make<double>({4, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  OpTest("TileGrad")
      .Input(x)
      .Input<int32_t>({2}, {2, 1})
      .Expect<double>({2, 3}, {6, 8, 10, 12, 14, 16});
  OpTest("TileGrad").Input(x).Input<int32_t>({2}, {2, 3}).Expect<double>({2, 1}, {24, 42});
  OpTest("TileGrad").Input(x).Input<int32_t>({2}, {1, 1}).Expect(x);
  OpTest("TileGrad").Input(x).Input<int32_t>({2}, {3, 1}).ExpectError(kInvalid, "divide");
  OpTest("TileGrad").Input(x).Input<int32_t>({2}, {0, 1}).ExpectError(kInvalid, "positive");
  OpTest("TileGrad").Input(x).Input<int32_t>({1}, {2}).ExpectError(kInvalid, "multiples");
}

TEST(GuaranteeConst, TakesNoVariable) {
  OpTest("GuaranteeConst").Scalar<float>(2).ExpectScalar<float>(2);
  const auto refused =
      OpRunner("GuaranteeConst").Input(Tensor::Scalar<ResourceHandle>(ResourceHandle())).Run();
  EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(refused.status().message().find("cannot be a resource variable"), std::string::npos);
}

}  // namespace
}  // namespace warpbeam
