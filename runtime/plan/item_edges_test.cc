#include "runtime/plan/item_edges.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ItemEdgesTest, KeepsWhatEachItemWaitsFor) {
  ItemEdges edges;
  EXPECT_EQ(edges.size(), 0);
  edges.Append({});
  edges.Append({0});
  edges.Append({0, 1});
  EXPECT_EQ(edges.size(), 3);
  EXPECT_THAT(edges.of(0), IsEmpty());
  EXPECT_THAT(edges.of(2), ElementsAre(0, 1));
}

TEST(ItemEdgesTest, RenumbersItems) {
  ItemEdges edges;
  edges.Append({});
  edges.Append({0});
  edges.Append({1});
  edges.Renumber({1, 2, 0});
  EXPECT_THAT(edges.of(1), IsEmpty());
  EXPECT_THAT(edges.of(2), ElementsAre(1));
  EXPECT_THAT(edges.of(0), ElementsAre(2));
}

}  // namespace
}  // namespace warpbeam
