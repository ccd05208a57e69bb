#include "tools/cli/arguments.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Fixture {
  std::string file = "a.pb";
  int steps = 1;
  double budget = 0.5;
  bool soft = true;
  std::vector<std::string> names;
  std::vector<std::string> values;
  Arguments args{"warpbeam x FILE", "Does x."};
  Fixture() {
    args.String("file", &file, "the file");
    args.Int("steps", &steps, "how often");
    args.Double("budget", &budget, "how long");
    args.Bool("soft", &soft, "softly");
    args.Strings("name", &names, "names");
    args.WholeStrings("value", &values, "values");
  }
};

TEST(ArgumentsTest, TakesEveryForm) {
  Fixture f;
  ASSERT_TRUE(
      f.args
          .Parse({"one", "--file=b.pb", "--steps", "3", "--nosoft", "--name=x,y", "--budget=1e-3",
                  "--name", "z", "--value=[1,2]", "--value", "3", "two", "--", "--not-a-flag"})
          .ok());
  EXPECT_EQ(f.file, "b.pb");
  EXPECT_EQ(f.steps, 3);
  EXPECT_EQ(f.budget, 1e-3);
  EXPECT_FALSE(f.soft);
  EXPECT_THAT(f.names, ElementsAre("x", "y", "z"));
  EXPECT_THAT(f.values, ElementsAre("[1,2]", "3"));
  EXPECT_THAT(f.args.words(), ElementsAre("one", "two", "--not-a-flag"));
}

TEST(ArgumentsTest, NamesMayHaveDashes) {
  bool log_device_placement = false, inter_op = true;
  Arguments args("warpbeam x", "Does x.");
  args.Bool("log_device_placement", &log_device_placement, "");
  args.Bool("inter_op", &inter_op, "");
  ASSERT_TRUE(args.Parse({"--log-device-placement", "--nointer-op"}).ok());
  EXPECT_TRUE(log_device_placement);
  EXPECT_FALSE(inter_op);
}

TEST(ArgumentsTest, BoolsWithAndWithoutValue) {
  Fixture f;
  f.soft = false;
  ASSERT_TRUE(f.args.Parse({"--soft"}).ok());
  EXPECT_TRUE(f.soft);
  ASSERT_TRUE(f.args.Parse({"--soft=false"}).ok());
  EXPECT_FALSE(f.soft);
}

std::string Error(const std::vector<std::string>& words) {
  Fixture f;
  return std::string(f.args.Parse(words).message());
}

TEST(ArgumentsTest, SaysWhatIsWrong) {
  EXPECT_THAT(Error({"--fil=x"}), HasSubstr("there is no flag --fil;"));
  EXPECT_THAT(Error({"--steps=many"}), HasSubstr("--steps: 'many' is no whole number"));
  EXPECT_THAT(Error({"--budget=x"}), HasSubstr("--budget: 'x' is no number"));
  EXPECT_THAT(Error({"--soft=maybe"}), HasSubstr("neither true nor false"));
  EXPECT_THAT(Error({"--file"}), HasSubstr("--file needs a value"));
  EXPECT_THAT(Error({"--nofile"}), HasSubstr("there is no flag --nofile"));
}

TEST(ArgumentsTest, HelpShowsFlagsAndDefaults) {
  Fixture f;
  ASSERT_TRUE(f.args.Parse({"--help"}).ok());
  EXPECT_TRUE(f.args.help_wanted());
  EXPECT_THAT(f.args.Help(), HasSubstr("Does x.\n\nFlags:\n"));
  EXPECT_THAT(f.args.Help(), HasSubstr("--steps=…"));
  EXPECT_THAT(f.args.Help(), HasSubstr("how often [1]\n"));
}

}  // namespace
}  // namespace cli
}  // namespace warpbeam
