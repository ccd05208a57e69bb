#include <gtest/gtest.h>

#include <random>

#include "ops/launch/op_record.h"
#include "proto/example.pb.h"

namespace warpbeam {
namespace {

tensorflow::Feature Ints(std::initializer_list<int64_t> values) {
  tensorflow::Feature f;
  f.mutable_int64_list();
  for (int64_t v : values) f.mutable_int64_list()->add_value(v);
  return f;
}
tensorflow::Feature Floats(std::initializer_list<float> values) {
  tensorflow::Feature f;
  for (float v : values) f.mutable_float_list()->add_value(v);
  return f;
}
tensorflow::Feature Bytes(std::initializer_list<const char*> values) {
  tensorflow::Feature f;
  for (const char* v : values) f.mutable_bytes_list()->add_value(v);
  return f;
}

class Sequence {
 public:
  Sequence& Context(const std::string& key, tensorflow::Feature value) {
    (*example_.mutable_context()->mutable_feature())[key] = std::move(value);
    return *this;
  }
  Sequence& List(const std::string& key, std::vector<tensorflow::Feature> rows) {
    auto& list = (*example_.mutable_feature_lists()->mutable_feature_list())[key];
    for (tensorflow::Feature& row : rows) *list.add_feature() = std::move(row);
    return *this;
  }
  operator std::string() const { return example_.SerializeAsString(); }  // NOLINT: for lists

