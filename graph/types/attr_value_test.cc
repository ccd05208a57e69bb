#include "graph/types/attr_value.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Code = StatusCode;

FunctionRef Ref(const std::string& name, int64_t n) {
  FunctionRef f;
  f.name = name;
  f.attrs.Set("n", n);
  return f;
}

// A value of each kind and how it reads; no two are equal.
struct KindCase {
  AttrValue value;
  const char* kind;
  const char* text;
};
std::vector<KindCase> AllKinds() {
  return {
      {AttrValue(), "none", "<none>"},
      {int64_t{-3}, "int", "-3"},
      {0.5f, "float", "0.5"},
      {true, "bool", "true"},
      {DType::kInt32, "type", "int32"},
      {"a\"b\n", "string", "\"a\\\"b\\n\""},
      {PartialShape({-1, 3}), "shape", "[?,3]"},
      {Tensor::Vector<int32_t>({1, 2}), "tensor", "int32[2] 1 2"},
      {Ref("f", 2), "func", "f[n=2]"},
      {std::vector<int64_t>{1, 2}, "list(int)", "[1, 2]"},
      {std::vector<float>{1, 0.25f}, "list(float)", "[1, 0.25]"},
      {std::vector<bool>{true, false}, "list(bool)", "[true, false]"},
      {std::vector<DType>{DType::kFloat}, "list(type)", "[float]"},
      {std::vector<std::string>{"x", ""}, "list(string)", "[\"x\", \"\"]"},
      {std::vector<PartialShape>{PartialShape(), PartialShape({2})}, "list(shape)",
       "[<unknown>, [2]]"},
      {std::vector<Tensor>{Tensor::Scalar(1.0f)}, "list(tensor)", "[float[] 1]"},
      {std::vector<FunctionRef>{Ref("f", 1), {"g", {}}}, "list(func)", "[f[n=1], g]"},
      {AttrValue::EmptyList(), "list", "[]"},
      {AttrValue::Placeholder("T"), "placeholder", "$T"},
  };
}

TEST(AttrValueTest, EachKindReadsAndComparesAsItIs) {
  const std::vector<KindCase> all = AllKinds(), again = AllKinds();
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_STREQ(AttrValue::KindName(all[i].value.kind()), all[i].kind);
    EXPECT_EQ(all[i].value.ToString(), all[i].text);
    EXPECT_EQ(all[i].value.has_value(), i > 0);
    for (size_t k = 0; k < all.size(); ++k) {
      EXPECT_EQ(all[i].value == again[k].value, i == k) << all[i].text << " and " << all[k].text;
    }
  }
}

TEST(AttrValueTest, AnEmptyListIsOfAnyKind) {
  const AttrValue lists[] = {AttrValue::EmptyList(), std::vector<int64_t>(),
                             std::vector<std::string>(), std::vector<Tensor>(),
                             std::vector<FunctionRef>()};
  for (const AttrValue& list : lists) {
    EXPECT_EQ(list.list_size(), 0u);
    EXPECT_EQ(list, AttrValue::EmptyList());
    EXPECT_EQ(AttrValue::EmptyList(), list);
    EXPECT_NE(list, AttrValue(std::vector<int64_t>{0}));
    EXPECT_NE(list, AttrValue());
    EXPECT_NE(list, AttrValue("")) << "an empty text is no list";
  }
  EXPECT_THAT(AttrValue(int64_t{1}).list<int64_t>(), IsEmpty());
  EXPECT_THAT(AttrValue(std::vector<float>{1}).list<int64_t>(), IsEmpty());
}

