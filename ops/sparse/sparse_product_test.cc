// Products and segments, and sparse tensors as strings.
#include <gtest/gtest.h>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

OpTest& Product(OpTest&& test, std::initializer_list<int64_t> indices) {
  return test.Input<int64_t>({2, 2}, indices).Input<float>({2}, {2, 3}).Input<int64_t>({2}, {2, 3});
}

TEST(SparseTensorDenseMatMul, OfEitherAdjoint) {
  Product(OpTest("SparseTensorDenseMatMul"), {0, 2, 1, 0})
      .Input<float>({3, 2}, {1, 2, 3, 4, 5, 6})
      .Expect<float>({2, 2}, {10, 12, 3, 6});
  Product(std::move(OpTest("SparseTensorDenseMatMul").Attr("adjoint_a", true)), {0, 2, 1, 0})
      .Input<float>({2, 1}, {1, 2})
      .Expect<float>({3, 1}, {6, 0, 2});
  Product(std::move(OpTest("SparseTensorDenseMatMul").Attr("adjoint_b", true)), {0, 2, 1, 0})
      .Input<float>({1, 3}, {1, 2, 3})
      .Expect<float>({2, 1}, {6, 3});
  Product(OpTest("SparseTensorDenseMatMul"), {0, 3, 1, 0})
      .Input<float>({3, 1}, {1, 2, 3})
      .ExpectError(Code::kInvalidArgument, "k (3) from index[0,1] out of bounds (>=3)");
  Product(OpTest("SparseTensorDenseMatMul"), {0, 2, 1, 0})
      .Input<float>({2, 1}, {1, 2})
      .ExpectError(Code::kInvalidArgument);
}

TEST(SparseTensorDenseAdd, AddsInPlace) {
  Product(OpTest("SparseTensorDenseAdd"), {0, 2, 0, 2})
      .Input<float>({2, 3}, {1, 1, 1, 1, 1, 1})
      .Expect<float>({2, 3}, {1, 1, 6, 1, 1, 1});
  Product(OpTest("SparseTensorDenseAdd"), {0, -1, 0, 2})
      .Input<float>({2, 3}, {1, 1, 1, 1, 1, 1})
      .ExpectError(Code::kInvalidArgument, "invalid index on dimension 1: a_indices(0,1) = -1");
  Product(OpTest("SparseTensorDenseAdd"), {0, 1, 0, 2})
      .Input<float>({3, 2}, {1, 1, 1, 1, 1, 1})
      .ExpectError(Code::kInvalidArgument, "a_shape");
}

OpTest& Segments(OpTest&& test, std::initializer_list<int32_t> indices,
                 std::initializer_list<int32_t> segments) {
  return test.Input<float>({3, 2}, {1, 2, 3, 4, 5, 6})
      .Input(Tensor::Vector<int32_t>(indices))
      .Input(Tensor::Vector<int32_t>(segments));
}

TEST(SparseSegment, JoinsPickedRows) {
  Segments(OpTest("SparseSegmentSum"), {0, 2, 1}, {0, 0, 2})
      .Expect<float>({3, 2}, {6, 8, 0, 0, 3, 4});
  Segments(OpTest("SparseSegmentMean"), {0, 2, 1}, {0, 0, 2})
      .Expect<float>({3, 2}, {3, 4, 0, 0, 3, 4});
  Segments(OpTest("SparseSegmentSqrtN"), {0, 0, 0, 0}, {0, 0, 0, 0}).Expect<float>({1, 2}, {2, 4});
  Segments(OpTest("SparseSegmentSumWithNumSegments"), {}, {})
      .Scalar<int32_t>(1)
      .Expect<float>({1, 2}, {0, 0});
  Segments(OpTest("SparseSegmentSum"), {3}, {0})
      .ExpectError(Code::kInvalidArgument, "indices[0] == 3 out of range [0, 3)");
  Segments(OpTest("SparseSegmentSum"), {0}, {-1})
      .ExpectError(Code::kInvalidArgument, "segment ids must be >= 0");
  Segments(OpTest("SparseSegmentSum"), {0, 1}, {1, 0})
      .ExpectError(Code::kInvalidArgument, "segment ids are not increasing");
  Segments(OpTest("SparseSegmentSum"), {0, 1, 2, 0}, {0, 1, 2, 0})
      .ExpectError(Code::kInvalidArgument, "Segment id 1 out of range [0, 1), possibly because");
  Segments(OpTest("SparseSegmentSum"), {0}, {INT32_MAX}).ExpectError(Code::kInvalidArgument);
  Segments(OpTest("SparseSegmentSum"), {0, 1}, {0}).ExpectError(Code::kInvalidArgument);
  Segments(OpTest("SparseSegmentMeanWithNumSegments"), {0}, {1})
      .Scalar<int32_t>(1)
      .ExpectError(Code::kInvalidArgument, "segment ids must be < num_segments");
}

