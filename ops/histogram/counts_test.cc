// Counts by row; values and refusals are TensorFlow's.
#include <utility>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor Longs(std::initializer_list<int64_t> values) { return Tensor::Vector<int64_t>(values); }
Tensor Ints(std::initializer_list<int32_t> values) { return Tensor::Vector<int32_t>(values); }
Tensor NoWeights() { return OpTest::Make<float>({0}, {}); }
Tensor FiveValues() { return Ints({1, 1, 4, 0, 9}); }

OpTest& RaggedBincount(OpTest&& test, Tensor splits, Tensor values, Tensor size, Tensor weights) {
  return test.Input(std::move(splits))
      .Input(std::move(values))
      .Input(std::move(size))
      .Input(std::move(weights));
}

TEST(RaggedBincount, Values) {
  const char* op = "RaggedBincount";
  const Tensor splits = Longs({0, 3, 3, 5}), size = Tensor::Scalar<int32_t>(5);
  RaggedBincount(OpTest(op), splits, FiveValues(), size, NoWeights())
      .Expect<float>({3, 5}, {0, 2, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0});
  RaggedBincount(OpTest(op), splits, FiveValues(), size, Tensor::Vector<float>({.5f, 1, 2, 3, 4}))
      .Expect<float>({3, 5}, {0, 1.5f, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0});
  RaggedBincount(OpTest(op), splits, FiveValues(), size, Longs({5, 1, 2, 3, 4}))
      .Attr("binary_output", true)
      .Expect<int64_t>({3, 5}, {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0});
  // Splits that go back.
  RaggedBincount(OpTest(op), Longs({0, 4, 3, 5}), FiveValues(), size, NoWeights())
      .Expect<float>({3, 5}, {1, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST(RaggedBincount, Refusals) {
  const auto refused = [](Tensor splits, Tensor values, Tensor size, Tensor weights,
                          const char* message) {
    RaggedBincount(OpTest("RaggedBincount"), std::move(splits), std::move(values), std::move(size),
                   std::move(weights))
        .ExpectError(kInvalid, message);
  };
  const Tensor splits = Longs({0, 3, 3, 5}), size = Tensor::Scalar<int32_t>(5);
  refused(splits, Ints({1, -1, 4, 0, 9}), size, NoWeights(), "non-negative");
  refused(Longs({1, 3, 3, 5}), FiveValues(), size, NoWeights(), "start with 0");
  refused(Longs({0, 3, 3, 4}), FiveValues(), size, NoWeights(), "end with the number of values");
  refused(OpTest::Make<int64_t>({0}, {}), FiveValues(), size, NoWeights(), "non-empty");
  refused(splits, FiveValues(), Tensor::Scalar<int32_t>(-1), NoWeights(), "non-negative");
  refused(splits, FiveValues(), Ints({3}), NoWeights(), "");
  // TensorFlow reads past their end.
  refused(splits, FiveValues(), size, Tensor::Vector<float>({1, 2}), "weights");
}

Tensor Places() { return OpTest::Make<int64_t>({3, 2}, {0, 1, 0, 2, 2, 0}); }

OpTest& SparseBincount(OpTest&& test, Tensor indices, Tensor values, Tensor shape,
                       Tensor weights = NoWeights(), int32_t size = 4) {
  return test.Input(std::move(indices))
      .Input(std::move(values))
      .Input(std::move(shape))
      .Scalar<int32_t>(size)
      .Input(std::move(weights));
}

TEST(SparseBincount, Values) {
  const char* op = "SparseBincount";
  const Tensor values = Ints({1, 1, 3}), shape = Longs({3, 4});
  SparseBincount(OpTest(op), Places(), values, shape)
      .Expect<float>({3, 4}, {0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  SparseBincount(OpTest(op), Places(), values, shape, Tensor::Vector<float>({.5f, 1, 2}))
      .Expect<float>({3, 4}, {0, 1.5f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2});
  SparseBincount(OpTest(op), Places(), Ints({1, 9, 3}), shape)
      .Expect<float>({3, 4}, {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  SparseBincount(OpTest(op), OpTest::Make<int64_t>({3, 1}, {0, 3, 5}), values, Longs({6}))
      .Attr("binary_output", true)
      .Expect<float>({4}, {0, 1, 0, 1});
}

TEST(SparseBincount, Refusals) {
  const auto refused = [](Tensor indices, Tensor values, Tensor shape, int32_t size = 4) {
    SparseBincount(OpTest("SparseBincount"), std::move(indices), std::move(values),
                   std::move(shape), NoWeights(), size)
        .ExpectError(kInvalid);
  };
  const Tensor values = Ints({1, 1, 3}), shape = Longs({3, 4});
  refused(OpTest::Make<int64_t>({3, 2}, {0, 1, 0, 2, 7, 0}), values, shape);
  refused(OpTest::Make<int64_t>({3, 2}, {0, 1, 0, 2, -1, 0}), values, shape);
  refused(Longs({0, 1, 2}), values, shape);
  refused(Places(), Ints({1, 1}), shape);
  refused(Places(), values, Longs({3}));
  refused(Places(), values, Longs({-3, 4}));
  refused(Places(), values, shape, -1);
  // TensorFlow writes before the beginning.
  refused(Places(), Ints({1, -1, 3}), shape);
}

OpTest& Counts(OpTest&& test, std::initializer_list<Tensor> inputs, Tensor weights = NoWeights(),
               int64_t least = -1, int64_t most = -1, bool binary = false) {
  test.Attr("minlength", least).Attr("maxlength", most).Attr("binary_output", binary);
  for (const Tensor& input : inputs) test.Input(input);
  return test.Input(std::move(weights));
}

TEST(DenseCountSparseOutput, Values) {
  const char* op = "DenseCountSparseOutput";
  const Tensor x = OpTest::Make<int32_t>({2, 3}, {1, 1, 4, 0, 9, 2});
  Counts(OpTest(op), {x})
      .Expect<int64_t>({5, 2}, {0, 1, 0, 4, 1, 0, 1, 2, 1, 9})
      .Expect<float>({5}, {2, 1, 1, 1, 1})
      .Expect(Longs({2, 10}));
  Counts(OpTest(op), {x}, OpTest::Make<float>({2, 3}, {.5f, 1, 2, 3, 4, 5}), 12)
      .Expect<int64_t>({5, 2}, {0, 1, 0, 4, 1, 0, 1, 2, 1, 9})
      .Expect<float>({5}, {1.5f, 2, 3, 5, 4})
      .Expect(Longs({2, 12}));
  Counts(OpTest(op), {x}, NoWeights(), 12, 4, true)
      .Expect<int64_t>({3, 2}, {0, 1, 1, 0, 1, 2})
      .Expect<float>({3}, {1, 1, 1})
      .Expect(Longs({2, 4}));
  Counts(OpTest(op), {Ints({3, 3, 1})}, Longs({5, 6, 7}))
      .Expect<int64_t>({2, 1}, {1, 3})
      .Expect(Longs({7, 11}))
      .Expect(Longs({4}));
  Counts(OpTest(op), {OpTest::Make<int32_t>({2, 0}, {})})
      .Expect<int64_t>({0, 2}, {})
      .Expect<float>({0}, {})
      .Expect(Longs({2, 1}));
  Counts(OpTest(op), {OpTest::Make<int32_t>({1, 2}, {1, -1})}).ExpectError(kInvalid);
  Counts(OpTest(op), {Ints({-5, 1})}, NoWeights(), -1, 4).ExpectError(kInvalid, "non-negative");
  Counts(OpTest(op), {x}, Tensor::Vector<float>({1, 2})).ExpectError(kInvalid, "same shape");
  Counts(OpTest(op), {OpTest::Make<int32_t>({1, 1, 1}, {1})}).ExpectError(kInvalid);
  Counts(OpTest(op), {Tensor::Scalar<int32_t>(1)}).ExpectError(kInvalid);
  Counts(OpTest(op), {OpTest::Make<int32_t>({0, 2}, {})}).ExpectError(kInvalid);
  Counts(OpTest(op), {Longs({0x7fffffffffffffff})}).ExpectError(kInvalid);
}

TEST(SparseCountSparseOutput, Values) {
  const char* op = "SparseCountSparseOutput";
  const Tensor values = Ints({1, 1, 3}), shape = Longs({3, 4});
  Counts(OpTest(op), {Places(), values, shape})
      .Expect<int64_t>({2, 2}, {0, 1, 2, 3})
      .Expect<float>({2}, {2, 1})
      .Expect(shape);
  Counts(OpTest(op), {OpTest::Make<int64_t>({3, 1}, {0, 3, 5}), values, Longs({6})})
      .Expect<int64_t>({2, 1}, {1, 3})
      .Expect<float>({2}, {2, 1})
      .Expect(Longs({4}));
  Counts(OpTest(op), {OpTest::Make<int64_t>({0, 2}, {}), Ints({}), shape})
      .Expect<int64_t>({0, 2}, {})
      .Expect<float>({0}, {})
      .Expect(Longs({3, 1}));
  Counts(OpTest(op), {Places(), Ints({1, -1, 3}), shape}).ExpectError(kInvalid, "non-negative");
  Counts(OpTest(op), {OpTest::Make<int64_t>({3, 2}, {0, 1, 0, 9, 2, 0}), values, shape})
      .ExpectError(kInvalid, "dimension 1 has value 9");
  Counts(OpTest(op), {Longs({0, 1, 2}), values, shape}).ExpectError(kInvalid, "2-dimensional");
  Counts(OpTest(op), {Places(), Ints({1, 1}), shape}).ExpectError(kInvalid, "Number of values");
  Counts(OpTest(op), {Places(), values, Longs({3})}).ExpectError(kInvalid, "Number of dimensions");
  Counts(OpTest(op), {Places(), values, shape}, Tensor::Vector<float>({1, 2}))
      .ExpectError(kInvalid, "same shape");
}

TEST(RaggedCountSparseOutput, Values) {
  const char* op = "RaggedCountSparseOutput";
  const Tensor splits = Longs({0, 3, 3, 5});
  Counts(OpTest(op), {splits, FiveValues()}, Tensor::Vector<float>({.5f, 1, 2, 3, 4}))
      .Expect<int64_t>({4, 2}, {0, 1, 0, 4, 2, 0, 2, 9})
      .Expect<float>({4}, {1.5f, 2, 3, 4})
      .Expect(Longs({3, 10}));
  Counts(OpTest(op), {splits, FiveValues()}, NoWeights(), 1, 3)
      .Expect<int64_t>({2, 2}, {0, 1, 2, 0})
      .Expect<float>({2}, {2, 1})
      .Expect(Longs({3, 3}));
  Counts(OpTest(op), {Longs({0, 3, 9, 5}), FiveValues()})
      .Expect<int64_t>({4, 2}, {0, 1, 0, 4, 1, 0, 1, 9})
      .Expect<float>({4}, {2, 1, 1, 1})
      .Expect(Longs({3, 10}));
  Counts(OpTest(op), {Longs({1, 3, 3, 5}), FiveValues()}).ExpectError(kInvalid, "start with 0");
  Counts(OpTest(op), {Longs({0, 3, 3, 4}), FiveValues()}).ExpectError(kInvalid, "end with");
  Counts(OpTest(op), {Longs({5}), FiveValues()}).ExpectError(kInvalid, "at least 2");
  Counts(OpTest(op), {splits, Ints({1, -1, 4, 0, 9})}).ExpectError(kInvalid, "non-negative");
}

}  // namespace
}  // namespace warpbeam
