#include "placement/search/placement_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "placement/cost/machine_json.h"
#include "placement/search/coarse_groups.h"
#include "placement/search/ranked_moves.h"
#include "placement/search/starts.h"
#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

// Nodes take a second for each element of their output, transfers one for each element.
class SearchTest : public ::testing::Test {
 protected:
  SearchTest() {
    toy_.UsualOps();
    const auto add = [&](OpSchemaBuilder builder) {
      ASSERT_TRUE(toy_.registry.Register(builder).ok());
    };
    add(OpSchemaBuilder("State").Role(OpRole::kVariable).Output("ref: Ref(float)"));
    add(OpSchemaBuilder("HandOn").PassesOn(PassOn::kValue).Input("x: float").Output("y: float"));
    add(OpSchemaBuilder("Join").Input("x: N * float").Output("y: float").Attr("N: int >= 1"));
    for (const char* op : {"State", "HandOn", "Join"}) toy_.catalog.Add(op, "cpu gpu");
    toy_.Op("OnCpu", "x: float", "y: float", "cpu");
  }

  void Add(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
           int64_t elements, const std::string& device = "",
           const std::vector<std::string>& beside = {}) {
    AttrMap attrs;
    if (op == "Join") attrs.Set("N", static_cast<int64_t>(inputs.size()));
    const NodeId id = toy_.Node(name, op, inputs, device, beside, std::move(attrs));
    ASSERT_TRUE(toy_.graph.MergeOutputShape(id, 0, {elements}).ok());
  }

  void UseMachine(const std::vector<std::string>& others, int64_t memory_bytes = 0) {
    std::string json;
    for (const std::string& name : others) {
      absl::StrAppend(&json, json.empty() ? "" : ",", R"({"name": ")", name,
                      R"(", "launch_s": 0, "hand_over_s": 0, "wake_s": 0, "memory_bytes": )",
                      memory_bytes,
                      R"(, "rates": {"elements": {"flops_per_s": 1, "bytes_per_s": 1e30}}})");
    }
    auto machine = MachineFromJson(
        absl::StrCat(R"({"devices": [)", json, R"(], "links": [{"bytes_per_s": 4}]})"));
    ASSERT_TRUE(machine.ok()) << machine.status();
    machine_ = std::make_unique<Machine>(*std::move(machine));
  }

  void Prepare() {
    kept_.clear();
    for (NodeId id = 0; id < toy_.graph.num_nodes(); ++id) kept_.push_back(id);
    Placer placer(&toy_.catalog, machine_->names(), PlacerOptions());
    const Status placed = placer.Place(toy_.graph);
    ASSERT_TRUE(placed.ok()) << placed;
    const PlanBounds bounds = {kept_, {}, {}, {}};
    auto step = StepGraph::Make(toy_.graph, bounds, toy_.catalog, *machine_, {});
    ASSERT_TRUE(step.ok()) << step.status();
    step_ = std::make_unique<StepGraph>(*std::move(step));
    auto groups = MovableGroups::Find(toy_.graph, bounds, *step_, toy_.catalog, machine_->names(),
                                      PlacerOptions(), placer.sites());
    ASSERT_TRUE(groups.ok()) << groups.status();
    groups_ = *std::move(groups);
  }
  StatusOr<FoundPlacement> Search(SearchOptions options = {}) {
    return SearchPlacement(*step_, *machine_, groups_, options);
  }
  int Group(const std::string& node) const { return groups_.group_of[toy_.Find(node)]; }
  // A graph of layers of nodes that read some of the layer before.
  void FillAtRandom(int nodes, unsigned seed) {
    std::mt19937 random(seed);
    for (int k = 0; k < nodes; ++k) {
      std::vector<std::string> inputs;
      for (int i = 0; k > 3 && i < 2; ++i) {
        inputs.push_back(
            absl::StrCat("n", std::max<int>(0, k - 1 - static_cast<int>(random() % 8))));
      }
      Add(absl::StrCat("n", k), inputs.empty() ? "Source" : "Join", inputs,
          1 + static_cast<int64_t>(random() % 9));
    }
  }

  ToyGraph toy_;
  std::vector<NodeId> kept_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<StepGraph> step_;
  MovableGroups groups_;
};

