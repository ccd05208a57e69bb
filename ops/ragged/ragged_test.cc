// Ragged tensors: rows picked, made, and written as sparse and dense tensors.
#include <gtest/gtest.h>

#include <limits>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

Tensor Splits(std::initializer_list<int64_t> values) { return Tensor::Vector<int64_t>(values); }
Tensor Floats(std::initializer_list<float> values) { return Tensor::Vector<float>(values); }

OpTest& Gather(OpTest&& test, std::vector<Tensor> splits, Tensor indices, int rank) {
  return test.Attr("OUTPUT_RAGGED_RANK", rank)
      .InputList(std::move(splits))
      .Input(Floats({1, 2, 3}))
      .Input(std::move(indices));
}

TEST(RaggedGather, PicksRowsOfAnyLevel) {
  Gather(OpTest("RaggedGather"), {Splits({0, 2, 3})}, Splits({1, 0}), 1)
      .Expect<int64_t>({3}, {0, 1, 3})
      .Expect<float>({3}, {3, 1, 2});
  Gather(OpTest("RaggedGather"), {Splits({0, 2, 3})}, OpTest::Make<int64_t>({2, 1}, {1, 0}), 2)
      .Expect<int64_t>({3}, {0, 1, 2})
      .Expect<int64_t>({3}, {0, 1, 3})
      .Expect<float>({3}, {3, 1, 2});
  Gather(OpTest("RaggedGather"), {Splits({0, 1, 3}), Splits({0, 1, 1, 3})}, Splits({1}), 2)
      .Expect<int64_t>({2}, {0, 2})
      .Expect<int64_t>({3}, {0, 0, 2})
      .Expect<float>({2}, {2, 3});
}

TEST(RaggedGather, NoIndicesOfAnyExtent) {
  Gather(OpTest("RaggedGather"), {Splits({0, 2, 3})}, OpTest::Make<int64_t>({2, 0}, {}), 2)
      .Expect<int64_t>({3}, {0, 0, 0})
      .Expect<int64_t>({1}, {0})
      .Expect<float>({0}, {});
  Gather(OpTest("RaggedGather"), {Splits({0, 2, 3})},
         OpTest::Make<int64_t>({int64_t{1} << 50, 0}, {}), 2)
      .ExpectError(Code::kResourceExhausted);
}

TEST(RaggedGather, RefusesBadSplitsAndIndices) {
  const auto refused = [](Tensor splits, Tensor indices, int rank) {
    Gather(OpTest("RaggedGather"), {std::move(splits)}, std::move(indices), rank)
        .ExpectError(Code::kInvalidArgument);
  };
  refused(Splits({0, 2, 3}), Splits({2}), 1);
  refused(Splits({0, 2, 3}), Splits({-1}), 1);
  refused(Splits({0, 2, 1}), Splits({0}), 1);
  refused(Splits({0, 2, 4}), Splits({0}), 1);
  refused(Splits({}), Splits({0}), 1);
  refused(Splits({0, 2, 3}), Splits({0}), 2);
}

TEST(RaggedRange, CountsUpAndDown) {
  OpTest("RaggedRange")
      .Input<int32_t>({3}, {0, 5, 2})
      .Input<int32_t>({3}, {3, 2, 2})
      .Input<int32_t>({3}, {1, -2, 1})
      .Expect<int64_t>({4}, {0, 3, 5, 5})
      .Expect<int32_t>({5}, {0, 1, 2, 5, 3});
  const auto refused = [](int64_t start, int64_t limit, int64_t delta) {
    OpTest("RaggedRange")
        .Attr("Tsplits", DType::kInt32)
        .Scalar(start)
        .Scalar(limit)
        .Scalar(delta)
        .ExpectError(Code::kInvalidArgument);
  };
  refused(0, 1, 0);
  refused(0, int64_t{1} << 40, 1);
  refused(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), 1);
  OpTest("RaggedRange")
      .Scalar<float>(0)
      .Scalar<float>(std::numeric_limits<float>::infinity())
      .Scalar<float>(1)
      .ExpectError(Code::kInvalidArgument);
}

TEST(RaggedTensorToSparse, NumbersEveryElement) {
  OpTest("RaggedTensorToSparse")
      .InputList({Splits({0, 1, 3}), Splits({0, 1, 1, 3})})
      .Input(Floats({1, 2, 3}))
      .Expect<int64_t>({3, 3}, {0, 0, 0, 1, 1, 0, 1, 1, 1})
      .Expect<float>({3}, {1, 2, 3})
      .Expect<int64_t>({3}, {2, 2, 2});
  for (const Tensor& splits : {Splits({1, 3}), Splits({0, 2}), Splits({0, 4}), Splits({0, 3, 2})}) {
    OpTest("RaggedTensorToSparse")
        .InputList({splits})
        .Input(Floats({1, 2, 3}))
        .ExpectError(Code::kInvalidArgument);
  }
}

OpTest& Dense(OpTest&& test, std::vector<std::string> types, std::vector<Tensor> partitions,
              std::initializer_list<int64_t> shape) {
  return test.Attr("row_partition_types", std::move(types))
      .Input(Splits(shape))
      .Input(Floats({1, 2, 3}))
      .Input(Tensor::Scalar<float>(9))
      .InputList(std::move(partitions));
}

TEST(RaggedTensorToTensor, PadsAndCuts) {
  Dense(OpTest("RaggedTensorToTensor"), {"ROW_SPLITS"}, {Splits({0, 2, 3})}, {-1, -1})
      .Expect<float>({2, 2}, {1, 2, 3, 9});
  Dense(OpTest("RaggedTensorToTensor"), {"ROW_SPLITS"}, {Splits({0, 2, 3})}, {3, 1})
      .Expect<float>({3, 1}, {1, 3, 9});
  Dense(OpTest("RaggedTensorToTensor"), {"FIRST_DIM_SIZE", "VALUE_ROWIDS"},
        {Tensor::Scalar<int64_t>(3), Splits({0, 0, 2})}, {-1, -1})
      .Expect<float>({3, 2}, {1, 2, 9, 9, 3, 9});
  Dense(OpTest("RaggedTensorToTensor"), {"ROW_SPLITS", "ROW_SPLITS"},
        {Splits({0, 1, 3}), Splits({0, 1, 1, 3})}, {-1, -1, -1})
      .Expect<float>({2, 2, 2}, {1, 9, 9, 9, 9, 9, 2, 3});
}

TEST(RaggedTensorToTensor, RefusesBadPartitions) {
  Dense(OpTest("RaggedTensorToTensor"), {"ROWS"}, {Splits({0, 3})}, {-1, -1})
      .ExpectError(Code::kInvalidArgument, "ROWS");
  Dense(OpTest("RaggedTensorToTensor"), {"ROW_SPLITS"}, {Splits({0, 9})}, {-1, -1})
      .ExpectError(Code::kInvalidArgument);
  Dense(OpTest("RaggedTensorToTensor"), {"ROW_SPLITS"}, {Splits({0, 3, 2})}, {-1, -1})
      .ExpectError(Code::kInvalidArgument, "decrease");
  Dense(OpTest("RaggedTensorToTensor"), {"FIRST_DIM_SIZE", "VALUE_ROWIDS"},
        {Tensor::Scalar<int64_t>(2), Splits({0, 0, 2})}, {-1, -1})
      .ExpectError(Code::kInvalidArgument);
  Dense(OpTest("RaggedTensorToTensor"), {"ROW_SPLITS"}, {Splits({0, 2, 3})},
        {int64_t{1} << 40, int64_t{1} << 40})
      .ExpectError(Code::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
