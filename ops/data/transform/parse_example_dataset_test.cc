// ParseExampleDataset; the values are what TensorFlow 2.21 gives.
#include <cstring>

#include "gmock/gmock.h"
#include "ops/data/dataset_testing.h"

namespace warpbeam {
namespace {

using namespace testing_data;  // NOLINT: the vocabulary of this test
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;

// A delimited field of a protobuf message.
std::string Field(int number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         std::string(1, static_cast<char>(bytes.size())) + bytes;
}
std::string Floats(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(&bytes[0], values.data(), bytes.size());
  return Field(2, Field(1, bytes));
}
std::string Ints(const std::string& values) { return Field(3, Field(1, values)); }
std::string Strings(const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& v : values) list += Field(1, v);
  return Field(1, list);
}
std::string Example(const std::vector<std::pair<std::string, std::string>>& features) {
  std::string all;
  for (const auto& [name, feature] : features) all += Field(1, Field(1, name) + Field(2, feature));
  return Field(1, all);
}

Tensor Batches() {
  const std::string a =
      Example({{"a", Floats({1, 2})}, {"b", Ints("\x03")}, {"s", Strings({"x", "y"})}});
  const std::string b = Example({{"a", Floats({4, 5})}, {"s", Strings({"z"})}});
  const std::string c = Example({{"b", Ints("\x07")}});
  return Made(
      Op("ListDataset", DType::kString, PartialShape({-1}))
          .InputList({Tensor::Vector<std::string>({a, b}), Tensor::Vector<std::string>({c})})
          .RunOne());
}

// Features "b" and "a", dense, and "s", sparse.
StatusOr<Tensor> Parsed(const Tensor& input, Tensor default_of_b, int64_t calls = 2) {
  return OpRunner("ParseExampleDatasetV2")
      .Attr("sparse_keys", std::vector<std::string>{"s"})
      .Attr("dense_keys", std::vector<std::string>{"b", "a"})
      .Attr("sparse_types", std::vector<DType>{DType::kString})
      .Attr("Tdense", std::vector<DType>{DType::kInt64, DType::kFloat})
      .Attr("dense_shapes", std::vector<PartialShape>{PartialShape(Shape()), PartialShape({2})})
      .Attr("output_types", std::vector<DType>{DType::kFloat, DType::kInt64, DType::kVariant})
      .Attr("output_shapes",
            std::vector<PartialShape>{PartialShape({-1, 2}), PartialShape({-1}), PartialShape({3})})
      .Input(input)
      .Input(Int(calls))
      .InputList({std::move(default_of_b), Tensor::Vector<float>({9, 9})})
      .RunOne();
}

TEST(ParseExampleDatasetTest, ComponentsByTheNamesOfFeatures) {
  Reader reader(Made(Parsed(Batches(), Int(-1))));
  const auto part = [&reader](int i) {
    const Tensor* const held = reader.element[2].data<Variant>()[i].get<Tensor>();
    return held == nullptr ? Tensor() : *held;
  };
  ASSERT_TRUE(reader.Next()) << reader.status;
  EXPECT_THAT(reader.element[0].flat<float>(), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(reader.element[1].flat<int64_t>(), ElementsAre(3, -1));
  EXPECT_THAT(part(0).flat<int64_t>(), ElementsAre(0, 0, 0, 1, 1, 0));
  EXPECT_THAT(part(1).flat<std::string>(), ElementsAre("x", "y", "z"));
  EXPECT_THAT(part(2).flat<int64_t>(), ElementsAre(2, 2));
  ASSERT_TRUE(reader.Next()) << reader.status;
  EXPECT_THAT(reader.element[0].flat<float>(), ElementsAre(9, 9));
  EXPECT_THAT(reader.element[1].flat<int64_t>(), ElementsAre(7));
  EXPECT_EQ(part(0).shape(), Shape({0, 2}));
  EXPECT_THAT(part(2).flat<int64_t>(), ElementsAre(1, 0));
  EXPECT_FALSE(reader.Next());
  EXPECT_TRUE(reader.status.ok());
  EXPECT_EQ(Cardinality(Made(Parsed(Batches(), Int(-1)))), 2);
}

TEST(ParseExampleDatasetTest, AnErrorCostsItsBatch) {
  // Feature b must be there.
  Reader reader(Made(Parsed(Batches(), Tensor::Vector<int64_t>({}))));
  EXPECT_FALSE(reader.Next());
  EXPECT_EQ(reader.status.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(reader.status.message()), HasSubstr("b"));
  EXPECT_TRUE(reader.Next());
  EXPECT_EQ(Parsed(Batches(), Int(-1), 0).status().code(), Code::kInvalidArgument);
  Reader numbers(Made(Parsed(Range(0, 2), Int(-1))));
  EXPECT_FALSE(numbers.Next());
  EXPECT_EQ(numbers.status.code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
