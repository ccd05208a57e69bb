#include "runtime/lower/repetition.h"

#include <vector>

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

std::vector<Shape> Shapes() {
  std::vector<Shape> shapes = {Shape()};
  for (const int64_t a : {1, 2, 3}) {
    shapes.push_back(Shape({a}));
    for (const int64_t b : {1, 2, 3}) {
      shapes.push_back(Shape({a, b}));
      for (const int64_t c : {1, 2, 3}) {
        shapes.push_back(Shape({a, b, c}));
        for (const int64_t d : {1, 2, 3}) shapes.push_back(Shape({a, b, c, d}));
      }
    }
  }
  return shapes;
}

// The element of `from` that broadcasting puts at each place; empty where it does not fit.
std::vector<int64_t> Places(const Shape& from, const Shape& to) {
  if (from.rank() > to.rank()) return {};
  std::vector<int64_t> places;
  for (int64_t i = 0; i < to.num_elements(); ++i) {
    int64_t rest = i, place = 0, stride = 1;
    for (int k = 1; k <= to.rank(); ++k) {
      const int64_t extent = to.dim(to.rank() - k), index = rest % extent;
      rest /= extent;
      if (k > from.rank()) continue;
      const int64_t own = from.dim(from.rank() - k);
      if (own != extent && own != 1) return {};
      if (own != 1) place += index * stride;
      stride *= own;
    }
    places.push_back(place);
  }
  return places;
}

TEST(RepetitionOf, IsWhereBroadcastingPutsElements) {
  int found = 0, others = 0;
  for (const Shape& to : Shapes()) {
    for (const Shape& from : Shapes()) {
      SCOPED_TRACE(from.ToString() + " in " + to.ToString());
      const std::vector<int64_t> places = Places(from, to);
      const auto repetition = RepetitionOf(from, to);
      if (places.empty()) {
        EXPECT_FALSE(repetition.has_value());
        continue;
      }
      if (!repetition.has_value()) {
        ++others;
        continue;
      }
      ++found;
      EXPECT_EQ(repetition->period, from.num_elements());
      for (size_t i = 0; i < places.size(); ++i) {
        EXPECT_EQ(i / repetition->run % repetition->period, static_cast<size_t>(places[i])) << i;
      }
    }
  }
  // Of four dimensions and fewer, those with a hole between two that are kept.
  EXPECT_GT(found, 20 * others);
  EXPECT_FALSE(RepetitionOf(Shape({2, 1, 3}), Shape({2, 4, 3})).has_value());
}

TEST(RepetitionOf, NothingForWhatALaunchCannotCount) {
  EXPECT_TRUE(RepetitionOf(Shape({1 << 15}), Shape({(1 << 15) - 1, 1 << 15})).has_value());
  EXPECT_FALSE(RepetitionOf(Shape({1 << 15}), Shape({1 << 15, 1 << 15})).has_value());
  EXPECT_FALSE(RepetitionOf(Shape({1}), Shape({0})).has_value());
}

}  // namespace
}  // namespace warpbeam
