// Operations on sets that are rows of tensors.
#include <gtest/gtest.h>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

TEST(SetOperation, OfDenseRows) {
  const auto rows = [](const char* operation, OpTest&& test) -> OpTest& {
    return test.Attr("set_operation", std::string(operation))
        .Input<int32_t>({2, 3}, {3, 1, 1, 4, 5, 6})
        .Input<int32_t>({2, 2}, {1, 2, 4, 4});
  };
  rows("a-b", OpTest("DenseToDenseSetOperation"))
      .Expect<int64_t>({3, 2}, {0, 0, 1, 0, 1, 1})
      .Expect<int32_t>({3}, {3, 5, 6})
      .Expect<int64_t>({2}, {2, 2});
  rows("B-A", OpTest("DenseToDenseSetOperation"))
      .Expect<int64_t>({1, 2}, {0, 0})
      .Expect<int32_t>({1}, {2})
      .Expect<int64_t>({2}, {2, 1});
  rows("union", OpTest("DenseToDenseSetOperation"))
      .Expect<int64_t>({6, 2}, {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2})
      .Expect<int32_t>({6}, {1, 2, 3, 4, 5, 6})
      .Expect<int64_t>({2}, {2, 3});
  rows("intersection", OpTest("DenseToDenseSetOperation"))
      .Expect<int64_t>({2, 2}, {0, 0, 1, 0})
      .Expect<int32_t>({2}, {1, 4})
      .Expect<int64_t>({2}, {2, 1});
  rows("xor", OpTest("DenseToDenseSetOperation")).ExpectError(Code::kInvalidArgument, "xor");
}

TEST(SetOperation, RefusesRowsThatDoNotMatch) {
  OpTest("DenseToDenseSetOperation")
      .Attr("set_operation", std::string("union"))
      .Input<int32_t>({2, 1}, {1, 2})
      .Input<int32_t>({1, 1}, {1})
      .ExpectError(Code::kInvalidArgument);
  OpTest("DenseToDenseSetOperation")
      .Attr("set_operation", std::string("union"))
      .Input<int32_t>({2}, {1, 2})
      .Input<int32_t>({2}, {1, 2})
      .ExpectError(Code::kInvalidArgument, "two dimensions");
}

OpTest& DenseAndSparse(OpTest&& test, std::initializer_list<int64_t> indices, bool validate) {
  return test.Attr("set_operation", std::string("union"))
      .Attr("validate_indices", validate)
      .Input<int32_t>({2, 2}, {1, 2, 3, 4})
      .Input<int64_t>({2, 2}, indices)
      .Input<int32_t>({2}, {1, 9})
      .Input<int64_t>({2}, {2, 2});
}

TEST(SetOperation, ChecksSparseIndices) {
  DenseAndSparse(OpTest("DenseToSparseSetOperation"), {0, 0, 1, 1}, true)
      .Expect<int64_t>({5, 2}, {0, 0, 0, 1, 1, 0, 1, 1, 1, 2})
      .Expect<int32_t>({5}, {1, 2, 3, 4, 9})
      .Expect<int64_t>({2}, {2, 3});
  DenseAndSparse(OpTest("DenseToSparseSetOperation"), {0, 0, 2, 1}, true)
      .ExpectError(Code::kInvalidArgument, "out of bounds");
  DenseAndSparse(OpTest("DenseToSparseSetOperation"), {0, 0, 2, 1}, false)
      .ExpectError(Code::kInvalidArgument, "out of bounds");
  DenseAndSparse(OpTest("DenseToSparseSetOperation"), {1, 0, 0, 1}, true)
      .ExpectError(Code::kInvalidArgument, "out of order");
  DenseAndSparse(OpTest("DenseToSparseSetOperation"), {1, 0, 1, 0}, true)
      .ExpectError(Code::kInvalidArgument, "repeated");
}

TEST(SetOperation, OfSparseRowsSkipsEmptyGroups) {
  OpTest("SparseToSparseSetOperation")
      .Attr("set_operation", std::string("union"))
      .Input<int64_t>({2, 2}, {0, 0, 1, 1})
      .Input<std::string>({2}, {"a", "z"})
      .Input<int64_t>({2}, {4, 2})
      .Input<int64_t>({2, 2}, {0, 0, 3, 1})
      .Input<std::string>({2}, {"b", "c"})
      .Input<int64_t>({2}, {4, 4})
      .Expect<int64_t>({4, 2}, {0, 0, 0, 1, 1, 0, 3, 0})
      .Expect<std::string>({4}, {"a", "b", "z", "c"})
      .Expect<int64_t>({2}, {4, 2});
}

TEST(SetSize, CountsDifferentValues) {
  OpTest("SetSize")
      .Input<int64_t>({3, 2}, {0, 0, 0, 1, 2, 1})
      .Input<int32_t>({3}, {1, 1, 3})
      .Input<int64_t>({2}, {3, 2})
      .Expect<int32_t>({3}, {1, 0, 1});
  OpTest("SetSize")
      .Attr("validate_indices", false)
      .Input<int64_t>({1, 2}, {-1, 0})
      .Input<int32_t>({1}, {1})
      .Input<int64_t>({2}, {3, 2})
      .ExpectError(Code::kInvalidArgument, "out of bounds");
  OpTest("SetSize")
      .Input<int64_t>({1, 2}, {0, 0})
      .Input<int32_t>({1}, {1})
      .Input<int64_t>({2}, {int64_t{1} << 40, int64_t{1} << 40})
      .ExpectError(Code::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
