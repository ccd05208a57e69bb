// Crosses of ragged, sparse and dense features, against what TensorFlow 2.21 gives.
#include <gtest/gtest.h>

#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

Tensor Ints(std::initializer_list<int64_t> values) { return Tensor::Vector<int64_t>(values); }
Tensor Texts(std::initializer_list<std::string> values) {
  return Tensor::Vector<std::string>(values);
}

struct Inputs {
  std::vector<Tensor> ragged, splits, indices, values, shapes, dense;

  Inputs& Ragged(Tensor value, Tensor rows) {
    ragged.push_back(std::move(value));
    splits.push_back(std::move(rows));
    return *this;
  }
  Inputs& Sparse(Tensor index, Tensor value, Tensor shape) {
    indices.push_back(std::move(index));
    values.push_back(std::move(value));
    shapes.push_back(std::move(shape));
    return *this;
  }
  Inputs& Dense(Tensor value) {
    dense.push_back(std::move(value));
    return *this;
  }
};

OpTest& Cross(OpTest&& test, const Inputs& in, const char* order, int64_t buckets = -1,
              DType splits = DType::kInt64) {
  const bool is_hashed = buckets >= 0;
  return test.Attr("input_order", std::string(order))
      .Attr("hashed_output", is_hashed)
      .Attr("num_buckets", is_hashed ? buckets : int64_t{0})
      .Attr("hash_key", int64_t{0xDECAFCAFFE})
      .Attr("out_values_type", is_hashed ? DType::kInt64 : DType::kString)
      .Attr("out_row_splits_type", splits)
      .InputList(in.ragged)
      .InputList(in.splits)
      .InputList(in.indices)
      .InputList(in.values)
      .InputList(in.shapes)
      .InputList(in.dense);
}

const auto& Index = OpTest::Make<int64_t>;
Tensor Words() { return Texts({"p", "q", "r"}); }
Tensor DenseWords() { return OpTest::Make<std::string>({2, 2}, {"x", "y", "z", "w"}); }
Tensor DenseNumbers() { return OpTest::Make<int64_t>({2, 1}, {1, 2}); }
Inputs Three() {
  return Inputs()
      .Ragged(Words(), Ints({0, 1, 3}))
      .Sparse(Index({3, 2}, {0, 0, 1, 0, 1, 1}), Texts({"a", "b", "c"}), Ints({2, 2}))
      .Dense(DenseWords());
}

TEST(RaggedCrossTest, TextsInTheOrderAskedFor) {
  for (const DType splits : {DType::kInt64, DType::kInt32}) {
    OpTest test("RaggedCross");
    Cross(std::move(test), Three(), "RSD", -1, splits)
        .Expect(Texts({"p_X_a_X_x", "p_X_a_X_y", "q_X_b_X_z", "q_X_b_X_w", "q_X_c_X_z", "q_X_c_X_w",
                       "r_X_b_X_z", "r_X_b_X_w", "r_X_c_X_z", "r_X_c_X_w"}))
        .Expect(splits == DType::kInt64 ? Ints({0, 2, 10}) : Tensor::Vector<int32_t>({0, 2, 10}));
  }
  const Inputs two = Inputs().Ragged(Words(), Ints({0, 1, 3})).Dense(DenseNumbers());
  Cross(OpTest("RaggedCross"), two, "DR")
      .Expect(Texts({"1_X_p", "2_X_q", "2_X_r"}))
      .Expect(Ints({0, 1, 3}));
  Cross(OpTest("RaggedCross"), {}, "").Expect(Texts({})).Expect(Ints({0}));
}

TEST(RaggedCrossTest, Hashes) {
  const Inputs in = Inputs()
                        .Ragged(Words(), Ints({0, 1, 3}))
                        .Sparse(Index({2, 2}, {0, 0, 1, 0}), Ints({5, -7}), Ints({2, 1}))
                        .Dense(DenseNumbers());
  Cross(OpTest("RaggedCross"), in, "DRS", 10).Expect(Ints({1, 0, 5})).Expect(Ints({0, 1, 3}));
}

TEST(RaggedCrossTest, RowsWithoutFeatures) {
  const auto sparse = [](Tensor indices, int64_t batch) {
    return Inputs().Sparse(std::move(indices), Texts({"a", "b", "c"}), Ints({batch, 2}));
  };
  const Tensor all = Texts({"a", "b", "c"});
  Cross(OpTest("RaggedCross"), sparse(Index({3, 2}, {0, 0, 1, 0, 1, 1}), 3), "S")
      .Expect(all)
      .Expect(Ints({0, 1, 3, 3}));
  // An element out of order belongs to the row in which it stands.
  Cross(OpTest("RaggedCross"), sparse(Index({3, 2}, {1, 0, 0, 0, 1, 1}), 2), "S")
      .Expect(all)
      .Expect(Ints({0, 0, 3}));
  Cross(OpTest("RaggedCross"), sparse(Index({3, 2}, {-1, 0, 0, 0, 1, 1}), 2), "S")
      .Expect(all)
      .Expect(Ints({0, 2, 3}));
  Cross(OpTest("RaggedCross"), sparse(Index({3, 2}, {0, 0, 5, 0, 1, 1}), 2), "S")
      .Expect(Texts({"a"}))
      .Expect(Ints({0, 1, 1}));
}

TEST(RaggedCrossTest, Refused) {
  const auto refused = [](const Inputs& in, const char* order, const char* why) {
    Cross(OpTest("RaggedCross"), in, order).ExpectError(kInvalid, why);
  };
  const Inputs two = Inputs().Ragged(Words(), Ints({0, 1, 3})).Dense(DenseNumbers());
  refused(two, "DX", "Unexpected input_order value");
  refused(two, "D", "Invalid length for input_order");
  refused(two, "RR", "input_order \"RR\"");
  const auto ragged = [&refused](Tensor values, Tensor splits, const char* why) {
    refused(Inputs().Ragged(std::move(values), std::move(splits)).Dense(DenseNumbers()), "RD", why);
  };
  ragged(OpTest::Make<std::string>({1, 1}, {"p"}), Ints({0, 1, 3}), "only supports inputs with");
  ragged(Words(), Ints({}), "Invalid ragged splits");
  ragged(Words(), Ints({1, 2, 3}), "Invalid ragged splits");
  ragged(Words(), Ints({0, 1, 2}), "Invalid ragged splits");
  ragged(Words(), Ints({0, 4, 3}), "Invalid ragged splits");
  ragged(Words(), Ints({0, 1, 2, 3}), "must all have the same batch dimension size");
  const auto sparse = [&refused](Tensor indices, Tensor values, Tensor shape, const char* why) {
    refused(Inputs().Sparse(std::move(indices), std::move(values), std::move(shape)), "S", why);
  };
  const Tensor rows = Index({1, 2}, {0, 0});
  sparse(Ints({0}), Texts({"a"}), Ints({1, 1}), "Invalid SparseTensor");
  sparse(rows, Texts({"a", "b"}), Ints({1, 1}), "Invalid SparseTensor");
  sparse(rows, Texts({"a"}), Ints({1, 1, 1}), "only supports inputs with rank=2");
  sparse(rows, Texts({"a"}), Ints({-1, 1}), "negative");
  Cross(OpTest("RaggedCross"), Inputs().Sparse(rows, Texts({"a"}), Ints({int64_t{1} << 60, 1})),
        "S")
      .ExpectError(kInvalid, "more bytes");
}

}  // namespace
}  // namespace warpbeam
