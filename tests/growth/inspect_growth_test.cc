// Ten times as large a graph takes `warpbeam inspect` at most 13 times as long.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "gtest/gtest.h"
#include "tests/growth/expect_growth.h"
#include "tools/cli/command.h"

namespace warpbeam {
namespace {

class InspectGrowthTest : public ::testing::TestWithParam<GraphForm> {};

TEST_P(InspectGrowthTest, TimeIsLinear) {
  const bool good = GetParam().fate != GraphForm::Fate::kRefused;
  ExpectGrowth(GetParam(), [good](const std::string& bytes, Stages* stages) {
    const std::string path = std::string(getenv("TEST_TMPDIR")) + "/graph.pb";
    std::ofstream(path, std::ios::binary) << bytes;
    std::ostringstream out, err;
    cli::Console console{out, err, false};
    int code = 0;
    stages->Time("inspect", [&] { code = cli::RunProgram({"inspect", path}, console); });
    EXPECT_EQ(code == 0, good) << (out.str() + err.str()).substr(0, 400);
  });
}

std::string NameOf(const ::testing::TestParamInfo<GraphForm>& info) {
  return TestNameOf(info.param);
}

INSTANTIATE_TEST_SUITE_P(Edges, InspectGrowthTest, ::testing::ValuesIn(FormsOfEdges()), NameOf);
INSTANTIATE_TEST_SUITE_P(Loops, InspectGrowthTest, ::testing::ValuesIn(FormsOfLoops()), NameOf);
INSTANTIATE_TEST_SUITE_P(Values, InspectGrowthTest, ::testing::ValuesIn(FormsOfValues()), NameOf);

}  // namespace
}  // namespace warpbeam
