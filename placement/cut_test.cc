#include "placement/cut.h"

#include <gtest/gtest.h>

#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/op/op_schema.h"
#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

DeviceName Device(int task, const char* type, int id) {
  return *DeviceName::Parse(
      absl::StrCat("/job:w/replica:0/task:", task, "/device:", type, ":", id));
}

class CutTest : public ::testing::Test {
 protected:
  CutTest() {
    toy_.UsualOps();
    Role("Const", OpRole::kConstant, "", "output: dtype", "value: tensor, dtype: type");
    Role("Enter", OpRole::kEnter, "x: T", "y: T",
         "T: type, frame_name: string, is_constant: bool = false, parallel_iterations: int = 10");
    Role("Exit", OpRole::kExit, "x: T", "y: T", "T: type");
    Role("NextIteration", OpRole::kNextIteration, "x: T", "y: T", "T: type");
    Role("LoopCond", OpRole::kLoopCond, "x: bool", "y: bool", "");
    Role("Switch", OpRole::kSwitch, "x: T, pred: bool", "f: T, t: T", "T: type");
    Role("Merge", OpRole::kMerge, "x: N * T", "y: T, index: int32", "T: type, N: int >= 1");
    Role("Less", OpRole::kCompute, "x: float", "y: bool", "");
    const std::string edge =
        "tensor_name: string, send_device: string, send_device_incarnation: int, "
        "recv_device: string, client_terminated: bool = false";
    Role("_Send", OpRole::kCompute, "tensor: T", "", absl::StrCat("T: type, ", edge));
    Role("_Recv", OpRole::kCompute, "", "tensor: tensor_type",
         absl::StrCat("tensor_type: type, ", edge));
  }

  void Role(const std::string& name, OpRole role, const std::string& inputs,
            const std::string& outputs, const std::string& attrs) {
    OpSchemaBuilder op(name);
    op.Role(role);
    for (absl::string_view s : absl::StrSplit(inputs, ", ", absl::SkipEmpty())) op.Input(s);
    for (absl::string_view s : absl::StrSplit(outputs, ", ", absl::SkipEmpty())) op.Output(s);
    for (absl::string_view s : absl::StrSplit(attrs, ", ", absl::SkipEmpty())) op.Attr(s);
    auto schema = op.Build();
    ASSERT_TRUE(schema.ok()) << schema.status();
    const Status registered = toy_.registry.Register(*std::move(schema));
    ASSERT_TRUE(registered.ok()) << registered;
  }

  // Cuts the whole graph; `site_of` names nodes that are not on site 0.
  StatusOr<std::vector<TaskPart>> Cut(const std::map<std::string, Site>& site_of,
                                      const std::vector<std::string>& fetches,
                                      const std::vector<std::string>& feeds = {}) {
    std::shared_ptr<Graph> graph = toy_.graph.Clone();
    std::vector<Site> sites(static_cast<size_t>(graph->num_nodes()), 0);
    for (const auto& [name, site] : site_of) sites[static_cast<size_t>(toy_.Find(name))] = site;
    graph->SetSites(sites);
    for (NodeId id = 0; id < graph->num_nodes(); ++id) kept_.push_back(id);
    for (const std::string& name : fetches) fetches_.push_back(toy_.Output(name));
    for (const std::string& name : feeds) feeds_.push_back(toy_.Output(name));
    auto parts = CutByTask(std::move(graph), {kept_, feeds_, fetches_, {}}, sites_);
    if (parts.ok()) {
      for (const TaskPart& part : *parts) ExpectReceivesHere(part);
    }
    return parts;
  }
  // By what a receiver asks for, whoever serves it sees which task it is.
  void ExpectReceivesHere(const TaskPart& part) const {
    for (const Node& node : part.graph->nodes()) {
      if (node.op_name() != "_Recv") continue;
      const auto device = DeviceName::Parse(node.attrs().GetOr<std::string>("recv_device", ""));
      ASSERT_TRUE(device.ok()) << device.status();
      EXPECT_EQ(device->task, sites_.names()[sites_.host_of(part.task)].task) << node.name();
    }
  }
  // The inputs of a node by name, "^" before those that it waits for.
  static std::set<std::string> Inputs(const TaskPart& part, const std::string& name) {
    std::set<std::string> inputs;
    const Node* node = part.graph->Find(name);
    EXPECT_NE(node, nullptr) << name;
    if (node == nullptr) return inputs;
    for (const OutputRef in : node->inputs()) inputs.insert(part.graph->node(in.node).name());
    for (const NodeId control : node->control_inputs()) {
      inputs.insert(absl::StrCat("^", part.graph->node(control).name()));
    }
    return inputs;
  }
  using Names = std::set<std::string>;

