#include "graph/types/span.h"

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;

int Sum(Span<const int> numbers) {
  int sum = 0;
  for (const int number : numbers) sum += number;
  return sum;
}

TEST(SpanTest, IsMadeFromWhateverHasElements) {
  const int array[] = {1, 2, 3};
  const std::vector<int> vector = {4, 5};
  EXPECT_EQ(Sum(array), 6);
  EXPECT_EQ(Sum(vector), 9);
  EXPECT_EQ(Sum(std::array<int, 2>{6, 7}), 13);
  EXPECT_EQ(Sum({8, 9}), 17);
  EXPECT_EQ(Sum({}), 0);
  EXPECT_EQ(Sum(Span<const int>()), 0);
  EXPECT_EQ(Sum(std::vector<int>{1}), 1);
  const Span<const char> text(std::string_view("ab"));
  EXPECT_EQ(text.size(), 2u);
}

TEST(SpanTest, WritesWhatIsNotConst) {
  std::vector<int> numbers = {1, 2, 3};
  const Span<int> all = MakeSpan(numbers);
  all[1] = 20;
  for (int& number : all) ++number;
  EXPECT_THAT(numbers, ElementsAre(2, 21, 4));
  EXPECT_EQ(Sum(all), 27);
  static_assert(!std::is_constructible_v<Span<int>, const std::vector<int>&>, "it would write");
  static_assert(std::is_convertible_v<Span<int>, Span<const int>>, "reading is less");
}

TEST(SpanTest, TakesNoElementsOfAnotherSize) {
  struct Base {
    int a;
  };
  struct Derived : Base {
    int b;
  };
  static_assert(!std::is_constructible_v<Span<Base>, std::vector<Derived>&>, "strides differ");
  static_assert(!std::is_constructible_v<Span<const int64_t>, const std::vector<int>&>,
                "as do these");
}

TEST(SpanTest, PartsEndWhereTheWholeDoes) {
  const std::vector<int> numbers = {1, 2, 3, 4};
  const Span<const int> all = numbers;
  EXPECT_THAT(all.subspan(1, 2), ElementsAre(2, 3));
  EXPECT_THAT(all.subspan(2), ElementsAre(3, 4));
  EXPECT_THAT(all.subspan(3, 9), ElementsAre(4));
  EXPECT_TRUE(all.subspan(9).empty());
  EXPECT_THAT(all.first(2), ElementsAre(1, 2));
  EXPECT_THAT(all.last(1), ElementsAre(4));
  EXPECT_THAT(all.last(9), ElementsAre(1, 2, 3, 4));
  Span<const int> rest = all;
  rest.remove_prefix(1);
  rest.remove_suffix(2);
  EXPECT_THAT(rest, ElementsAre(2));
  rest.remove_suffix(9);
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(all.front() + all.back(), 5);
  EXPECT_THAT(std::vector<int>(all.rbegin(), all.rend()), ElementsAre(4, 3, 2, 1));
}

TEST(SpanTest, ComparesElements) {
  std::vector<int> a = {1, 2};
  const std::vector<int> b = {1, 2}, c = {1, 3}, d = {1};
  EXPECT_TRUE(MakeConstSpan(a) == MakeConstSpan(b));
  EXPECT_TRUE(MakeSpan(a) == MakeConstSpan(b));
  EXPECT_TRUE(MakeConstSpan(a) == b);
  EXPECT_TRUE(b == MakeConstSpan(a));
  EXPECT_TRUE(MakeConstSpan(a) != c);
  EXPECT_TRUE(MakeConstSpan(a) != MakeConstSpan(d));
  EXPECT_TRUE(MakeConstSpan(d) < MakeConstSpan(b));
  EXPECT_FALSE(MakeConstSpan(c) < MakeConstSpan(b));
}

TEST(SpanTest, IsAKey) {
  const std::vector<int> a = {1, 2}, b = {1, 2}, c = {2, 1};
  absl::flat_hash_map<Span<const int>, std::string> names;
  names[MakeConstSpan(a)] = "up";
  names[MakeConstSpan(c)] = "down";
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(names[MakeConstSpan(b)], "up");
}

}  // namespace
}  // namespace warpbeam
