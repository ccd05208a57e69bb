#include "tools/cli/literal.h"

#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor Parsed(absl::string_view text, DType dtype) {
  auto tensor = ParseLiteral(text, dtype);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return tensor.ok() ? *std::move(tensor) : Tensor();
}

std::string Problem(absl::string_view text, DType dtype) {
  const auto tensor = ParseLiteral(text, dtype);
  EXPECT_EQ(tensor.status().code(), StatusCode::kInvalidArgument) << text;
  return std::string(tensor.status().message());
}

TEST(Literal, ScalarsAndNestedLists) {
  const Tensor scalar = Parsed("3.5", DType::kDouble);
  EXPECT_EQ(scalar.rank(), 0);
  EXPECT_EQ(scalar.scalar<double>(), 3.5);
  const Tensor list = Parsed(" [ 1, -2 ,3e1 ] ", DType::kFloat);
  EXPECT_THAT(list.flat<float>(), ElementsAre(1, -2, 30));
  const Tensor matrix = Parsed("[[1,2],[3,4],[5,6]]", DType::kInt32);
  EXPECT_EQ(matrix.shape(), Shape({3, 2}));
  EXPECT_THAT(matrix.flat<int32_t>(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(Parsed("[]", DType::kInt64).shape(), Shape({0}));
  EXPECT_EQ(Parsed("[[],[]]", DType::kInt64).shape(), Shape({2, 0}));
}

TEST(Literal, EveryKindOfValue) {
  EXPECT_THAT(Parsed("[true,false,1]", DType::kBool).flat<bool>(), ElementsAre(true, false, true));
  EXPECT_THAT(Parsed("[9007199254740993]", DType::kInt64).flat<int64_t>(),
              ElementsAre(9007199254740993));
  EXPECT_THAT(Parsed("[18446744073709551615]", DType::kUInt64).flat<uint64_t>(),
              ElementsAre(18446744073709551615u));
  EXPECT_TRUE(std::isnan(Parsed("nan", DType::kFloat).scalar<float>()));
  EXPECT_TRUE(std::isinf(Parsed("-inf", DType::kFloat).scalar<float>()));
  EXPECT_EQ(static_cast<float>(Parsed("0.5", DType::kHalf).scalar<Half>()), 0.5f);
  EXPECT_THAT(Parsed(R"(["a, b]", plain, "tab\t\""])", DType::kString).flat<std::string>(),
              ElementsAre("a, b]", "plain", "tab\t\""));
}

TEST(Literal, ProblemsSayWhere) {
  EXPECT_THAT(Problem("[1,2", DType::kFloat), HasSubstr("']' is missing at character 5"));
  EXPECT_THAT(Problem("[[1,2],[3]]", DType::kFloat), HasSubstr("a list of 1"));
  EXPECT_THAT(Problem("[1,[2]]", DType::kFloat), HasSubstr("a list among values"));
  EXPECT_THAT(Problem("[[1],2]", DType::kFloat), HasSubstr("a value among lists"));
  EXPECT_THAT(Problem("[1,,2]", DType::kFloat), HasSubstr("a value is missing"));
  EXPECT_THAT(Problem("1]", DType::kFloat), HasSubstr("more than one value"));
  EXPECT_THAT(Problem("[1,x]", DType::kFloat), HasSubstr("'x' at character 4 is no float"));
  EXPECT_THAT(Problem("300", DType::kUInt8), HasSubstr("'300'"));
  EXPECT_THAT(Problem("-1", DType::kUInt32), HasSubstr("'-1'"));
  EXPECT_THAT(Problem("1.5", DType::kInt32), HasSubstr("is no int32"));
  EXPECT_THAT(Problem("\"a", DType::kString), HasSubstr("'\"' is missing"));
  EXPECT_THAT(Problem(std::string(99, '['), DType::kFloat), HasSubstr("too deeply"));
  EXPECT_EQ(ParseLiteral("1", DType::kComplex64).status().code(), StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace cli
}  // namespace warpbeam
