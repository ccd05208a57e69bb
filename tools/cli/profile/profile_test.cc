#include "tools/cli/profile/profile.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/cli/profile/profile_svg.h"

namespace warpbeam {
namespace cli {
namespace {

using ::testing::HasSubstr;

// Two devices of a step of 100 us: CPU busy 0-40, GPU 30-80, a copy 20-60, critical a, copy, c.
StepStats Example() {
  StepStats stats;
  stats.end_ns = 100'000;
  const auto add = [&](const char* node, const char* op, const char* device, int64_t start,
                       int64_t end, const std::vector<int32_t>& predecessors) {
    NodeStats n;
    n.node = node;
    n.op = op;
    n.device = device;
    n.start_ns = start;
    n.end_ns = end;
    n.output_bytes = 64;
    n.predecessors.assign(predecessors.begin(), predecessors.end());
    stats.nodes.push_back(std::move(n));
  };
  add("a", "MatMul", "/device:CPU:0", 0, 20'000, {});
  add("b", "Relu", "/device:CPU:0", 20'000, 40'000, {0});
  add("a", "_Copy", "/device:GPU:0", 20'000, 60'000, {0});
  stats.nodes[2].is_copy = true;
  stats.nodes[2].copy_to = "/device:GPU:0";
  add("d", "Relu", "/device:GPU:0", 30'000, 50'000, {});
  add("c<1>", "Relu", "/device:GPU:0", 60'000, 80'000, {2});
  return stats;
}

TEST(ProfileTest, SumsOpsCopiesAndDevices) {
  const Profile p = ProfileOf({Example(), Example()});
  EXPECT_EQ(p.steps, 2);
  EXPECT_EQ(p.step_ns, 100'000);
  EXPECT_EQ(p.critical_ns, 80'000);
  ASSERT_EQ(p.ops.size(), 2u);
  EXPECT_EQ(p.ops[0].op, "Relu");
  EXPECT_EQ(p.ops[0].count, 3);
  EXPECT_EQ(p.ops[0].ns, 60'000);
  EXPECT_EQ(p.ops[0].critical_ns, 20'000);
  ASSERT_EQ(p.copies.size(), 1u);
  EXPECT_EQ(p.copies[0].bytes, 64);
  ASSERT_EQ(p.devices.size(), 2u);
  EXPECT_EQ(p.devices[0].busy_ns, 40'000);
  EXPECT_EQ(p.devices[0].overlap_ns, 10'000);
  EXPECT_EQ(p.devices[0].idle_ns, 60'000);
  EXPECT_EQ(p.devices[1].busy_ns, 40'000);
  EXPECT_EQ(p.devices[1].copy_ns, 40'000);
  EXPECT_EQ(p.devices[1].hidden_copy_ns, 20'000);
}

TEST(ProfileTest, TextListsAtMostSoManyRows) {
  const std::string text = ProfileText(ProfileOf({Example()}), 1);
  EXPECT_THAT(text, HasSubstr("a, host memory -> /device:GPU:0"));
  EXPECT_THAT(text, HasSubstr("  Relu\n"));
  EXPECT_EQ(text.find("  MatMul\n"), std::string::npos);
  EXPECT_THAT(ProfileText(ProfileOf({}), 10), HasSubstr("average of 0"));
}

TEST(ProfileTest, PictureHasABarForEachNode) {
  const StepStats stats = Example();
  const std::string svg = ProfileSvg(ProfileOf({stats}), stats);
  EXPECT_THAT(svg, HasSubstr("c&lt;1&gt; (Relu), 20.0 µs, on the critical path"));
  EXPECT_THAT(svg, HasSubstr(">GPU:0 copies in</text>"));
  EXPECT_THAT(svg, HasSubstr("<path "));
  EXPECT_EQ(svg.find("c<1>"), std::string::npos);
}

}  // namespace
}  // namespace cli
}  // namespace warpbeam