  ToyGraph toy_;
  // Task 0 has a CPU and a GPU, task 1 a GPU and a CPU, in this order.
  SiteList sites_{
      {Device(0, "CPU", 0), Device(0, "GPU", 0), Device(1, "GPU", 0), Device(1, "CPU", 0)}};
  std::vector<NodeId> kept_;
  std::vector<OutputRef> feeds_, fetches_;
};

TEST_F(CutTest, SitesKnowTheirTasks) {
  EXPECT_EQ(sites_.num_tasks(), 2);
  EXPECT_EQ(sites_.task_of(1), 0);
  EXPECT_EQ(sites_.task_of(2), 1);
  EXPECT_EQ(sites_.device_of(3), 1);
  EXPECT_EQ(sites_.host_of(0), 0);
  EXPECT_EQ(sites_.host_of(1), 3);
}

TEST_F(CutTest, OneTaskHasThePartAsItIs) {
  toy_.Node("x", "Source");
  toy_.Node("y", "Unary", {"x"});
  const auto parts = Cut({{"y", 1}}, {"y"});
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 1u);
  EXPECT_EQ((*parts)[0].num_sends, 0);
  EXPECT_EQ((*parts)[0].graph->site(toy_.Find("y")), 1);
}

TEST_F(CutTest, ATensorGoesOnceToEachTask) {
  toy_.Node("x", "Source");
  toy_.Node("a", "Unary", {"x"});
  toy_.Node("b", "Unary", {"x"});
  toy_.Node("sum", "Binary", {"a", "b"});
  const auto parts = Cut({{"a", 2}, {"b", 3}, {"sum", 3}}, {"sum"});
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  const TaskPart &first = (*parts)[0], &second = (*parts)[1];
  EXPECT_EQ(first.num_sends, 1);
  EXPECT_EQ(second.num_receives, 1);
  EXPECT_EQ(Inputs(first, "x/_send"), Names{"x"});
  EXPECT_EQ(Inputs(second, "a"), Names{"x/_recv"});
  EXPECT_EQ(Inputs(second, "b"), Names{"x/_recv"});
  EXPECT_EQ(Inputs(second, "sum"), (Names{"a", "b"}));
  EXPECT_EQ(second.fetch_numbers, std::vector<int>{0});
  EXPECT_TRUE(first.fetches.empty());
  // Where a task's own devices stand, and where what goes over is: in the memory of the host.
  EXPECT_EQ(second.graph->site(toy_.Find("a")), 0);
  EXPECT_EQ(second.graph->site(toy_.Find("b")), 1);
  EXPECT_EQ(second.graph->site(second.graph->Find("x/_recv")->id()), 1);
  const AttrMap& edge = second.graph->Find("x/_recv")->attrs();
  EXPECT_EQ(edge.GetOr<std::string>("send_device", ""), Device(0, "CPU", 0).ToString());
  EXPECT_EQ(edge.GetOr<std::string>("recv_device", ""), Device(1, "GPU", 0).ToString());
  EXPECT_EQ(edge.GetOr<std::string>("tensor_name", ""), "edge_0_x");
  EXPECT_EQ(first.graph->Find("x/_send")->attrs().GetOr<std::string>("tensor_name", ""),
            "edge_0_x");
}

TEST_F(CutTest, WhoWaitsForAnotherTaskReceivesNothing) {
  toy_.Node("x", "Source");
  toy_.Node("y", "Source", {"^x"});
  const auto parts = Cut({{"y", 3}}, {"y"});
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_EQ(Inputs((*parts)[0], "x/_signal"), Names{"^x"});
  EXPECT_EQ(Inputs((*parts)[0], "x/_send"), Names{"x/_signal"});
  EXPECT_EQ(Inputs((*parts)[1], "y"), Names{"^x/_recv"});
}

