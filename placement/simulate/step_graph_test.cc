#include "placement/simulate/step_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "placement/simulate/simulation_report.h"
#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StepGraphTest : public ::testing::Test {
 protected:
  StepGraphTest() {
    toy_.UsualOps();
    const auto add = [&](OpSchemaBuilder builder, const std::string& op) {
      ASSERT_TRUE(toy_.registry.Register(builder).ok());
      toy_.catalog.Add(op, "cpu");
    };
    add(OpSchemaBuilder("Enter")
            .Role(OpRole::kEnter)
            .Input("x: float")
            .Output("y: float")
            .Attr("frame_name: string"),
        "Enter");
    add(OpSchemaBuilder("Merge")
            .Role(OpRole::kMerge)
            .Input("x: N * float")
            .Output("y: float")
            .Output("index: int32")
            .Attr("N: int >= 1"),
        "Merge");
    add(OpSchemaBuilder("NextIteration")
            .Role(OpRole::kNextIteration)
            .Input("x: float")
            .Output("y: float"),
        "NextIteration");
    auto machine = Machine::Usual(ToyDevices(1, 1));
    EXPECT_TRUE(machine.ok()) << machine.status();
    machine_ = std::make_unique<Machine>(*std::move(machine));
  }

  StatusOr<StepGraph> Make(const std::vector<std::string>& kept,
                           const StepGraphOptions& options = {}) {
    kept_.clear();
    for (const std::string& node : kept) kept_.push_back(toy_.Find(node));
    return StepGraph::Make(toy_.graph, {kept_, {}, {}, {}}, toy_.catalog, *machine_, options);
  }

  ToyGraph toy_;
  std::vector<NodeId> kept_;
  std::unique_ptr<Machine> machine_;
};

TEST_F(StepGraphTest, ALoopTurnsOnceAndIsCounted) {
  AttrMap frame, two;
  frame.Set("frame_name", std::string("loop"));
  two.Set("N", int64_t{2});
  toy_.Node("x", "Source");
  toy_.Node("enter", "Enter", {"x"}, "", {}, frame);
  toy_.Node("merge", "Merge", {"enter", "enter"}, "", {}, two);
  toy_.Node("body", "Unary", {"merge"});
  toy_.Node("next", "NextIteration", {"body"});
  ASSERT_TRUE(toy_.SetInput("merge", 1, "next").ok());
  const auto step = Make({"x", "enter", "merge", "body", "next"});
  ASSERT_TRUE(step.ok()) << step.status();
  EXPECT_EQ(step->num_loop_edges(), 1);
  EXPECT_THAT(step->order(), ElementsAre(0, 1, 2, 3, 4));
  Simulator simulator(&*step, machine_.get());
  const std::vector<int> devices(5, 0);
  const double step_s = simulator.Run(devices);
  EXPECT_DOUBLE_EQ(step_s, step->Seconds(0, 0) + step->Seconds(3, 0));
  EXPECT_THAT(SimulationReport::Of(*step, *machine_, simulator, devices).ToText(),
              HasSubstr("1 edge closes a loop, which turns once here."));

  StepGraphOptions options;
  options.turns = [](const std::string& loop) { return loop == "loop" ? 20.0 : 1000.0; };
  const auto often = Make({"x", "enter", "merge", "body", "next"}, options);
  ASSERT_TRUE(often.ok()) << often.status();
  Simulator turning(&*often, machine_.get());
  EXPECT_DOUBLE_EQ(turning.Run(devices), step->Seconds(0, 0) + 20 * step->Seconds(3, 0));
  // What crosses to another memory in a loop does so in each turn.
  const std::vector<int> apart = {0, 0, 0, 1, 0};
  simulator.Run(apart);
  turning.Run(apart);
  const auto moved_s = [](const Simulator& of) {
    return of.transfers()[0].end_s - of.transfers()[0].start_s;
  };
  EXPECT_DOUBLE_EQ(moved_s(turning), 20 * moved_s(simulator));
  EXPECT_THAT(SimulationReport::Of(*often, *machine_, turning, apart).ToText(),
              HasSubstr("which turns as often as was said, at most 20 times here."));
}

TEST_F(StepGraphTest, ACycleThatIsNoLoopIsRefused) {
  toy_.Node("a", "Source");
  toy_.Node("b", "Unary", {"a"});
  toy_.Node("c", "Unary", {"b"});
  ASSERT_TRUE(toy_.SetInput("b", 0, "c").ok());
  const Status status = Make({"a", "b", "c"}).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("a cycle that is no loop, at or behind 'b'"));
}

TEST_F(StepGraphTest, WhatIsReadMustBeKept) {
  toy_.Node("a", "Source");
  toy_.Node("b", "Unary", {"a"});
  EXPECT_THAT(Make({"b"}).status().message(), HasSubstr("'b' waits for a, which is not kept"));
}

TEST_F(StepGraphTest, TimesAreOfTheDevicesAndTheirKernels) {
  toy_.Op("OnCpu", "x: float", "y: float", "cpu");
  toy_.Node("a", "Source");
  toy_.Node("b", "OnCpu", {"a"});
  const auto step = Make({"a", "b"});
  ASSERT_TRUE(step.ok()) << step.status();
  const NodeCost cost = step->cost(0);
  EXPECT_TRUE(cost.assumed) << "nobody knows the shape";
  EXPECT_EQ(step->num_assumed(), 2);
  for (int d : {0, 1}) EXPECT_EQ(step->Seconds(0, d), machine_->Seconds(cost, "", d));
  EXPECT_EQ(step->Seconds(1, 0), machine_->Seconds(step->cost(1), "", 0));
  EXPECT_TRUE(std::isinf(step->Seconds(1, 1)));
  // The bound takes each node where it is fastest: a small one where launching it is.
  EXPECT_DOUBLE_EQ(step->LowerBoundSeconds(*machine_), step->Seconds(0, 0) + step->Seconds(1, 0));
}

}  // namespace
}  // namespace warpbeam
