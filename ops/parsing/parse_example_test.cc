#include <gtest/gtest.h>

#include <random>

#include "ops/launch/op_record.h"
#include "proto/example.pb.h"

namespace warpbeam {
namespace {

// Writes examples feature by feature.
class ExampleText {
 public:
  ExampleText& Ints(const std::string& key, std::initializer_list<int64_t> values) {
    for (int64_t v : values) Feature(key).mutable_int64_list()->add_value(v);
    return *this;
  }
  ExampleText& Floats(const std::string& key, std::initializer_list<float> values) {
    for (float v : values) Feature(key).mutable_float_list()->add_value(v);
    return *this;
  }
  ExampleText& Strings(const std::string& key, std::initializer_list<const char*> values) {
    for (const char* v : values) Feature(key).mutable_bytes_list()->add_value(v);
    return *this;
  }
  ExampleText& Empty(const std::string& key) {
    Feature(key);
    return *this;
  }
  operator std::string() const { return example_.SerializeAsString(); }  // NOLINT: for lists

 private:
  tensorflow::Feature& Feature(const std::string& key) {
    return (*example_.mutable_features()->mutable_feature())[key];
  }
  tensorflow::Example example_;
};

Tensor Strings(const std::vector<std::string>& values) {
  return Tensor::Vector<std::string>(values);
}
Tensor NoInts() { return OpTest::Make<int64_t>({0}, {}); }

// One dense feature "y" of int64.
struct DenseTest : OpTest {
  DenseTest(Tensor serialized, PartialShape shape, Tensor fallback, int line = __builtin_LINE())
      : OpTest("ParseExampleV2", __builtin_FILE(), line) {
    Attr("num_sparse", int64_t{0});
    Attr("sparse_types", std::vector<DType>{});
    Attr("ragged_value_types", std::vector<DType>{});
    Attr("ragged_split_types", std::vector<DType>{});
    Attr("dense_shapes", std::vector<PartialShape>{shape});
    Input(std::move(serialized)).Input(Strings({})).Input(Strings({}));
    Input(Strings({"y"})).Input(Strings({})).InputList({std::move(fallback)});
  }
};

TEST(ParseExampleTest, DenseOfFixedShape) {
  DenseTest(
      Strings({ExampleText().Ints("y", {1, 2}), ExampleText().Ints("x", {9}).Ints("y", {3, -4})}),
      {2}, NoInts())
      .Expect<int64_t>({2, 2}, {1, 2, 3, -4});
  DenseTest(Strings({ExampleText().Ints("y", {1, 2}), ExampleText(), ExampleText().Empty("y")}),
            {2}, Tensor::Vector<int64_t>({7, 8}))
      .Expect<int64_t>({3, 2}, {1, 2, 7, 8, 7, 8});
  DenseTest(Tensor::Scalar<std::string>(ExampleText().Ints("y", {1, 2})), {2}, NoInts())
      .Expect<int64_t>({2}, {1, 2});
  DenseTest(Strings({}), {2}, NoInts()).Expect<int64_t>({0, 2}, {});
}

TEST(ParseExampleTest, LastOfTwoCounts) {
  const std::string once = ExampleText().Ints("y", {1}), again = ExampleText().Ints("y", {2});
  DenseTest(Strings({once + again}), PartialShape(Shape()), NoInts()).Expect<int64_t>({1}, {2});
}

// Writers before proto3 did not pack.
TEST(ParseExampleTest, UnpackedValues) {
  const char unpacked[] = "\n\x0d\n\x0b\n\x01y\x12\x06\x1a\x04\x08\x01\x08\x02";
  DenseTest(Strings({std::string(unpacked, sizeof(unpacked) - 1)}), {2}, NoInts())
      .Expect<int64_t>({1, 2}, {1, 2});
}

TEST(ParseExampleTest, DenseOfOpenExtent) {
  const std::string two = ExampleText().Ints("y", {1, 2, 3, 4}),
                    one = ExampleText().Ints("y", {5, 6});
  DenseTest(Strings({two, one, ExampleText()}), {-1, 2}, Tensor::Vector<int64_t>({9}))
      .Expect<int64_t>({3, 2, 2}, {1, 2, 3, 4, 5, 6, 9, 9, 9, 9, 9, 9});
  DenseTest(Tensor::Scalar<std::string>(two), {-1, 2}, Tensor::Vector<int64_t>({9}))
      .Expect<int64_t>({2, 2}, {1, 2, 3, 4});
  DenseTest(Tensor::Scalar<std::string>(ExampleText()), {-1, 2}, Tensor::Vector<int64_t>({9}))
      .Expect<int64_t>({0, 2}, {});
  DenseTest(Strings({ExampleText().Ints("y", {1, 2, 3})}), {-1, 2}, Tensor::Vector<int64_t>({9}))
      .ExpectError(kInvalid,
                   "Name: <unknown>, Key: y, Index: 0.  Number of int64 values is not a multiple "
                   "of stride length. Saw 3 values but output shape is: [?,2]");
  DenseTest(Strings({two}), {-1, 2}, NoInts()).ExpectError(kInvalid, "'y'");
  DenseTest(Strings({two}), {2, -1}, NoInts()).ExpectError(kInvalid, "'y'");
}

TEST(ParseExampleTest, DenseErrorsNameExampleAndFeature) {
  const std::string good = ExampleText().Ints("y", {1, 2});
  DenseTest(Strings({good, ExampleText()}), {2}, NoInts())
      .ExpectError(kInvalid,
                   "Name: <unknown>, Feature: y (data type: int64) is required but could not be "
                   "found. It has no default, and example 1");
  DenseTest(Tensor::Scalar<std::string>(ExampleText()), {2}, NoInts())
      .ExpectError(kInvalid, "Feature: y (data type: int64) is required but could not be found.");
  DenseTest(Strings({ExampleText().Ints("y", {1, 2, 3})}), {2}, NoInts())
      .ExpectError(kInvalid,
                   "Key: y, Index: 0.  Number of int64 values != expected.  Values size: 3 but "
                   "output shape: [2]");
  DenseTest(Tensor::Scalar<std::string>(ExampleText().Ints("y", {1, 2, 3})), {2}, NoInts())
      .ExpectError(kInvalid, "Key: y.  Number of int64 values != expected.");
  DenseTest(Strings({ExampleText().Floats("y", {1, 2})}), {2}, NoInts())
      .ExpectError(kInvalid,
                   "Key: y, Index: 0.  Data types don't match. Data type: float but expected "
                   "type: int64");
  DenseTest(Strings({good}), {2}, Tensor::Vector<int64_t>({7})).ExpectError(kInvalid, "default");
  DenseTest(Strings({"\xff\xff\xff"}), {2}, NoInts())
      .ExpectError(kInvalid,
                   "Could not parse example input: Name: <unknown>, the bytes of example");
}

// Whatever the bytes, an answer: cut short anywhere, or with any byte changed.
TEST(ParseExampleTest, HostileBytes) {
  const std::string good =
      ExampleText().Ints("y", {1, 300}).Strings("s", {"ab", "c"}).Floats("f", {1.5});
  const auto run = [](const std::string& bytes) {
    return OpRunner("ParseSingleExample")
        .Attr("num_sparse", int64_t{2})
        .Attr("sparse_keys", std::vector<std::string>{"s", "f"})
        .Attr("sparse_types", std::vector<DType>{DType::kString, DType::kFloat})
        .Attr("dense_keys", std::vector<std::string>{"y"})
        .Attr("dense_shapes", std::vector<PartialShape>{{2}})
        .Input(Tensor::Scalar<std::string>(bytes))
        .InputList({NoInts()})
        .Run()
        .status();
  };
  EXPECT_TRUE(run(good).ok()) << run(good);
  for (size_t i = 1; i < good.size(); ++i) EXPECT_EQ(run(good.substr(0, i)).code(), kInvalid) << i;
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good;
    for (int k = 0; k < 1 + i % 3; ++k)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    const Status status = run(bytes);
    EXPECT_TRUE(status.ok() || status.code() == kInvalid) << status;
  }
}

TEST(ParseExampleTest, SparseAndRagged) {
  OpTest("ParseExampleV2")
      .Attr("num_sparse", int64_t{1})
      .Attr("sparse_types", std::vector<DType>{DType::kString})
      .Attr("Tdense", std::vector<DType>{})
      .Attr("ragged_value_types", std::vector<DType>{DType::kFloat})
      .Attr("ragged_split_types", std::vector<DType>{DType::kInt32})
      .Attr("dense_shapes", std::vector<PartialShape>{})
      .Input(Strings({ExampleText().Strings("s", {"a", "bc"}), ExampleText().Floats("r", {1, 2}),
                      ExampleText().Strings("s", {"d"}).Floats("r", {3})}))
      .Input(Strings({}))
      .Input(Strings({"s"}))
      .Input(Strings({}))
      .Input(Strings({"r"}))
      .InputList({})
      .Expect<int64_t>({3, 2}, {0, 0, 0, 1, 2, 0})
      .Expect<std::string>({3}, {"a", "bc", "d"})
      .Expect<int64_t>({2}, {3, 2})
      .Expect<float>({3}, {1, 2, 3})
      .Expect<int32_t>({4}, {0, 0, 2, 3});
}

TEST(ParseExampleTest, FirstVersion) {
  OpTest("ParseExample")
      .Attr("sparse_types", std::vector<DType>{DType::kInt64})
      .Attr("dense_shapes", std::vector<PartialShape>{PartialShape(Shape())})
      .Input(Strings({ExampleText().Ints("a", {5, 6}).Strings("b", {"x"})}))
      .Input(Strings({"first"}))
      .InputList({Tensor::Scalar<std::string>("a")})
      .InputList({Tensor::Scalar<std::string>("b")})
      .InputList({OpTest::Make<std::string>({0}, {})})
      .Expect<int64_t>({2, 2}, {0, 0, 0, 1})
      .Expect<int64_t>({2}, {5, 6})
      .Expect<int64_t>({2}, {1, 2})
      .Expect<std::string>({1}, {"x"});
}

TEST(ParseSingleExampleTest, DenseAndSparse) {
  OpTest("ParseSingleExample")
      .Attr("num_sparse", int64_t{1})
      .Attr("sparse_keys", std::vector<std::string>{"s"})
      .Attr("sparse_types", std::vector<DType>{DType::kString})
      .Attr("dense_keys", std::vector<std::string>{"y"})
      .Attr("dense_shapes", std::vector<PartialShape>{{2}})
      .Input(Tensor::Scalar<std::string>(ExampleText().Ints("y", {1, 2}).Strings("s", {"q", "r"})))
      .InputList({NoInts()})
      .Expect<int64_t>({2, 1}, {0, 1})
      .Expect<std::string>({2}, {"q", "r"})
      .Expect<int64_t>({1}, {2})
      .Expect<int64_t>({2}, {1, 2});
}

}  // namespace
}  // namespace warpbeam
