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

bool Repeats(const std::vector<int64_t>& places, size_t run, size_t period) {
  for (size_t i = 0; i < places.size(); ++i) {
    if (i / run % period != static_cast<size_t>(places[i])) return false;
  }
  return true;
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
      if (repetition.has_value()) {
        ++found;
        EXPECT_EQ(repetition->period, from.num_elements());
        EXPECT_TRUE(Repeats(places, repetition->run, repetition->period));
        continue;
      }
      // There is none.
      ++others;
      for (size_t run = 1; run <= places.size(); ++run) {
        EXPECT_FALSE(Repeats(places, run, static_cast<size_t>(from.num_elements()))) << run;
      }
    }
  }
  EXPECT_GT(found, 1000);
  EXPECT_GT(others, 100);
  EXPECT_FALSE(RepetitionOf(Shape({2, 1, 3}), Shape({2, 4, 3})).has_value());
}

TEST(RepetitionOf, NothingForWhatALaunchCannotCount) {
  EXPECT_TRUE(RepetitionOf(Shape({1 << 15}), Shape({(1 << 15) - 1, 1 << 15})).has_value());
  EXPECT_FALSE(RepetitionOf(Shape({1 << 15}), Shape({1 << 15, 1 << 15})).has_value());
  EXPECT_FALSE(RepetitionOf(Shape({1}), Shape({0})).has_value());
}

}  // namespace
}  // namespace warpbeam
