#include "graph/io/attr_io.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "proto/attr_value.pb.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

tensorflow::AttrValue AttrFromText(const std::string& text) {
  tensorflow::AttrValue proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

TEST(AttrIoTest, EveryKindRoundTrips) {
  FunctionRef function;
  function.name = "f";
  function.attrs.Set("T", DType::kFloat);
  const AttrValue values[] = {
      AttrValue(),
      AttrValue(-3),
      AttrValue(1.5f),
      AttrValue(false),
      AttrValue(DType::kHalf),
      AttrValue(RefType(DType::kFloat)),
      AttrValue("a\xff"),
      AttrValue(PartialShape({-1, 2})),
      AttrValue(PartialShape()),
      AttrValue(Tensor::Vector<int32_t>({1, 2})),
      AttrValue(function),
      AttrValue::Placeholder("T"),
      AttrValue::EmptyList(),
      AttrValue(std::vector<int64_t>{1, 2}),
      AttrValue(std::vector<float>{1, 2}),
      AttrValue(std::vector<bool>{true, false}),
      AttrValue(std::vector<DType>{DType::kInt32, DType::kString}),
      AttrValue(std::vector<std::string>{"a", ""}),
      AttrValue(std::vector<PartialShape>{PartialShape(), PartialShape({1})}),
      AttrValue(std::vector<Tensor>{Tensor::Scalar(1.0f)}),
      AttrValue(std::vector<FunctionRef>{function, function}),
  };
  for (const AttrValue& value : values) {
    tensorflow::AttrValue proto;
    ASSERT_TRUE(AttrToProto(value, &proto).ok()) << value.ToString();
    const auto back = AttrFromProto(proto);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->kind(), value.kind());
    EXPECT_EQ(*back, value) << value.ToString();
    EXPECT_FALSE(HasMoreThanValue(proto)) << proto.DebugString();
  }
}

std::string Error(const std::string& text) {
  return std::string(AttrFromProto(AttrFromText(text)).status().message());
}

TEST(AttrIoTest, NamesWhatIsWrong) {
  EXPECT_EQ(Error("list { i: 1 f: 2 }"), "a list attribute mixes values of several kinds");
  EXPECT_THAT(Error("list { type: 1 type: 99 }"), HasSubstr("list element 1: no element type"));
  EXPECT_THAT(Error("func { name: 'f' attr { key: 'x' value { shape { dim { size: -5 } } } } }"),
              HasSubstr("function 'f', attribute 'x': "));
  EXPECT_THAT(Error("tensor { dtype: DT_FLOAT tensor_content: 'abc' tensor_shape {} }"),
              HasSubstr("holds 3 bytes where float[] needs 4"));
}

TEST(AttrIoTest, TellsWhatAValueCannotHold) {
  EXPECT_TRUE(HasMoreThanValue(AttrFromText("shape { dim { size: 1 name: 'batch' } }")));
  EXPECT_TRUE(HasMoreThanValue(AttrFromText(
      "list { func { name: 'f' attr { key: 'x' value { shape { dim { name: 'n' } } } } } }")));
  EXPECT_TRUE(HasMoreThanValue(AttrFromText("tensor { dtype: DT_FLOAT version_number: 2 }")));
  tensorflow::AttrValue later = AttrFromText("i: 1");
  later.GetReflection()->MutableUnknownFields(&later)->AddVarint(99, 1);
  EXPECT_TRUE(HasMoreThanValue(later));
}

TEST(AttrIoTest, TensorsShareOneBudget) {
  ValueBudget budget(100);
  const auto big = AttrFromText("tensor { dtype: DT_INT8 tensor_shape { dim { size: 60 } } }");
  EXPECT_TRUE(AttrFromProto(big, &budget).ok());
  EXPECT_EQ(budget.left(), 40);
  EXPECT_EQ(AttrFromProto(big, &budget).status().code(), StatusCode::kResourceExhausted);
}

// The last of the strings given stands for all that follow.
TEST(AttrIoTest, RepeatedStringsCount) {
  const auto texts = AttrFromText(
      "tensor { dtype: DT_STRING tensor_shape { dim { size: 4 } } string_val: 'a' string_val: '" +
      std::string(1000, 'b') + "' }");
  ValueBudget budget(10'000);
  ASSERT_TRUE(AttrFromProto(texts, &budget).ok());
  const auto four = static_cast<int64_t>(4 * sizeof(std::string));
  EXPECT_EQ(budget.left(), 10'000 - four - 1 - 3 * 1000);
}

}  // namespace
}  // namespace warpbeam