// Plans are found by attributes: what computes otherwise is not equal.
TEST(AttrValueTest, NumbersCompareByTheirBits) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(AttrValue(nan), AttrValue(nan));
  EXPECT_NE(AttrValue(0.0f), AttrValue(-0.0f));
  EXPECT_EQ(AttrValue(std::vector<float>{nan}), AttrValue(std::vector<float>{nan}));
  EXPECT_NE(AttrValue(std::vector<float>{0.0f}), AttrValue(std::vector<float>{-0.0f}));
  EXPECT_NE(AttrValue(1.0000001f), AttrValue(1.0000002f)) << "a text shows six digits";
  EXPECT_NE(AttrValue(Tensor::Scalar(0.0f)), AttrValue(Tensor::Scalar(-0.0f)));
  EXPECT_NE(AttrValue(Tensor::Scalar(0.0f)), AttrValue(Tensor::Scalar<int32_t>(0)));
  std::vector<int32_t> many(100, 7);
  const AttrValue all_same = Tensor::Vector<int32_t>(many);
  many[99] = 8;
  EXPECT_NE(all_same, AttrValue(Tensor::Vector<int32_t>(many))) << "a text shows ten values";
  EXPECT_EQ(AttrValue(Tensor::Vector<std::string>({"a", "b"})),
            AttrValue(Tensor::Vector<std::string>({"a", "b"})));
  EXPECT_NE(AttrValue(Tensor::Vector<std::string>({"a", "b"})),
            AttrValue(Tensor::Vector<std::string>({"a", "c"})));
}

TEST(AttrMapTest, KeepsNamesInOrder) {
  AttrMap map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.Find("a"), nullptr);
  EXPECT_FALSE(map.Erase("a"));
  // More than are looked through one by one.
  for (int i = 39; i >= 0; --i) map.Set(absl::StrCat("n", 100 + i), int64_t{i});
  EXPECT_EQ(map.size(), 40u);
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(map.GetOr<int64_t>(absl::StrCat("n", 100 + i), -1), i);
    EXPECT_EQ((map.begin() + i)->first, absl::StrCat("n", 100 + i));
  }
  EXPECT_EQ(map.Find("n"), nullptr);
  EXPECT_EQ(map.Find("n999"), nullptr);
  map.Set("n120", "now a text");
  EXPECT_EQ(map.size(), 40u);
  EXPECT_EQ(map.GetOr<std::string>("n120", ""), "now a text");
  EXPECT_TRUE(map.Erase("n120"));
  EXPECT_EQ(map.Find("n120"), nullptr);
  EXPECT_EQ(map.size(), 39u);
}

TEST(AttrMapTest, AnotherKindIsToldByName) {
  AttrMap map;
  map.Set("k", int64_t{3});
  map.Set("none", AttrValue::EmptyList());
  EXPECT_EQ(*map.Get<int64_t>("k"), 3);
  const Status wrong = map.Get<float>("k").status();
  EXPECT_EQ(wrong.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("'k' is int, not float"));
  EXPECT_EQ(map.Get<int64_t>("other").status().code(), Code::kNotFound);
  EXPECT_EQ(map.GetOr<float>("k", 7.0f), 7);
  EXPECT_THAT(*map.Get<std::vector<std::string>>("none"), IsEmpty());
  EXPECT_THAT(map.GetOr<std::vector<int64_t>>("none", {1}), IsEmpty());
  EXPECT_THAT(map.GetOr<std::vector<int64_t>>("k", {1}), ElementsAre(1));
}

// Copies share their entries, and a change is only the changed one's.
TEST(AttrMapTest, AChangeStaysWithItsMap) {
  AttrMap first;
  first.Set("a", int64_t{1});
  EXPECT_EQ(first.shared_entries(), nullptr);
  AttrMap second = first;
  EXPECT_NE(first.shared_entries(), nullptr);
  EXPECT_EQ(first.shared_entries(), second.shared_entries());
  EXPECT_EQ(first, second);
  second.Set("a", int64_t{2});
  EXPECT_EQ(first.GetOr<int64_t>("a", 0), 1);
  EXPECT_EQ(second.GetOr<int64_t>("a", 0), 2);
  EXPECT_FALSE(first == second);
  AttrMap third = second;
  third.Erase("a");
  EXPECT_EQ(second.size(), 1u);
  EXPECT_TRUE(third == AttrMap());
  // From an entry of its own.
  second.Set("b", *second.Find("a"));
  EXPECT_EQ(second.GetOr<int64_t>("b", 0), 2);
}

}  // namespace
}  // namespace warpbeam