TEST_F(CutTest, AFeedIsWhereItsNodeIs) {
  toy_.Node("x", "Source");
  toy_.Node("y", "Unary", {"x"});
  const auto parts = Cut({{"y", 3}}, {"y"}, {"x"});
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_EQ((*parts)[0].feed_numbers, std::vector<int>{0});
  EXPECT_TRUE((*parts)[1].feed_numbers.empty());
  EXPECT_EQ(Inputs((*parts)[1], "y"), Names{"x/_recv"});
}

TEST_F(CutTest, AReferenceCannotLeave) {
  toy_.Node("v", "Var");
  toy_.Node("x", "Source");
  toy_.Node("set", "Assign", {"v", "x"});
  const auto parts = Cut({{"set", 3}}, {"set"});
  EXPECT_EQ(parts.status().code(), StatusCode::kInvalidArgument);
  for (const char* part : {"set", "'v'", "task:0", "task:1", "put both on one"}) {
    EXPECT_TRUE(absl::StrContains(parts.status().message(), part)) << parts.status();
  }
}

// while (less(merge)): next = body(merge), the body on the other task.
class LoopCutTest : public CutTest {
 protected:
  void AddLoop(bool with_cond) {
    AttrMap of_float;
    of_float.Set("T", DType::kFloat);
    AttrMap enter = of_float;
    enter.Set("frame_name", std::string("loop"));
    AttrMap merge = of_float;
    merge.Set("N", int64_t{2});
    toy_.Node("x", "Source");
    toy_.Node("enter", "Enter", {"x"}, "", {}, enter);
    toy_.Node("merge", "Merge", {"enter", "enter"}, "", {}, merge);
    toy_.Node("less", "Less", {"merge"});
    if (with_cond) toy_.Node("cond", "LoopCond", {"less"});
    toy_.Node("switch", "Switch", {"merge", with_cond ? "cond" : "less"}, "", {}, of_float);
    toy_.Node("body", "Unary", {"switch:1"});
    toy_.Node("next", "NextIteration", {"body"}, "", {}, of_float);
    ASSERT_TRUE(toy_.SetInput("merge", 1, "next").ok());
    toy_.Node("exit", "Exit", {"switch"}, "", {}, of_float);
  }
};

TEST_F(LoopCutTest, TheOtherTaskTurnsWithTheLoop) {
  AddLoop(/*with_cond=*/true);
  const auto parts = Cut({{"body", 3}}, {"exit"});
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  const TaskPart& other = (*parts)[1];
  // What comes in an iteration is received when the task's own loop is in it.
  const std::string head = "^enter/_task_merge";
  EXPECT_EQ(Inputs(other, "switch/_recv"), Names{head});
  EXPECT_EQ(Inputs(other, "cond/_recv"), Names{head});
  EXPECT_EQ(Inputs(other, "enter/_task_merge"), (Names{"enter/_task_enter", "enter/_task_next"}));
  EXPECT_EQ(Inputs(other, "enter/_task_switch"), (Names{"enter/_task_merge", "cond/_recv"}));
  EXPECT_EQ(Inputs(other, "body"), Names{"switch/_recv"});
  EXPECT_EQ(other.num_receives, 2);
  EXPECT_EQ(other.num_sends, 1);
  // The task that has the loop receives the body's result in each iteration, too.
  EXPECT_EQ(Inputs((*parts)[0], "next"), Names{"body/_recv"});
  EXPECT_EQ(Inputs((*parts)[0], "body/_recv"), Names{head});
  EXPECT_EQ(Inputs((*parts)[0], "enter/_task_switch"), (Names{"enter/_task_merge", "cond"}));
}

TEST_F(LoopCutTest, EntersAndNextIterationsStandWithTheirReaders) {
  AddLoop(/*with_cond=*/true);
  const auto parts = Cut({{"merge", 3}}, {"exit"});
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_EQ(Inputs((*parts)[1], "merge"), (Names{"enter/_here", "next/_here"}));
  EXPECT_EQ(Inputs((*parts)[1], "enter/_here"), Names{"x/_recv"});
  EXPECT_EQ(Inputs((*parts)[1], "next/_here"), Names{"body/_recv"});
}

TEST_F(LoopCutTest, ALoopWithoutLoopCondStaysOnOneTask) {
  AddLoop(/*with_cond=*/false);
  const auto parts = Cut({{"body", 3}}, {"exit"});
  EXPECT_EQ(parts.status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(parts.status().message(), "no LoopCond")) << parts.status();
}

}  // namespace
}  // namespace warpbeam
