#include "examples/speed_up.h"

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace examples {
namespace {

using ::testing::HasSubstr;

const std::vector<SpeedOfDevices> kSpeeds = {{1, 100}, {2, 180}, {4, 250}};

TEST(SpeedUpTest, Table) {
  EXPECT_EQ(SpeedUpTable(kSpeeds),
            "devices  examples/sec  speed-up\n"
            "      1         100.0     1.00x\n"
            "      2         180.0     1.80x\n"
            "      4         250.0     2.50x\n");
}

TEST(SpeedUpTest, PlotShowsEachMeasurement) {
  const std::string path = testing::TempDir() + "/speed_up.svg";
  ASSERT_TRUE(WriteSpeedUpPlot(kSpeeds, path).ok());
  std::ifstream file(path);
  const std::string svg((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(svg, SpeedUpPlot(kSpeeds));
  for (const char* part : {"<svg", "1.00x", "1.80x", "2.50x", "stroke-dasharray", "</svg>"}) {
    EXPECT_THAT(svg, HasSubstr(part));
  }
  // Four devices, perfectly, are at the upper right end of the axes.
  EXPECT_THAT(svg, HasSubstr("424.0,56.0"));
}

TEST(SpeedUpTest, Errors) {
  EXPECT_FALSE(WriteSpeedUpPlot({}, testing::TempDir() + "/none.svg").ok());
  const Status status = WriteSpeedUpPlot(kSpeeds, "/no/such/folder/plot.svg");
  EXPECT_THAT(std::string(status.message()), HasSubstr("/no/such/folder/plot.svg"));
}

}  // namespace
}  // namespace examples
}  // namespace warpbeam