TEST_F(SearchTest, GroupsStayTogetherAndGoWhereAllMay) {
  UseMachine({"/cpu:0", "/cpu:1", "/gpu:0"});
  Add("v", "State", {}, 5, "/cpu:*");
  Add("read", "HandOn", {"v"}, 5, "/cpu:*");
  Add("assign", "Assign", {"v", "read"}, 5);
  Add("free", "Join", {"read"}, 5);
  Add("beside", "Join", {"free"}, 5, "", {"free"});
  Add("pinned", "Join", {"free"}, 5, "/gpu:0");
  Add("host", "OnCpu", {"free"}, 5);
  Prepare();
  EXPECT_EQ(Group("v"), Group("assign"));
  EXPECT_EQ(Group("v"), Group("read"));
  EXPECT_NE(Group("v"), Group("free"));
  EXPECT_EQ(Group("free"), Group("beside"));
  using Devices = std::vector<int>;
  EXPECT_EQ(groups_.allowed[Group("v")], Devices({0, 1}));
  EXPECT_EQ(groups_.allowed[Group("free")], Devices({0, 1, 2}));
  EXPECT_EQ(groups_.allowed[Group("pinned")], Devices({2}));
  EXPECT_EQ(groups_.allowed[Group("host")], Devices({0, 1}));
}

TEST_F(SearchTest, ALoopStaysTogether) {
  const auto add = [&](OpSchemaBuilder builder, const std::string& op) {
    ASSERT_TRUE(toy_.registry.Register(builder).ok());
    toy_.catalog.Add(op, "cpu gpu");
  };
  const auto unary = [](const char* op, OpRole role) {
    return std::move(OpSchemaBuilder(op).Role(role).Input("x: float").Output("y: float"));
  };
  add(unary("Enter", OpRole::kEnter).Attr("frame_name: string"), "Enter");
  add(unary("Turn", OpRole::kNextIteration), "Turn");
  add(unary("Exit", OpRole::kExit), "Exit");
  add(OpSchemaBuilder("Merge")
          .Role(OpRole::kMerge)
          .Input("x: N * float")
          .Output("y: float")
          .Attr("N: int >= 1"),
      "Merge");
  AttrMap frame, two;
  frame.Set("frame_name", std::string("loop"));
  two.Set("N", int64_t{2});
  UseMachine({"/cpu:0", "/cpu:1"});
  Add("x", "Source", {}, 5);
  toy_.Node("enter", "Enter", {"x"}, "", {}, frame);
  toy_.Node("merge", "Merge", {"enter", "enter"}, "", {}, two);
  Add("body", "Unary", {"merge"}, 5);
  Add("more", "Unary", {"body"}, 5);
  toy_.Node("turn", "Turn", {"more"});
  ASSERT_TRUE(toy_.SetInput("merge", 1, "turn").ok());
  toy_.Node("exit", "Exit", {"more"});
  Add("after", "Unary", {"exit"}, 5);
  Prepare();
  for (const char* node : {"enter", "merge", "more", "turn", "exit"}) {
    EXPECT_EQ(Group(node), Group("body")) << node;
  }
  EXPECT_NE(Group("x"), Group("body"));
  EXPECT_NE(Group("after"), Group("body"));
}

TEST_F(SearchTest, TwoChainsGoToTwoDevices) {
  UseMachine({"/cpu:0", "/cpu:1"});
  for (const char* chain : {"a", "b"}) {
    Add(absl::StrCat(chain, 0), "Source", {}, 10);
    for (int i = 1; i < 5; ++i) {
      Add(absl::StrCat(chain, i), "Unary", {absl::StrCat(chain, i - 1)}, 10);
    }
  }
  Add("end", "Binary", {"a4", "b4"}, 10);
  Prepare();
  const auto found = Search();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->default_step_s, 110);
  EXPECT_EQ(found->step_s, 60);
  EXPECT_EQ(found->lower_bound_s, 60);
  EXPECT_LT(found->evaluations, 20'000) << "nothing can be better: it need not go on";
  const std::vector<Site> sites = found->Sites(groups_);
  EXPECT_EQ(sites[toy_.Find("a0")], sites[toy_.Find("a4")]);
  EXPECT_NE(sites[toy_.Find("a0")], sites[toy_.Find("b0")]);
}

TEST_F(SearchTest, WhatCannotMoveStays) {
  UseMachine({"/cpu:0", "/cpu:1"});
  Add("a", "Source", {}, 10, "/cpu:0");
  Add("b", "Source", {}, 10, "/cpu:0");
  Prepare();
  const auto found = Search();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->step_s, 20);
  EXPECT_EQ(found->Sites(groups_), std::vector<Site>({0, 0}));
}

