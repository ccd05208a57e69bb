// Crosses of features, against what TensorFlow 2.21 gives.
#include <gtest/gtest.h>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor Ints(std::initializer_list<int64_t> values) { return Tensor::Vector<int64_t>(values); }
Tensor Texts(std::initializer_list<std::string> values) {
  return Tensor::Vector<std::string>(values);
}

struct Sparse {
  Tensor indices, values, shape;
};
Sparse Letters() {
  return {OpTest::Make<int64_t>({3, 2}, {0, 0, 1, 0, 1, 1}), Texts({"a", "b", "c"}), Ints({2, 2})};
}
Sparse Numbers() {
  return {OpTest::Make<int64_t>({2, 2}, {0, 0, 1, 0}), Ints({5, -7}), Ints({2, 1})};
}
Tensor DenseTexts() { return OpTest::Make<std::string>({2, 2}, {"x", "y", "z", "w"}); }
Tensor DenseNumbers() { return OpTest::Make<int64_t>({2, 1}, {1, 2}); }

OpTest& Columns(OpTest&& test, const std::vector<Sparse>& sparse, std::vector<Tensor> dense) {
  std::vector<Tensor> indices, values, shapes;
  for (const Sparse& s : sparse) {
    indices.push_back(s.indices);
    values.push_back(s.values);
    shapes.push_back(s.shape);
  }
  return test.InputList(indices).InputList(values).InputList(shapes).InputList(std::move(dense));
}

OpTest& Crossed(OpTest&& test, const std::vector<Sparse>& sparse, std::vector<Tensor> dense,
                bool is_hashed, int64_t buckets = 0, DType internal = DType::kInt64) {
  test.Attr("hashed_output", is_hashed)
      .Attr("num_buckets", buckets)
      .Attr("hash_key", int64_t{0xDECAFCAFFE})
      .Attr("out_type", is_hashed ? DType::kInt64 : DType::kString)
      .Attr("internal_type", internal);
  return Columns(std::move(test), sparse, std::move(dense));
}

Tensor SixRows() { return OpTest::Make<int64_t>({6, 2}, {0, 0, 0, 1, 1, 0, 1, 1, 1, 2, 1, 3}); }

// A graph may say any number of sparse columns, whatever it has of their values.
TEST(SparseCrossTest, EachSparseColumnHasIndicesValuesAndShape) {
  const Sparse letters = Letters();
  const auto list = [](const Tensor& t, int n) { return std::vector<Tensor>(n, t); };
  for (const int columns : {0, 1, 2, 9}) {
    for (const int values : {0, 1, 2, 3}) {
      if (columns == values) continue;
      for (const char* op : {"SparseCross", "SparseCrossV2", "SparseCrossHashed"}) {
        OpTest test(op);
        test.Attr("N", int64_t{columns}).Attr("dense_types", std::vector<DType>{DType::kString});
        test.Attr("sparse_types", std::vector<DType>(values, DType::kString));
        test.InputList(list(letters.indices, columns)).InputList(list(letters.values, values));
        test.InputList(list(letters.shape, columns)).InputList({DenseTexts()});
        if (op == std::string("SparseCross")) {
          test.Attr("hashed_output", false).Attr("num_buckets", int64_t{0});
          test.Attr("hash_key", int64_t{1}).Attr("out_type", DType::kString);
          test.Attr("internal_type", DType::kString);
        } else if (op == std::string("SparseCrossV2")) {
          test.Scalar<std::string>("-");
        } else {
          test.Scalar<int64_t>(0).Scalar<bool>(false).Input(Ints({1, 2}));
        }
        test.ExpectError(kInvalid, "input values, got");
      }
    }
  }
}

