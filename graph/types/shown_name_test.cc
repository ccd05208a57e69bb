#include "graph/types/shown_name.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

TEST(ShownName, ShortNamesStandAsTheyAre) {
  EXPECT_EQ(ShownName(""), "");
  EXPECT_EQ(ShownName("tower_0/loss"), "tower_0/loss");
  EXPECT_EQ(ShownName(std::string(200, 'n')), std::string(200, 'n'));
}

TEST(ShownName, LongOnesAreCutBetweenCharacters) {
  EXPECT_EQ(ShownName(std::string(1'000'000, 'n')), std::string(200, 'n') + "…");
  // 199 bytes and the two of "ä", which does not fit whole.
  EXPECT_EQ(ShownName(std::string(199, 'n') + "ä" + "n"), std::string(199, 'n') + "…");
  EXPECT_EQ(ShownName(std::string(1000, '\x80')), "…");
  EXPECT_EQ(ShownMessage(std::string(5000, 'm')), std::string(4000, 'm') + "…");
}

TEST(ShownName, AStatusKeepsAllButTheRestOfItsMessage) {
  Status status = NotFound(std::string(5000, 'm'));
  status.SetPayload("of/the/test", "kept");
  const Status shown = ShownStatus(status);
  EXPECT_EQ(shown.code(), StatusCode::kNotFound);
  EXPECT_EQ(shown.message(), ShownMessage(status.message()));
  ASSERT_NE(shown.FindPayload("of/the/test"), nullptr);
  EXPECT_EQ(*shown.FindPayload("of/the/test"), "kept");
  EXPECT_EQ(ShownStatus(NotFound("short")), NotFound("short"));
  EXPECT_TRUE(ShownStatus(OkStatus()).ok());
}

}  // namespace
}  // namespace warpbeam