 private:
  tensorflow::SequenceExample example_;
};

Tensor SequenceStrings(const std::vector<std::string>& values) {
  return Tensor::Vector<std::string>(values);
}

std::string First() {
  return Sequence()
      .Context("c", Ints({7}))
      .Context("s", Ints({1, 2}))
      .Context("r", Floats({0.5f, 1.5f}))
      .List("d", {Ints({1, 2}), Ints({3, 4})})
      .List("l", {Bytes({"x"}), {}, Bytes({"y", "z"})})
      .List("g", {Ints({5}), Ints({}), Ints({6, 7})});
}
std::string Second() {
  return Sequence()
      .Context("c", Ints({8}))
      .List("d", {Ints({5, 6})})
      .List("l", {})
      .List("g", {Ints({9})});
}

// One feature of each kind, of context and lists.
struct V2Test : OpTest {
  V2Test(Tensor serialized, bool may_lack, Tensor fallback, DType splits = DType::kInt64,
         int line = __builtin_LINE())
      : OpTest("ParseSequenceExampleV2", __builtin_FILE(), line) {
    const std::vector<DType> ints = {DType::kInt64};
    Attr("Ncontext_sparse", int64_t{1}).Attr("context_sparse_types", ints);
    Attr("context_ragged_value_types", std::vector<DType>{DType::kFloat});
    Attr("context_ragged_split_types", std::vector<DType>{splits});
    Attr("context_dense_shapes", std::vector<PartialShape>{PartialShape(Shape())});
    Attr("Nfeature_list_sparse", int64_t{1}).Attr("Nfeature_list_dense", int64_t{1});
    Attr("feature_list_sparse_types", std::vector<DType>{DType::kString});
    Attr("feature_list_dense_types", ints).Attr("feature_list_ragged_value_types", ints);
    Attr("feature_list_ragged_split_types", std::vector<DType>{splits});
    Attr("feature_list_dense_shapes", std::vector<PartialShape>{PartialShape({2})});
    Input(std::move(serialized)).Input(SequenceStrings({}));
    Input(SequenceStrings({"s"})).Input(SequenceStrings({"c"})).Input(SequenceStrings({"r"}));
    Input(SequenceStrings({"l"})).Input(SequenceStrings({"d"})).Input(SequenceStrings({"g"}));
    Input(Tensor::Vector<bool>({may_lack})).InputList({std::move(fallback)});
  }
};

// What TensorFlow gives; the third example has nothing at all.
TEST(ParseSequenceExampleV2, Batch) {
  V2Test(SequenceStrings({First(), Second(), Sequence()}), true, Tensor::Scalar<int64_t>(-1))
      .Expect<int64_t>({2, 2}, {0, 0, 0, 1})
      .Expect<int64_t>({2}, {1, 2})
      .Expect<int64_t>({2}, {3, 2})
      .Expect<int64_t>({3}, {7, 8, -1})
      .Expect<float>({2}, {0.5f, 1.5f})
      .Expect<int64_t>({4}, {0, 2, 2, 2})
      .Expect<int64_t>({3, 3}, {0, 0, 0, 0, 2, 0, 0, 2, 1})
      .Expect<std::string>({3}, {"x", "y", "z"})
      .Expect<int64_t>({3}, {3, 3, 2})
      .Expect<int64_t>({3, 2, 2}, {1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0})
      .Expect<int64_t>({3}, {2, 1, 0})
      .Expect<int64_t>({4}, {5, 6, 7, 9})
      .Expect<int64_t>({4}, {0, 3, 4, 4})
      .Expect<int64_t>({5}, {0, 1, 1, 3, 4});
}

TEST(ParseSequenceExampleV2, OneExample) {
  V2Test(Tensor::Scalar<std::string>(First()), false, OpTest::Make<int64_t>({0}, {}), DType::kInt32)
      .Expect<int64_t>({2, 1}, {0, 1})
      .Expect<int64_t>({2}, {1, 2})
      .Expect<int64_t>({1}, {2})
      .Expect<int64_t>({}, {7})
      .Expect<float>({2}, {0.5f, 1.5f})
      .Expect<int32_t>({0}, {})
      .Expect<int64_t>({3, 2}, {0, 0, 2, 0, 2, 1})
      .Expect<std::string>({3}, {"x", "y", "z"})
      .Expect<int64_t>({2}, {3, 2})
      .Expect<int64_t>({2, 2}, {1, 2, 3, 4})
      .Expect<int64_t>({}, {2})
      .Expect<int64_t>({3}, {5, 6, 7})
      .Expect<int32_t>({0}, {})
      .Expect<int32_t>({4}, {0, 1, 1, 3});
}

TEST(ParseSequenceExampleV2, RefusesWhatDoesNotFit) {
  const Tensor one = Tensor::Scalar<int64_t>(1), none = OpTest::Make<int64_t>({0}, {});
  const auto refuse = [](std::string example, bool may_lack, Tensor fallback, std::string why) {
    V2Test(SequenceStrings({First(), std::move(example)}), may_lack, std::move(fallback))
        .ExpectError(kInvalid, std::move(why));
  };
  refuse(Sequence(), false, one,
         "Name: <unknown>, Feature list 'd' is required but could not be found.");
  refuse(Sequence(), true, none, "Feature: c (data type: int64) is required");
  refuse("\n\xff\xff", true, one, "example 1");
  refuse(Sequence().List("d", {Ints({1, 2}), {}}), true, one,
         "Key: d, Index: 1.  Number of int64 values != expected.  values size: 0 but output");
  refuse(Sequence().List("d", {Ints({1, 2}), Ints({3})}), true, one,
         "values size: 1 but output shape: [2] (example 1)");
  refuse(
      Sequence().List("d", {Ints({1, 2}), Floats({3, 4})}), true, one,
      "Name: <unknown>, Feature list: d, Index: 1.  Data types don't match. Expected type: int64");
  refuse(Sequence().List("l", {Bytes({"x"}), Ints({})}), true, one, "Expected type: string");
  refuse(Sequence().List("g", {Bytes({"x"})}), true, one, "Feature list: g, Index: 0.");
  refuse(Sequence().Context("s", Floats({1})), true, one, "Expected type: int64");
  V2Test(SequenceStrings({First()}), true, Tensor::Vector<int64_t>({1, 2})).ExpectError(kInvalid);
  V2Test(OpTest::Make<std::string>({1, 1}, {First()}), true, one).ExpectError(kInvalid);
}

// The same key in two forms, and lists in number other than what says that they may be missing.
TEST(ParseSequenceExampleV2, RefusesKeys) {
  const auto test = [](std::vector<std::string> dense, std::vector<bool> may_lack,
                       std::vector<std::string> ragged) {
    OpTest t("ParseSequenceExampleV2");
    t.Attr("Nfeature_list_dense", static_cast<int64_t>(dense.size()));
    t.Attr("feature_list_dense_types", std::vector<DType>(dense.size(), DType::kInt64));
    t.Attr("feature_list_dense_shapes", std::vector<PartialShape>(dense.size(), {2}));
    t.Attr("feature_list_ragged_value_types", std::vector<DType>(ragged.size(), DType::kInt64));
    t.Attr("feature_list_ragged_split_types", std::vector<DType>(ragged.size(), DType::kInt64));
    t.Input(SequenceStrings({First()})).Input(SequenceStrings({}));
    for (int i = 0; i < 4; ++i) t.Input(SequenceStrings({}));
    t.Input(SequenceStrings(dense)).Input(SequenceStrings(ragged));
    Tensor lacking = *Tensor::Allocate(DType::kBool, {static_cast<int64_t>(may_lack.size())});
    std::copy(may_lack.begin(), may_lack.end(), lacking.data<bool>());
    t.Input(lacking).InputList({}).ExpectError(kInvalid);
  };
  test({"d"}, {true}, {"d"});
  test({"d"}, {true, true}, {});
  test({"d"}, {}, {});
}

struct V1Test : OpTest {
  V1Test(Tensor serialized, std::vector<std::string> may_lack, PartialShape row = {2},
         int line = __builtin_LINE())
      : OpTest("ParseSequenceExample", __builtin_FILE(), line) {
    const std::vector<DType> ints = {DType::kInt64};
    const auto keys = [](const char* key) { return std::vector<std::string>{key}; };
    Attr("feature_list_dense_missing_assumed_empty", may_lack);
    Attr("context_sparse_keys", keys("s")).Attr("context_dense_keys", keys("c"));
    Attr("feature_list_sparse_keys", keys("l")).Attr("feature_list_dense_keys", keys("d"));
    for (const char* n :
         {"Ncontext_sparse", "Ncontext_dense", "Nfeature_list_sparse", "Nfeature_list_dense"}) {
      Attr(n, int64_t{1});
    }
    Attr("context_sparse_types", ints).Attr("Tcontext_dense", ints);
    Attr("feature_list_dense_types", ints);
    Attr("context_dense_shapes", std::vector<PartialShape>{PartialShape(Shape())});
    Attr("feature_list_sparse_types", std::vector<DType>{DType::kString});
    Attr("feature_list_dense_shapes", std::vector<PartialShape>{std::move(row)});
    Input(std::move(serialized)).Input(SequenceStrings({}));
    InputList({Tensor::Scalar<int64_t>(-1)});
  }
};

TEST(ParseSequenceExample, Batch) {
  V1Test(SequenceStrings({First(), Sequence()}), {"d"})
      .Expect<int64_t>({2, 2}, {0, 0, 0, 1})
      .Expect<int64_t>({2}, {1, 2})
      .Expect<int64_t>({2}, {2, 2})
      .Expect<int64_t>({2}, {7, -1})
      .Expect<int64_t>({3, 3}, {0, 0, 0, 0, 2, 0, 0, 2, 1})
      .Expect<std::string>({3}, {"x", "y", "z"})
      .Expect<int64_t>({3}, {2, 3, 2})
      .Expect<int64_t>({2, 2, 2}, {1, 2, 3, 4, 0, 0, 0, 0})
      .Expect<int64_t>({2}, {2, 0});
  V1Test(SequenceStrings({First(), Sequence()}), {}).ExpectError(kInvalid, "required");
  V1Test(SequenceStrings({First()}), {}, {-1}).ExpectError(kInvalid, "known shape");
  V1Test(Tensor::Scalar<std::string>(First()), {}).ExpectError(kInvalid);
}

struct SingleTest : OpTest {
  SingleTest(Tensor serialized, std::vector<std::string> may_lack, const char* sparse,
             int line = __builtin_LINE())
      : OpTest("ParseSingleSequenceExample", __builtin_FILE(), line) {
    const std::vector<DType> ints = {DType::kInt64};
    Attr("context_sparse_types", ints).Attr("Tcontext_dense", ints);
    Attr("feature_list_dense_types", ints);
    Attr("context_dense_shapes", std::vector<PartialShape>{PartialShape(Shape())});
    Attr("feature_list_sparse_types", std::vector<DType>{DType::kString});
    Attr("feature_list_dense_shapes", std::vector<PartialShape>{{2}});
    Input(std::move(serialized)).Input(SequenceStrings(may_lack));
    for (const char* key : {sparse, "c", "l", "d"}) {
      InputList({Tensor::Scalar<std::string>(key)});
    }
    InputList({Tensor::Scalar<int64_t>(-1)}).Input(Tensor::Scalar<std::string>("name"));
  }
};

TEST(ParseSingleSequenceExample, OneExample) {
  SingleTest(Tensor::Scalar<std::string>(First()), {}, "s")
      .Expect<int64_t>({2, 1}, {0, 1})
      .Expect<int64_t>({2}, {1, 2})
      .Expect<int64_t>({1}, {2})
      .Expect<int64_t>({}, {7})
      .Expect<int64_t>({3, 2}, {0, 0, 2, 0, 2, 1})
      .Expect<std::string>({3}, {"x", "y", "z"})
      .Expect<int64_t>({2}, {3, 2})
      .Expect<int64_t>({2, 2}, {1, 2, 3, 4});
  // A feature in two forms, and nothing at all.
  SingleTest(Tensor::Scalar<std::string>(Sequence().Context("c", Ints({7}))), {"d"}, "c")
      .Expect<int64_t>({1, 1}, {0})
      .Expect<int64_t>({1}, {7})
      .Expect<int64_t>({1}, {1})
      .Expect<int64_t>({}, {7})
      .Expect<int64_t>({0, 2}, {})
      .Expect<std::string>({0}, {})
      .Expect<int64_t>({2}, {0, 0})
      .Expect<int64_t>({0, 2}, {});
  SingleTest(Tensor::Scalar<std::string>(Sequence()), {}, "s")
      .ExpectError(kInvalid, "Name: name, ");
  SingleTest(SequenceStrings({First()}), {}, "s").ExpectError(kInvalid);
}

// Bytes that are nearly an example: any status, but an end.
TEST(ParseSequenceExampleV2, HostileBytes) {
  std::mt19937 random(5);
  const std::string good = First();
  for (int i = 0; i < 2000; ++i) {
    std::string bad = good.substr(0, random() % 4 == 0 ? random() % good.size() : good.size());
    for (size_t k = random() % 3; k > 0 && !bad.empty(); --k) {
      bad[random() % bad.size()] = static_cast<char>(random());
    }
    OpRunner run("ParseSequenceExampleV2");
    run.Attr("feature_list_dense_shapes", std::vector<PartialShape>{{2}});
    run.Attr("feature_list_dense_types", std::vector<DType>{DType::kInt64});
    run.Attr("feature_list_ragged_value_types", std::vector<DType>{DType::kInt64});
    run.Attr("feature_list_ragged_split_types", std::vector<DType>{DType::kInt64});
    run.Attr("Nfeature_list_dense", int64_t{1});
    run.Input(SequenceStrings({bad})).Input(SequenceStrings({}));
    for (int k = 0; k < 4; ++k) run.Input(SequenceStrings({}));
    run.Input(SequenceStrings({"d"}))
        .Input(SequenceStrings({"g"}))
        .Input(Tensor::Vector<bool>({true}));
    run.InputList({});
    const auto out = run.Run();
    EXPECT_TRUE(out.ok() || out.status().code() == kInvalid) << out.status();
  }
}

}  // namespace
}  // namespace warpbeam
