#include "tools/cli/profile/trace_figures.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace cli {
namespace {

NodeStats Kernel(const char* op, const char* device, int core, int64_t start_us, int64_t end_us,
                 double share = 1) {
  NodeStats n;
  n.op = op;
  n.device = device;
  n.core = core;
  n.start_ns = start_us * 1000;
  n.end_ns = end_us * 1000;
  n.cpu_ns = static_cast<int64_t>(static_cast<double>(n.end_ns - n.start_ns) * share);
  n.input_bytes = 100;
  return n;
}

TEST(TraceFiguresTest, CountsNodesOfTheGraph) {
  StepStats stats;
  stats.nodes = {Kernel("MatMul", "a", 0, 0, 1), Kernel("MatMul", "a", 0, 1, 2),
                 Kernel("Reshape", "a", 0, 2, 3), Kernel("_Copy", "a->b", 0, 3, 4),
                 Kernel("IteratorGetNext", "a", 0, 4, 11)};
  const TraceFigures f = FiguresOf(stats);
  EXPECT_EQ(f.nodes_executed, 4);
  EXPECT_EQ(f.executed.at("MatMul"), 2);
  EXPECT_EQ(f.executed.count("_Copy"), 0u);
  EXPECT_EQ(f.bytes_read, 200);
  EXPECT_DOUBLE_EQ(f.input_wait_us, 7);
}

TEST(TraceFiguresTest, OverlapIsOfTheIdlerDevice) {
  StepStats stats;
  stats.nodes = {Kernel("MatMul", "a", 0, 0, 100), Kernel("MatMul", "b", 1, 50, 90)};
  EXPECT_DOUBLE_EQ(FiguresOf(stats).device_overlap, 100);
  stats.nodes = {Kernel("MatMul", "a", 0, 0, 100), Kernel("MatMul", "b", 1, 80, 120)};
  EXPECT_DOUBLE_EQ(FiguresOf(stats).device_overlap, 50);
}

TEST(TraceFiguresTest, OpenSpansOnOneCoreAreNoOverlap) {
  StepStats stats;
  stats.nodes = {Kernel("MatMul", "a", 0, 0, 100), Kernel("MatMul", "b", 0, 0, 100)};
  EXPECT_DOUBLE_EQ(FiguresOf(stats).device_overlap, 0);
  // A kernel that waits for a core most of its time has little to share.
  stats.nodes = {Kernel("MatMul", "a", 0, 0, 100, 0.1), Kernel("MatMul", "b", 1, 0, 50)};
  EXPECT_DOUBLE_EQ(FiguresOf(stats).device_overlap, 50);
  stats.nodes = {Kernel("MatMul", "a", 0, 0, 100)};
  EXPECT_DOUBLE_EQ(FiguresOf(stats).device_overlap, 0);
}

}  // namespace
}  // namespace cli
}  // namespace warpbeam