TEST(SparseCrossTest, Texts) {
  Crossed(OpTest("SparseCross"), {Letters(), Numbers()}, {DenseTexts()}, false)
      .Expect(SixRows())
      .Expect(
          Texts({"a_X_5_X_x", "a_X_5_X_y", "b_X_-7_X_z", "b_X_-7_X_w", "c_X_-7_X_z", "c_X_-7_X_w"}))
      .Expect(Ints({2, 4}));
  Columns(OpTest("SparseCrossV2"), {Letters(), Numbers()}, {DenseTexts(), DenseNumbers()})
      .Scalar<std::string>("-")
      .Expect(SixRows())
      .Expect(Texts({"a-5-x-1", "a-5-y-1", "b--7-z-2", "b--7-w-2", "c--7-z-2", "c--7-w-2"}))
      .Expect(Ints({2, 4}));
}

TEST(SparseCrossTest, Hashes) {
  Crossed(OpTest("SparseCross"), {Letters(), Numbers()}, {DenseTexts(), DenseNumbers()}, true)
      .Expect(SixRows())
      .Expect(Ints({6762923258655002096, 7375033493083657, 8181727923904774587, 7072325880567519063,
                    6437031843122799451, 439568648420865971}))
      .Expect(Ints({2, 4}));
  Crossed(OpTest("SparseCross"), {Letters(), Numbers()}, {DenseTexts(), DenseNumbers()}, true, 100)
      .Expect(SixRows())
      .Expect(Ints({3, 64, 94, 63, 51, 78}))
      .Expect(Ints({2, 4}));
}

OpTest& Hashed(OpTest&& test, const std::vector<Sparse>& sparse, std::vector<Tensor> dense,
               int64_t buckets, bool is_strong, Tensor salt = Ints({1, 2})) {
  return Columns(std::move(test), sparse, std::move(dense))
      .Scalar<int64_t>(buckets)
      .Scalar<bool>(is_strong)
      .Input(std::move(salt));
}

TEST(SparseCrossTest, HashesWithoutAKey) {
  const std::vector<Tensor> dense = {DenseTexts(), DenseNumbers()};
  Hashed(OpTest("SparseCrossHashed"), {Letters(), Numbers()}, dense, 0, false)
      .Expect(SixRows())
      .Expect(Ints({9160589315546692690, 8864620540839693627, 7811909375801382550,
                    3179798909796158060, 2813896572939414810, 7175516912970808419}))
      .Expect(Ints({2, 4}));
  Hashed(OpTest("SparseCrossHashed"), {Letters(), Numbers()}, dense, 100, false)
      .Expect(SixRows())
      .Expect(Ints({97, 27, 57, 67, 10, 26}))
      .Expect(Ints({2, 4}));
  Hashed(OpTest("SparseCrossHashed"), {Letters()}, {DenseTexts()}, -5, false)
      .Expect(SixRows())
      .Expect(Ints({598440913169127831, 6036059348631970633, 758483755180493739,
                    2437742232572484795, 1621918656961971918, 4162198233228194460}))
      .Expect(Ints({2, 4}));
}

TEST(SparseCrossTest, HashesWithAKey) {
  Hashed(OpTest("SparseCrossHashed"), {Letters()}, {}, 0, true)
      .Expect(Letters().indices)
      .Expect(Ints({5158252350249958646, 2697063185742112377, 2255874150188557349}))
      .Expect(Ints({2, 2}));
  Hashed(OpTest("SparseCrossHashed"), {Numbers()}, {}, 0, true)
      .Expect(Numbers().indices)
      .Expect(Ints({112910862072883125, 7874144444654787628}))
      .Expect(Ints({2, 1}));
  Hashed(OpTest("SparseCrossHashed"), {Letters()}, {DenseTexts()}, 0, true)
      .Expect(SixRows())
      .Expect(Ints({7324330830475149127, 708031238239218187, 7972300759776895163,
                    996217404291021818, 6568955687041374298, 8770754301739087473}))
      .Expect(Ints({2, 4}));
}

OpTest& Joined(const std::vector<Sparse>& sparse, std::vector<Tensor> dense, OpTest&& test) {
  return Columns(std::move(test), sparse, std::move(dense)).Scalar<std::string>("_");
}

