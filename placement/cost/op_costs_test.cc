#include "placement/cost/op_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/cost/machine_json.h"
#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

const OpCosts::DeviceModel kCpu = {"CPU", "abacus"};

// A byte is a second, as is a launch.
Machine SlowMachine(const std::string& model) {
  auto machine =
      MachineFromJson(R"({"devices": [{"name": "/cpu:0", "launch_s": 1, "model": ")" + model + R"(",
      "rates": {"elements": {"flops_per_s": 1e30, "bytes_per_s": 1}}}]})");
  EXPECT_TRUE(machine.ok()) << machine.status();
  return *std::move(machine);
}

NodeCost Bytes(double bytes) { return {CostClass::kElements, 0, bytes, false}; }

TEST(OpCostsTest, TheKeyHasWhatTheWorkDependsOn) {
  ToyGraph toy;
  toy.UsualOps();
  toy.Op("Scale", "x: float", "y: float", "cpu", {}, "factor: float = 1.0");
  const auto make = [&](const std::string& name, const PartialShape& shape, float factor) {
    toy.Node(name + "_x", "Source");
    EXPECT_TRUE(toy.graph.MergeOutputShape(toy.Find(name + "_x"), 0, shape).ok());
    AttrMap attrs;
    attrs.Set("factor", factor);
    attrs.Set("_note", name);
    const NodeId id = toy.Node(name, "Scale", {name + "_x"}, "", {}, attrs);
    EXPECT_TRUE(toy.graph.MergeOutputShape(id, 0, shape).ok());
    return OpCostKey(toy.graph, toy.graph.node(id), /*unknown_extent=*/32);
  };
  const std::string key = make("a", {8, 4}, 2);
  EXPECT_THAT(key, HasSubstr("Scale{factor="));
  EXPECT_THAT(key, HasSubstr("(float[8,4])->(float[8,4])"));
  EXPECT_EQ(make("b", {8, 4}, 2), key) << "names and notes do not matter";
  EXPECT_NE(make("c", {8, 5}, 2), key);
  EXPECT_NE(make("d", {8, 4}, 3), key);
  EXPECT_EQ(make("e", {-1, 4}, 2), make("f", {32, 4}, 2));
}

TEST(OpCostsTest, WhatIsWrittenIsReadAgainAsMedians) {
  OpCosts costs;
  for (double seconds : {9.0, 2.0, 4.0}) {
    costs.Add(kCpu, "Tanh{a=b c}()->()", Bytes(8), seconds, {seconds == 2 ? 0 : -1, -1},
              seconds == 9 ? 640 : 128);
  }
  costs.Add({"GPU", "loom"}, "Tanh{}()->()", Bytes(8), 0.5);
  const std::string text = costs.ToText();
  const auto read = OpCosts::Parse("something before\n" + text, "c.costs");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->size(), 2u);
  EXPECT_EQ(read->ToText(), text);
  const OpCosts::Entry& entry = read->models().at(kCpu).at("Tanh{a=b c}()->()");
  EXPECT_DOUBLE_EQ(entry.median(), 4);
  EXPECT_EQ(entry.cost.bytes, 8);
  EXPECT_EQ(entry.reuses, std::vector<int>({0, -1})) << "it has been seen once, so it may";
  EXPECT_EQ(entry.workspace_bytes, 640) << "the most that it was seen to take";
}

TEST(OpCostsTest, WhatIsMissingIsScaledByItsFamily) {
  OpCosts costs;
  costs.Add(kCpu, "Tanh{}(8)", Bytes(8), 17);     // analytic: 1 + 8
  costs.Add(kCpu, "Tanh{}(80)", Bytes(80), 242);  // 1 + 80
  costs.Add(kCpu, "Relu{}(8)", Bytes(9), 4);      // 1 + 9
  const Machine machine = SlowMachine("abacus");
  const OpCosts::OnDevice here(costs, machine, 0);
  ASSERT_TRUE(here.applies());
  EXPECT_DOUBLE_EQ(here.Seconds("Tanh{}(8)", "Tanh", Bytes(8)), 1 + 17);
  EXPECT_NE(here.Find("Tanh{}(8)"), nullptr);
  EXPECT_DOUBLE_EQ(here.Seconds("Tanh{}(9)", "Tanh", Bytes(9)), 2 * 10.0);
  EXPECT_EQ(here.Find("Tanh{}(9)"), nullptr);
  EXPECT_DOUBLE_EQ(here.Seconds("Tanh{}(101)", "Tanh", Bytes(101)), 3 * 102.0);
  EXPECT_DOUBLE_EQ(here.Seconds("Exp{}(9)", "Exp", Bytes(9)), 0.5 * 10) << "of the class";
  EXPECT_DOUBLE_EQ(here.Seconds("Exp{}(1e6)", "Exp", Bytes(1e6)), 1 + 1e6)
      << "nothing is known of such a size";
  EXPECT_EQ(here.Seconds("Identity{}(8)", "Identity", NodeCost()), 0);
}

TEST(OpCostsTest, CostsBelongToAModel) {
  OpCosts costs;
  costs.Add(kCpu, "Tanh{}(8)", Bytes(8), 17);
  const Machine other = SlowMachine("slide rule");
  EXPECT_FALSE(OpCosts::OnDevice(costs, other, 0).applies());
  const Machine nameless = SlowMachine("");
  EXPECT_TRUE(OpCosts::OnDevice(costs, nameless, 0).applies());
}

TEST(OpCostsTest, TextsThatAreNoCosts) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "line 1: there is no line 'warpbeam op costs 2'"},
      {"warpbeam op costs 3\nend\t0\n", "only 'warpbeam op costs 2' can be read"},
      {"warpbeam op costs 2\n", "the line 'end COUNT' is missing"},
      {"warpbeam op costs 2\n5\telements\t1\t1\t0\tTanh\nend\t1\n",
       "line 2: a line 'device TYPE MODEL'"},
      {"warpbeam op costs 2\ndevice\tCPU\tx\n5\tsums\t1\t1\t0\t\tTanh\nend\t1\n",
       "line 3: it is not of the form"},
      {"warpbeam op costs 2\ndevice\tCPU\tx\n-5\telements\t1\t1\t0\t0\tTanh\nend\t1\n",
       "not of the form"},
      {"warpbeam op costs 2\ndevice\tCPU\tx\n5\telements\t1\t1\t0\tx\tTanh\nend\t1\n",
       "'x' is no number of an input"},
      {"warpbeam op costs 2\ndevice\tCPU\tx\n5\telements\t1\t1\t-8\t0\tTanh\nend\t1\n",
       "not of the form"},
      {"warpbeam op costs 2\ndevice\tCPU\tx\nend\t1\n", "more or fewer costs"},
  };
  for (const auto& [text, error] : cases) {
    const auto read = OpCosts::Parse(text, "c.costs");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(std::string(read.status().message()), HasSubstr("the costs c.costs"));
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(error)) << text;
  }
  EXPECT_EQ(OpCosts::Read("nowhere.costs").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace warpbeam
