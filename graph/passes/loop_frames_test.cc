#include "graph/passes/loop_frames.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

class LoopFramesTest : public ::testing::Test {
 protected:
  LoopFramesTest() {
    Register(OpSchemaBuilder("Input").Output("y: float"));
    Register(OpSchemaBuilder("Add").Input("a: float").Input("b: float").Output("y: float"));
    Register(OpSchemaBuilder("Enter")
                 .Role(OpRole::kEnter)
                 .Input("x: float")
                 .Output("y: float")
                 .Attr("frame_name: string"));
    Register(OpSchemaBuilder("NextIteration")
                 .Role(OpRole::kNextIteration)
                 .Input("x: float")
                 .Output("y: float"));
    Register(OpSchemaBuilder("Exit").Role(OpRole::kExit).Input("x: float").Output("y: float"));
  }
  void Register(const OpSchemaBuilder& builder) { ASSERT_TRUE(ops_.Register(builder).ok()); }
  OutputRef Add(const std::string& op, std::vector<OutputRef> inputs,
                const std::string& frame = "") {
    NodeSpec spec;
    spec.name = graph_.UniqueName(op);
    spec.op = op;
    if (!frame.empty()) spec.attrs.Set("frame_name", frame);
    auto node = graph_.AddNode(std::move(spec), std::move(inputs), {});
    EXPECT_TRUE(node.ok()) << node.status();
    return {(*node)->id(), 0};
  }
  std::string Check() { return std::string(CheckLoopFrames(graph_).message()); }

  OpRegistry ops_;
  Graph graph_{ops_};
};

TEST_F(LoopFramesTest, NestedFramesAreFine) {
  const OutputRef x = Add("Input", {});
  const OutputRef outer = Add("Enter", {x}, "outer"), also = Add("Enter", {x}, "outer");
  const OutputRef inner = Add("Enter", {outer}, "inner");
  const OutputRef sum = Add("Add", {Add("Exit", {inner}), also});
  Add("Add", {Add("Exit", {sum}), x});
  EXPECT_EQ(Check(), "");
}

TEST_F(LoopFramesTest, MixedFramesAreNamed) {
  const OutputRef x = Add("Input", {});
  Add("Add", {Add("Enter", {x}, "one"), Add("Enter", {x}, "two")});
  EXPECT_THAT(Check(), HasSubstr("'Enter' is in frame 'one', 'Enter_1' in frame 'two'"));
}

TEST_F(LoopFramesTest, FramesOfAPart) {
  const OutputRef x = Add("Input", {});
  const OutputRef outer = Add("Enter", {x}, "outer");
  const OutputRef inner = Add("Enter", {outer}, "inner");
  const OutputRef exit = Add("Exit", {inner});
  auto loops = FindLoopFrames(graph_, {x.node, outer.node, inner.node, exit.node}, {});
  ASSERT_TRUE(loops.ok()) << loops.status();
  ASSERT_EQ(loops->frames.size(), 3u);
  EXPECT_EQ(loops->frames[2].name, "inner");
  EXPECT_EQ(loops->frames[2].parent, 1);
  EXPECT_EQ(loops->frames[2].enter, inner.node);
  EXPECT_EQ(loops->frame_of, (std::vector<int32_t>{0, 1, 2, 1}));
  // What is fed comes from outside, so the Exit of a fed Enter leaves no loop.
  EXPECT_FALSE(FindLoopFrames(graph_, {exit.node}, {inner}).ok());
}

TEST_F(LoopFramesTest, NestingHasAnEnd) {
  OutputRef x = Add("Input", {});
  for (int i = 0; i < LoopFrames::kMostNesting; ++i) x = Add("Enter", {x}, "loop");
  EXPECT_EQ(Check(), "");
  Add("Enter", {Add("Exit", {x})}, "other");
  EXPECT_EQ(Check(), "");
  Add("Enter", {x}, "loop");
  EXPECT_THAT(Check(), HasSubstr("opens a frame inside of 1000 others"));
}

TEST_F(LoopFramesTest, ANextIterationNeedsALoop) {
  const OutputRef x = Add("Input", {});
  Add("Exit", {Add("Enter", {x}, "loop")});
  Add("NextIteration", {x});
  EXPECT_THAT(Check(), HasSubstr("is in none"));
}

TEST_F(LoopFramesTest, AnExitNeedsALoop) {
  Add("Exit", {Add("Input", {})});
  EXPECT_THAT(Check(), HasSubstr("is in none"));
}

}  // namespace
}  // namespace warpbeam