TEST(SparseCrossTest, RowsThatLackAFeatureHaveNoCross) {
  const Sparse one = {OpTest::Make<int64_t>({1, 2}, {0, 0}), Texts({"q"}), Ints({2, 1})};
  Joined({Letters(), one}, {}, OpTest("SparseCrossV2"))
      .Expect<int64_t>({1, 2}, {0, 0})
      .Expect(Texts({"a_q"}))
      .Expect(Ints({2, 1}));
  Joined({}, {}, OpTest("SparseCrossV2"))
      .Expect<int64_t>({0, 2}, {})
      .Expect(Texts({}))
      .Expect(Ints({0, 0}));
  Joined({}, {OpTest::Make<std::string>({3, 0}, {})}, OpTest("SparseCrossV2"))
      .Expect<int64_t>({0, 2}, {})
      .Expect(Texts({}))
      .Expect(Ints({3, 0}));
}

// As in TensorFlow: what stands after an element of a later row, or of none, is not found.
TEST(SparseCrossTest, ElementsOutOfOrder) {
  Sparse x = Letters();
  x.indices = OpTest::Make<int64_t>({3, 2}, {0, 0, 5, 0, 1, 1});
  Joined({x}, {}, OpTest("SparseCrossV2"))
      .Expect<int64_t>({1, 2}, {0, 0})
      .Expect(Texts({"a"}))
      .Expect(Ints({2, 1}));
  x.indices = OpTest::Make<int64_t>({3, 2}, {-1, 0, 0, 0, 1, 1});
  Joined({x}, {}, OpTest("SparseCrossV2"))
      .Expect<int64_t>({0, 2}, {})
      .Expect(Texts({}))
      .Expect(Ints({2, 0}));
}

TEST(SparseCrossTest, ABatchSizeIsOnlyANumber) {
  Sparse x = Letters();
  x.shape = Ints({int64_t{1} << 60, 2});
  Joined({x}, {}, OpTest("SparseCrossV2"))
      .Expect(Letters().indices)
      .Expect(Letters().values)
      .Expect(Ints({int64_t{1} << 60, 2}));
}

TEST(SparseCrossTest, Refused) {
  const auto refused = [](const Sparse& x, const char* why) {
    Joined({x}, {}, OpTest("SparseCrossV2")).ExpectError(kInvalid, why);
  };
  const Sparse good = Letters();
  refused({OpTest::Make<int64_t>({3, 1}, {0, 1, 1}), good.values, good.shape}, "D2 of index");
  refused({Ints({0, 1, 1}), good.values, good.shape}, "should be a matrix");
  refused({good.indices, Texts({"a"}), good.shape}, "Expected size of values to be 3 got 1");
  refused({good.indices, OpTest::Make<std::string>({1, 1}, {"a"}), good.shape}, "be a vector");
  refused({good.indices, good.values, Ints({2, 2, 2})}, "should imply a 2D tensor");
  refused({good.indices, good.values, Ints({-1, 2})}, "negative");
  Joined({good}, {Texts({"a"})}, OpTest("SparseCrossV2")).ExpectError(kInvalid, "Dense inputs");
  Joined({good}, {OpTest::Make<std::string>({1, 1}, {"a"})}, OpTest("SparseCrossV2"))
      .ExpectError(kInvalid, "Expected batch size 2 got 1");
  Columns(OpTest("SparseCrossV2"), {good}, {})
      .Input(Texts({"-", "x"}))
      .ExpectError(kInvalid, "separator should be a scalar");
  Hashed(OpTest("SparseCrossHashed"), {good}, {}, 5, false, Ints({1}))
      .ExpectError(kInvalid, "must have length 2");
  Crossed(OpTest("SparseCross"), {Numbers()}, {}, false, 0, DType::kString)
      .ExpectError(kInvalid, "internal type");
}

}  // namespace
}  // namespace warpbeam