TEST_F(SearchTest, NeverWorseThanTheDefaultAndTheSameForASeed) {
  UseMachine({"/cpu:0", "/cpu:1", "/gpu:0", "/gpu:1"});
  FillAtRandom(80, 5);
  Prepare();
  for (const int64_t evaluations : {0, 10, 2'000}) {
    SearchOptions options;
    options.evaluations = evaluations;
    const auto found = Search(options);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_LE(found->step_s, found->default_step_s);
    EXPECT_GE(found->step_s, found->lower_bound_s);
    const auto again = Search(options);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->devices, found->devices);
    EXPECT_EQ(again->evaluations, found->evaluations);
    for (int g = 0; g < groups_.size(); ++g) {
      EXPECT_THAT(groups_.allowed[g], ::testing::Contains(found->devices[g]));
    }
    // What it says of the step is what the simulator says.
    Simulator simulator(step_.get(), machine_.get());
    EXPECT_EQ(simulator.Run(step_->Devices(found->Sites(groups_))), found->step_s);
  }
}

TEST_F(SearchTest, ClimbsBelowItsBeginnings) {
  UseMachine({"/cpu:0", "/gpu:0", "/gpu:1"});
  FillAtRandom(80, 11);
  Prepare();
  SearchOptions options;
  options.evaluations = 0;
  const auto begun = Search(options);
  options.evaluations = 5'000;
  const auto climbed = Search(options);
  ASSERT_TRUE(begun.ok() && climbed.ok());
  EXPECT_LT(climbed->step_s, begun->step_s);
}

class SmallSteps : public SearchTest, public ::testing::WithParamInterface<unsigned> {};

// Of a dozen nodes all placements can be tried.
TEST_P(SmallSteps, HaveTheirBestPlacementFound) {
  constexpr int kNodes = 11;
  UseMachine({"/cpu:0", "/gpu:0"});
  FillAtRandom(kNodes, GetParam());
  Prepare();
  Simulator simulator(step_.get(), machine_.get());
  double best = INFINITY;
  for (int bits = 0; bits < 1 << kNodes; ++bits) {
    std::vector<int> devices;
    for (int k = 0; k < kNodes; ++k) devices.push_back(bits >> k & 1);
    best = std::min(best, simulator.Run(devices));
  }
  const auto found = Search();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->step_s, best);
}
INSTANTIATE_TEST_SUITE_P(Seeds, SmallSteps, ::testing::Range(0u, 6u));

TEST_F(SearchTest, MemoryIsALimit) {
  Add("v", "State", {}, 100);
  Add("w", "State", {}, 100);
  Add("rv", "HandOn", {"v"}, 100);
  Add("rw", "HandOn", {"w"}, 100);
  Add("x", "Join", {"rv"}, 1);
  Add("y", "Join", {"rw"}, 1);
  // Room for one variable and its result, or a little less.
  UseMachine({"/cpu:0", "/gpu:0"}, 410);
  Prepare();
  const auto found = Search();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_FALSE(found->default_fits);
  EXPECT_NE(found->Sites(groups_)[toy_.Find("v")], found->Sites(groups_)[toy_.Find("w")]);
  SearchOptions options;
  options.memory_share = 0.5;
  const auto too_little = Search(options);
  EXPECT_EQ(too_little.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(too_little.status().message(), HasSubstr("would need 404 B of 205 B"));
}

TEST_F(SearchTest, BeginningsAreAllowedOnes) {
  UseMachine({"/cpu:0", "/cpu:1", "/gpu:0"});
  FillAtRandom(40, 3);
  Add("host", "OnCpu", {"n39"}, 5);
  Add("pinned", "Unary", {"host"}, 5, "/gpu:0");
  Prepare();
  const std::vector<StartPlacement> starts = StartPlacements(*step_, *machine_, groups_);
  ASSERT_EQ(starts.size(), 7u);
  EXPECT_EQ(starts[0].devices, groups_.device);
  for (const StartPlacement& start : starts) {
    for (int g = 0; g < groups_.size(); ++g) {
      EXPECT_THAT(groups_.allowed[g], ::testing::Contains(start.devices[g])) << start.name;
    }
  }
}

TEST_F(SearchTest, OfVeryManyDevicesThoseThatAreAlikeAreTriedOnce) {
  std::vector<std::string> devices = {"/cpu:0"};
  for (int i = 0; i < 300; ++i) devices.push_back(absl::StrCat("/gpu:", i));
  UseMachine(devices);
  FillAtRandom(20, 1);
  Prepare();
  SearchOptions few;
  few.evaluations = 200;
  const auto found = Search(few);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->evaluations, 200);
  EXPECT_LT(found->step_s, found->default_step_s);
}