TEST(SparseSegmentGrad, SumsByRow) {
  Segments(OpTest("SparseSegmentSumGrad"), {3, 1, 3}, {0, 1, 1})
      .Scalar<int32_t>(4)
      .Expect<float>({4, 2}, {0, 0, 3, 4, 0, 0, 4, 6});
  Segments(OpTest("SparseSegmentMeanGradV2"), {3, 1, 3}, {0, 1, 1})
      .Scalar<int32_t>(4)
      .Expect<float>({2, 2}, {1.5f, 2, 2.5f, 4})
      .Expect<int32_t>({2}, {1, 3});
  Segments(OpTest("SparseSegmentSumGrad"), {4}, {0})
      .Scalar<int32_t>(4)
      .ExpectError(Code::kInvalidArgument, "Index 4 out of range [0, 4)");
  Segments(OpTest("SparseSegmentSumGrad"), {0}, {3})
      .Scalar<int32_t>(4)
      .ExpectError(Code::kInvalidArgument, "Invalid number of segments");
  Segments(OpTest("SparseSegmentSumGrad"), {0}, {-1})
      .Scalar<int32_t>(4)
      .ExpectError(Code::kInvalidArgument, "Segment id -1 out of range [0, 3)");
}

TEST(SparseSoftmax, OverEachRow) {
  OpTest("SparseSoftmax")
      .Input<int64_t>({3, 2}, {0, 1, 1, 0, 1, 2})
      .Input<float>({3}, {1000, 2, 3})
      .Input<int64_t>({2}, {2, 3})
      .Expect<float>({3}, {1, 0.26894143f, 0.73105858f});
  OpTest("SparseSoftmax")
      .Input<int64_t>({1, 1}, {0})
      .Input<float>({1}, {1})
      .Input<int64_t>({1}, {2})
      .ExpectError(Code::kInvalidArgument, "two dimensions");
}

TEST(SerializeSparse, ComesBackAsABatch) {
  auto rows = OpRunner("SerializeManySparse")
                  .Input(OpTest::Make<int64_t>({2, 2}, {0, 0, 2, 1}))
                  .Input(Tensor::Vector<float>({2, 1}))
                  .Input(Tensor::Vector<int64_t>({3, 2}))
                  .RunOne();
  ASSERT_TRUE(rows.ok()) << rows.status();
  OpTest("DeserializeManySparse")
      .Attr("dtype", DType::kFloat)
      .Input(*rows)
      .Expect<int64_t>({2, 2}, {0, 0, 2, 1})
      .Expect<float>({2}, {2, 1})
      .Expect<int64_t>({2}, {3, 2});
  OpTest("DeserializeSparse")
      .Attr("dtype", DType::kInt32)
      .Input(*rows)
      .ExpectError(Code::kInvalidArgument, "dtype");
  OpTest("DeserializeManySparse")
      .Attr("dtype", DType::kFloat)
      .Input<std::string>({1, 3}, {"a", "b", "c"})
      .ExpectError(Code::kInvalidArgument);
  OpTest("SerializeManySparse")
      .Input<int64_t>({1, 2}, {3, 0})
      .Input<float>({1}, {1})
      .Input<int64_t>({2}, {3, 2})
      .ExpectError(Code::kInvalidArgument, "out of bounds");
}

}  // namespace
}  // namespace warpbeam
