#include "graph/types/nearest_name.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

std::string Nearest(absl::string_view wanted, std::initializer_list<const char*> names) {
  NearestName nearest(wanted);
  for (const char* name : names) nearest.Offer(name);
  return nearest.name();
}

TEST(NearestName, FewLettersDiffer) {
  EXPECT_EQ(Nearest("los", {"labels", "loss", "x"}), "loss");
  EXPECT_EQ(Nearest("tower_0/los", {"tower_1/loss", "tower_0/loss"}), "tower_0/loss");
  EXPECT_EQ(Nearest("MatMull", {"MatMul_1", "MatMul"}), "MatMul");
  EXPECT_EQ(Nearest("bat", {"hat", "cat"}), "cat");
}

TEST(NearestName, InsideOfScopes) {
  EXPECT_EQ(Nearest("BiasAdd", {"tower/model/dense/BiasAdd", "model/dense/BiasAdd", "MyBiasAdd"}),
            "model/dense/BiasAdd");
}

TEST(NearestName, NothingIsNear) {
  EXPECT_EQ(Nearest("prediction", {"loss", "x", "labels"}), "");
  EXPECT_EQ(Nearest("", {"a"}), "");
  EXPECT_EQ(Nearest(std::string(1'000'000, 'n'), {"n"}), "");
  EXPECT_EQ(NearestName("x").Question(), "");
}

TEST(NearestName, AsksAQuestion) {
  NearestName nearest("los");
  nearest.Offer("loss");
  EXPECT_EQ(nearest.Question(), "; did you mean 'loss'?");
}

}  // namespace
}  // namespace warpbeam
