// What must hold of every layout of loops, whatever the graph.
#include "runtime/plan/frame_plan.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "tests/plan/graph_maker.h"
#include "tests/runtime/probed_plan.h"

namespace warpbeam {
namespace {

// A loop that counts from zero to `limit`, which runs `body` on the count.
template <class Body>
OutputRef Count(GraphMaker* g, const char* frame, OutputRef zero, OutputRef limit, Body body) {
  const OutputRef merge =
      g->List("Merge", "merge", std::vector<OutputRef>(2, g->Enter(zero, false, frame)));
  const OutputRef last = g->Enter(limit, true, frame);
  const OutputRef goes_on = g->Add("LoopCond", "cond", {g->Add("Less", "less", {merge, last})});
  const OutputRef branch = g->Add("Switch", "branch", {merge, goes_on});
  g->Close(merge, body(OutputRef{branch.node, 1}));
  return g->Add("Exit", "exit", {{branch.node, 0}});
}

void OneLoop(GraphMaker* g) {
  const OutputRef zero = g->Constant("zero", Tensor::Scalar(0));
  const OutputRef ten = g->Constant("ten", Tensor::Scalar(10));
  const OutputRef one = g->Enter(g->Constant("one", Tensor::Scalar(1)), true);
  const OutputRef left = Count(g, "loop", zero, ten, [&](OutputRef x) {
    return g->Add("AddV2", "add", {x, one});
  });
  g->Add("Identity", "end", {left});
}

void NestedLoops(GraphMaker* g) {
  const OutputRef zero = g->Constant("zero", Tensor::Scalar(0));
  const OutputRef ten = g->Constant("ten", Tensor::Scalar(10));
  const OutputRef one = g->Enter(g->Constant("one", Tensor::Scalar(1)), true, "outer");
  const OutputRef three = g->Enter(g->Constant("three", Tensor::Scalar(3)), true, "outer");
  const OutputRef left = Count(g, "outer", zero, ten, [&](OutputRef x) {
    const OutputRef step = g->Enter(one, true, "inner");
    const OutputRef inner =
        Count(g, "inner", g->Add("ZerosLike", "start", {x}), three, [&](OutputRef y) {
          return g->Add("AddV2", "step", {y, step});
        });
    return g->Add("AddV2", "add", {x, inner});
  });
  g->Add("Identity", "end", {left});
}

void LoopWithBranch(GraphMaker* g) {
  const OutputRef zero = g->Constant("zero", Tensor::Scalar(0));
  const OutputRef ten = g->Constant("ten", Tensor::Scalar(10));
  const OutputRef one = g->Enter(g->Constant("one", Tensor::Scalar(1)), true);
  const OutputRef two = g->Enter(g->Constant("two", Tensor::Scalar(2)), true);
  const OutputRef left = Count(g, "loop", zero, ten, [&](OutputRef x) {
    const OutputRef taken = g->Add("Switch", "inside", {x, g->Add("Less", "small", {x, two})});
    return g->List("Merge", "joined",
                   {g->Add("AddV2", "by_two", {{taken.node, 0}, two}),
                    g->Add("AddV2", "by_one", {{taken.node, 1}, one})});
  });
  g->Add("Identity", "end", {left});
}

void TwoLoops(GraphMaker* g) {
  const OutputRef zero = g->Constant("zero", Tensor::Scalar(0));
  const OutputRef ten = g->Constant("ten", Tensor::Scalar(10));
  std::vector<OutputRef> left;
  for (const char* frame : {"first", "second"}) {
    const OutputRef one = g->Enter(g->Constant("one", Tensor::Scalar(1)), true, frame);
    left.push_back(Count(g, frame, left.empty() ? zero : left[0], ten, [&](OutputRef x) {
      return g->Add("AddV2", "add", {x, one});
    }));
  }
  g->Add("AddV2", "end", left);
}

struct LoopCase {
  const char* name;
  void (*make)(GraphMaker* g);  // with a node "end", which is fetched
  size_t loops;
  int32_t result;
};
constexpr LoopCase kCases[] = {
    {"one_loop", OneLoop, 1, 10},
    {"nested_loops", NestedLoops, 2, 12},
    {"loop_with_branch", LoopWithBranch, 1, 10},
    {"two_loops", TwoLoops, 2, 20},
};

class FramePlanTest : public ::testing::TestWithParam<LoopCase> {
 protected:
  void SetUp() override {
    GraphMaker maker;
    GetParam().make(&maker);
    SessionOptions options;
    options.passes = "none";
    auto plan = ProbedPlan::Compile(options, maker.graph(), {"end:0"}, {});
    ASSERT_TRUE(plan.ok()) << plan.status();
    plan_ = *std::move(plan);
  }
  const Program& program() const { return plan_->plan().program; }
  const FramePlan& frames() const { return *program().frames; }

