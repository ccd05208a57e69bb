#include "examples/tower_spans.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace examples {
namespace {

using ::testing::HasSubstr;

NodeStats Node(absl::string_view name, absl::string_view op, int64_t start, int64_t end) {
  NodeStats node;
  node.node = name;
  node.op = op;
  node.device = name[name.find('_') + 1] == '0' ? "/device:GPU:0" : "/device:GPU:1";
  node.start_ns = 1000 + start;
  node.end_ns = 1000 + end;
  return node;
}

TEST(TowerSpansTest, WhenTowersWorked) {
  StepStats stats;
  stats.start_ns = 1000;
  stats.nodes = {
      Node("tower_0/fifo_queue_Dequeue", "QueueDequeueV2", 0, 900),
      Node("tower_0/a", "MatMul", 10, 30),
      Node("tower_0/b", "MatMul", 20, 40),
      Node("tower_1/a", "MatMul", 25, 35),
      Node("tower_0/c", "MatMul", 60, 70),
      Node("tower_1/c", "MatMul", 65, 90),
      Node("opt/update_w/Apply", "ApplyGradientDescent", 95, 99),
      Node("opt/update_b/Apply", "ApplyGradientDescent", 92, 93),
  };
  NodeStats copy = Node("tower_1/c", "_Copy", 0, 500);
  copy.is_copy = true;
  stats.nodes.push_back(copy);
  const TowerSpans spans = SpansOf(stats, {"tower_0/", "tower_1/"}, "/update_");
  ASSERT_EQ(spans.towers.size(), 2u);
  EXPECT_EQ(spans.towers[0].start_ns, 10);
  EXPECT_EQ(spans.towers[0].end_ns, 70);
  EXPECT_EQ(spans.towers[0].busy_ns, 40);
  EXPECT_EQ(spans.towers[1].device, "/device:GPU:1");
  EXPECT_EQ(spans.spans_overlap_ns, 70 - 25);
  EXPECT_EQ(spans.kernels_overlap_ns, 10 + 5);
  EXPECT_EQ(spans.first_update_ns, 92);
  EXPECT_EQ(spans.last_update_ns, 95);
  EXPECT_THAT(Describe(spans), HasSubstr("overlap for 0.00 ms, 75 % of the shortest"));
}

TEST(TowerSpansTest, TowersOneAfterTheOtherDoNotOverlap) {
  StepStats stats;
  stats.nodes = {Node("t_0/a", "MatMul", 0, 10), Node("t_1/a", "MatMul", 10, 20)};
  const TowerSpans spans = SpansOf(stats, {"t_0/", "t_1/", "t_2/"}, "/update_");
  EXPECT_EQ(spans.spans_overlap_ns, 0);
  EXPECT_EQ(spans.kernels_overlap_ns, 0);
  EXPECT_EQ(spans.towers[2].busy_ns, 0);
  EXPECT_THAT(Describe(spans), HasSubstr(" 0 % of the shortest"));
}

}  // namespace
}  // namespace examples
}  // namespace warpbeam