TEST_F(SearchTest, StopsWithTheBestSoFarWhenAsked) {
  UseMachine({"/cpu:0", "/cpu:1"});
  FillAtRandom(40, 3);
  Prepare();
  const std::atomic<bool> stop{true};
  SearchOptions options;
  options.evaluations = 1'000'000'000;
  options.stop = &stop;
  const auto found = Search(options);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_LT(found->evaluations, 100) << "the beginnings alone";
  EXPECT_LE(found->step_s, found->default_step_s);
}

TEST_F(SearchTest, RanksTheMovesOfEachGroup) {
  UseMachine({"/cpu:0", "/cpu:1", "/gpu:0"});
  Add("a", "Source", {}, 7, "/cpu:0");
  Add("b", "Join", {"a"}, 8);
  Add("c", "Join", {"a"}, 20);
  Add("host", "OnCpu", {"c"}, 1, "/cpu:0");
  Prepare();
  std::vector<int> devices = groups_.device;
  devices[Group("b")] = 1;
  devices[Group("c")] = 0;
  const auto ranked = RankMoves(*step_, *machine_, groups_, devices, /*most_steps=*/100);
  ASSERT_EQ(ranked.size(), 2u) << "what has to be on CPU:0 has no moves";
  EXPECT_EQ(ranked[0].group, Group("c")) << "it takes longest";
  EXPECT_EQ(ranked[0].seconds, 20);
  EXPECT_EQ(ranked[1].group, Group("b"));
  // Each move is what a step of the changed placement takes.
  for (const GroupMoves& moves : ranked) {
    for (const auto& [device, step_s] : {std::pair{moves.best_device, moves.best_step_s},
                                         std::pair{moves.worst_device, moves.worst_step_s}}) {
      EXPECT_NE(device, devices[moves.group]);
      std::vector<int> nodes(step_->num_nodes());
      for (int g = 0; g < groups_.size(); ++g) {
        for (int k : groups_.members[g]) nodes[k] = g == moves.group ? device : devices[g];
      }
      EXPECT_EQ(Simulator(step_.get(), machine_.get()).Run(nodes), step_s);
    }
    EXPECT_LE(moves.best_step_s, moves.worst_step_s);
  }
  EXPECT_EQ(RankMoves(*step_, *machine_, groups_, devices, 3).size(), 1u)
      << "the second group's two moves are too many";
}

TEST_F(SearchTest, LargeGroupsKeepWhatMayMoveAndCoverTheRest) {
  UseMachine({"/cpu:0", "/cpu:1"});
  FillAtRandom(200, 5);
  Add("pinned", "Join", {"n3"}, 5, "/cpu:1");
  Prepare();
  const CoarseGroups coarse = CoarseGroups::Of(*step_, groups_, /*most=*/20);
  EXPECT_LE(CoarseGroups::CountMovable(*step_, coarse.groups), 30);
  EXPECT_LT(coarse.groups.size(), groups_.size());
  double most = 0, total = 0;
  std::vector<int> seen(step_->num_nodes());
  for (int c = 0; c < coarse.groups.size(); ++c) {
    double seconds = 0;
    for (int k : coarse.groups.members[c]) {
      ++seen[k];
      seconds += step_->Seconds(k, 0);
    }
    most = std::max(most, seconds);
    total += seconds;
  }
  EXPECT_EQ(seen, std::vector<int>(step_->num_nodes(), 1)) << "each node is in one group";
  EXPECT_LE(most, 2 * total / 20);
  for (int g = 0; g < groups_.size(); ++g) {
    const int c = coarse.coarse_of[g];
    EXPECT_EQ(coarse.groups.allowed[c], groups_.allowed[g]);
    EXPECT_EQ(coarse.groups.device[c], groups_.device[g]);
  }
  std::vector<int> devices(coarse.groups.size(), 0);
  devices[coarse.coarse_of[Group("n7")]] = 1;
  EXPECT_EQ(coarse.Fine(devices)[Group("n7")], 1);
}

TEST_F(SearchTest, ThousandsOfGroupsAreSearchedInTime) {
  UseMachine({"/cpu:0", "/cpu:1"});
  FillAtRandom(5'000, 7);
  Prepare();
  SearchOptions options;
  options.evaluations = 40;
  const auto found = Search(options);
  ASSERT_TRUE(found.ok()) << found.status();
  // Nearly all nodes may run two at once; the rules have them all on one device.
  EXPECT_LT(found->step_s, 0.75 * found->default_step_s);
  EXPECT_LE(found->evaluations, 60);
  const auto again = Search(options);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->devices, found->devices);
  options.budget_s = 1e-9;
  EXPECT_TRUE(Search(options).ok());
}

}  // namespace
}  // namespace warpbeam