  std::unique_ptr<ProbedPlan> plan_;
};

TEST_P(FramePlanTest, FramesAreATree) {
  ASSERT_EQ(frames().frames.size(), 1 + GetParam().loops);
  std::map<int32_t, std::set<int32_t>> children;
  for (size_t f = 1; f < frames().frames.size(); ++f) {
    const FrameLayout& frame = frames().frames[f];
    EXPECT_LT(frame.parent, static_cast<int32_t>(f));
    EXPECT_TRUE(children[frame.parent].insert(frame.child_index).second);
  }
  for (size_t f = 0; f < frames().frames.size(); ++f) {
    const int32_t count = frames().frames[f].num_children;
    EXPECT_EQ(children[static_cast<int32_t>(f)].size(), static_cast<size_t>(count));
    for (int32_t c = 0; c < count; ++c) EXPECT_EQ(children[static_cast<int32_t>(f)].count(c), 1u);
  }
}

TEST_P(FramePlanTest, EachItemHasAStateOfItsFrame) {
  std::map<int32_t, std::set<int32_t>> states;
  for (const FrameItem& item : frames().items) {
    EXPECT_TRUE(states[item.frame].insert(item.index).second);
    EXPECT_LT(item.index, static_cast<int32_t>(frames().frames[item.frame].states.size()));
  }
}

// What an item waits for is counted once for each edge that comes to it.
TEST_P(FramePlanTest, PendingCountsAreThoseOfTheEdges) {
  std::vector<int32_t> data(frames().items.size(), 0), controls(frames().items.size(), 0);
  for (const FrameEdge& edge : frames().edges) ++(edge.output >= 0 ? data : controls)[edge.item];
  for (size_t i = 0; i < frames().items.size(); ++i) {
    const FrameItem& item = frames().items[i];
    const int32_t pending = frames().frames[item.frame].states[item.index].pending;
    const bool is_merge = item.kind == FrameKind::kMerge;
    EXPECT_EQ(pending, is_merge ? 2 * controls[i] + 1 : data[i] + controls[i])
        << plan_->plan().DescribeItem(static_cast<int32_t>(i));
  }
}

TEST_P(FramePlanTest, EntersOpenALoopOfTheirFrame) {
  std::vector<int32_t> enters(frames().frames.size(), 0), exits(frames().frames.size(), 0);
  for (const FrameItem& item : frames().items) {
    if (item.kind == FrameKind::kExit) ++exits[item.frame];
    if (item.kind != FrameKind::kEnter && item.kind != FrameKind::kConstantEnter) continue;
    ++enters[item.enters];
    EXPECT_EQ(frames().frames[item.enters].parent, item.frame);
  }
  for (size_t f = 1; f < frames().frames.size(); ++f) {
    EXPECT_EQ(frames().frames[f].num_enters, enters[f]);
    EXPECT_EQ(frames().frames[f].num_exits, exits[f]);
  }
}

TEST_P(FramePlanTest, SlotsAreNumberedWithinTheirFrames) {
  for (size_t i = 0; i < frames().items.size(); ++i) {
    const PlanItem& item = program().items[i];
    const int32_t size = frames().frames[frames().items[i].frame].num_slots;
    for (int32_t k = 0; k < item.info.num_inputs; ++k) EXPECT_LT(item.info.input_slots[k], size);
  }
}

TEST_P(FramePlanTest, Runs) {
  std::vector<Tensor> fetched;
  ASSERT_TRUE(plan_->Run(0, &fetched).ok());
  EXPECT_EQ(fetched[0].scalar<int32_t>(), GetParam().result);
}

INSTANTIATE_TEST_SUITE_P(Loops, FramePlanTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace warpbeam
