#include "placement/liveness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

class LivenessTest : public ::testing::Test {
 protected:
  LivenessTest() { Begin(); }

  void Begin() {
    toy_ = std::make_unique<ToyGraph>();
    toy_->UsualOps();
    toy_->Op("Pred", "", "p: bool", "cpu");
    toy_->Op("BoolVar", "", "ref: Ref(bool)", "cpu");
    const auto add = [&](OpSchemaBuilder& builder) {
      ASSERT_TRUE(toy_->registry.Register(builder).ok());
    };
    add(OpSchemaBuilder("Switch")
            .Role(OpRole::kSwitch)
            .Input("data: float")
            .Input("pred: bool")
            .Output("f: float")
            .Output("t: float"));
    add(OpSchemaBuilder("Merge")
            .Role(OpRole::kMerge)
            .Input("inputs: N * float")
            .Output("y: float")
            .Output("index: int32")
            .Attr("N: int >= 1"));
    add(OpSchemaBuilder("Identity").Role(OpRole::kHandOn).Input("x: bool").Output("y: bool"));
    add(OpSchemaBuilder("Exit").Role(OpRole::kExit).Input("x: float").Output("y: float"));
  }
  void Merge(const std::string& name, const std::vector<std::string>& inputs) {
    AttrMap attrs;
    attrs.Set("N", static_cast<int64_t>(inputs.size()));
    toy_->Node(name, "Merge", inputs, "", {}, attrs);
  }
  Liveness Of(const std::vector<std::string>& feeds = {}) {
    kept_.clear();
    feeds_.clear();
    for (NodeId id = 0; id < toy_->graph.num_nodes(); ++id) kept_.push_back(id);
    for (const std::string& feed : feeds) feeds_.push_back(toy_->Output(feed));
    return Liveness(toy_->graph, kept_, feeds_);
  }
  bool MayBeDead(const std::string& output, const std::vector<std::string>& feeds = {}) {
    Liveness liveness = Of(feeds);
    return liveness.MayBeDead(toy_->Output(output));
  }

  std::unique_ptr<ToyGraph> toy_;
  std::vector<NodeId> kept_;
  std::vector<OutputRef> feeds_;
};

TEST_F(LivenessTest, NothingIsDeadWithoutSwitches) {
  toy_->Node("x", "Source");
  toy_->Node("y", "Unary", {"x"});
  EXPECT_FALSE(MayBeDead("y"));
}

TEST_F(LivenessTest, ABranchMayBeDeadAndItsMergeIsNot) {
  toy_->Node("x", "Source");
  toy_->Node("p", "Pred");
  toy_->Node("s", "Switch", {"x", "p"});
  toy_->Node("no", "Unary", {"s:0"});
  toy_->Node("yes", "Unary", {"s:1"});
  toy_->Node("after_no", "NoOp", {"^no"});
  toy_->Node("beside", "Unary", {"x", "^s"});
  Merge("m", {"no", "yes"});
  Merge("one_sided", {"no", "no"});
  toy_->Node("end", "Unary", {"m", "^after_no"});
  for (const char* output : {"s:0", "s:1", "no", "yes", "one_sided", "end"}) {
    EXPECT_TRUE(MayBeDead(output)) << output;
  }
  for (const char* output : {"x", "m:0", "m:1", "beside"})
    EXPECT_FALSE(MayBeDead(output)) << output;
  Liveness liveness = Of();
  EXPECT_TRUE(liveness.MayBeDead(toy_->Find("after_no")));
  EXPECT_FALSE(liveness.MayBeDead(toy_->Find("s"))) << "a Switch runs, whichever way it takes";
}

TEST_F(LivenessTest, WhatIsFedIsAlive) {
  toy_->Node("x", "Source");
  toy_->Node("p", "Pred");
  toy_->Node("s", "Switch", {"x", "p"});
  toy_->Node("no", "Unary", {"s:0"});
  toy_->Node("y", "Unary", {"no"});
  EXPECT_TRUE(MayBeDead("y"));
  EXPECT_FALSE(MayBeDead("y", {"no:0"}));
  EXPECT_FALSE(MayBeDead("no", {"no:0"}));
  EXPECT_FALSE(MayBeDead("y", {"s:0"}));
  EXPECT_TRUE(MayBeDead("y", {"s:1"})) << "the other output is fed";
}

// Two Switches of one predicate, which may come through nodes that hand it on.
TEST_F(LivenessTest, APredicateIsKnownThroughIdentities) {
  toy_->Node("x", "Source");
  toy_->Node("p", "Pred");
  toy_->Node("q", "Pred");
  toy_->Node("p1", "Identity", {"p"});
  toy_->Node("p2", "Identity", {"p1"});
  toy_->Node("s1", "Switch", {"x", "p"});
  toy_->Node("s2", "Switch", {"x", "p2"});
  toy_->Node("s3", "Switch", {"x", "q"});
  Merge("same", {"s1:0", "s2:1"});
  Merge("other", {"s1:0", "s3:1"});
  EXPECT_FALSE(MayBeDead("same"));
  EXPECT_TRUE(MayBeDead("other"));
  // A fed one is another tensor than what it would have been handed.
  EXPECT_TRUE(MayBeDead("same", {"p1:0"}));
}

// A variable may have changed between two readings of it.
TEST_F(LivenessTest, ReadingsOfAVariableAreNotOnePredicate) {
  toy_->Node("x", "Source");
  toy_->Node("v", "BoolVar");
  toy_->Node("first", "Identity", {"v"});
  toy_->Node("second", "Identity", {"v", "^first"});
  toy_->Node("s1", "Switch", {"x", "first"});
  toy_->Node("s2", "Switch", {"x", "second"});
  toy_->Node("s3", "Switch", {"x", "v"});
  toy_->Node("s4", "Switch", {"x", "v"});
  Merge("two_readings", {"s1:0", "s2:1"});
  Merge("two_switches", {"s3:0", "s4:1"});
  Merge("one_reading", {"s1:0", "s1:1"});
  EXPECT_TRUE(MayBeDead("two_readings"));
  EXPECT_TRUE(MayBeDead("two_switches"));
  EXPECT_FALSE(MayBeDead("one_reading"));
}

TEST_F(LivenessTest, NestedConditionals) {
  toy_->Node("x", "Source");
  for (const char* p : {"p", "q"}) toy_->Node(p, "Pred");
  toy_->Node("outer", "Switch", {"x", "p"});
  toy_->Node("inner", "Switch", {"outer:1", "q"});
  Merge("inner_end", {"inner:0", "inner:1"});
  Merge("outer_end", {"outer:0", "inner_end"});
  Merge("three", {"outer:0", "inner:0", "inner:1"});
  EXPECT_TRUE(MayBeDead("inner_end"));
  EXPECT_FALSE(MayBeDead("outer_end"));
  EXPECT_TRUE(MayBeDead("three")) << "no pattern that is followed";
}

TEST_F(LivenessTest, LoopsCountAsPossiblyDead) {
  toy_->Node("x", "Source");
  toy_->Node("e", "Exit", {"x"});
  toy_->Node("y", "Unary", {"e"});
  EXPECT_TRUE(MayBeDead("y"));
}

// More branches above a node than are followed: possibly dead, and soon known.
TEST_F(LivenessTest, DeepConditionals) {
  toy_->Node("x0", "Source");
  for (int i = 0; i < 40; ++i) {
    const std::string at = std::to_string(i);
    toy_->Node("p" + at, "Pred");
    toy_->Node("s" + at, "Switch", {i == 0 ? "x0" : "s" + std::to_string(i - 1) + ":1", "p" + at});
  }
  std::string end = "s39:1";
  for (int i = 39; i >= 0; --i) {
    const std::string merge = "m" + std::to_string(i);
    Merge(merge, {"s" + std::to_string(i) + ":0", end});
    end = merge;
  }
  EXPECT_TRUE(MayBeDead("m39"));
  EXPECT_TRUE(MayBeDead("m0"));
}

// Graphs made up at random, beside what happens for each value of the predicates: what is said to
// be alive always is.
TEST_F(LivenessTest, WhatIsSaidToBeAliveIs) {
  int alive = 0, dead = 0, merges_alive = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto pick = [&](size_t count) { return random() % count; };
    Begin();
    constexpr int kPredicates = 3;
    toy_->Node("x", "Source");
    for (int p = 0; p < kPredicates; ++p) toy_->Node("p" + std::to_string(p), "Pred");
    // By output: for which of the 2^3 values of the predicates it is alive.
    using Worlds = unsigned;
    constexpr Worlds kAll = 0xff;
    Worlds is_true[kPredicates] = {};
    for (unsigned world = 0; world < 8; ++world) {
      for (int p = 0; p < kPredicates; ++p) is_true[p] |= ((world >> p) & 1) << world;
    }
    std::vector<std::pair<std::string, Worlds>> outputs = {{"x", kAll}};
    std::set<std::string> merges;
    for (int i = 0; i < 25; ++i) {
      const std::string name = "n" + std::to_string(i);
      const auto a = outputs[pick(outputs.size())], b = outputs[pick(outputs.size())];
      switch (pick(3)) {
        case 0: {
          const auto p = static_cast<int>(pick(kPredicates));
          toy_->Node(name, "Switch", {a.first, "p" + std::to_string(p)});
          outputs.emplace_back(name + ":0", a.second & ~is_true[p]);
          outputs.emplace_back(name + ":1", a.second & is_true[p]);
          break;
        }
        case 1:
          Merge(name, {a.first, b.first});
          outputs.emplace_back(name, a.second | b.second);
          merges.insert(name);
          break;
        default:
          toy_->Node(name, "Binary", {a.first, b.first});
          outputs.emplace_back(name, a.second & b.second);
      }
    }
    Liveness liveness = Of();
    for (const auto& [output, worlds] : outputs) {
      const bool may_be_dead = liveness.MayBeDead(toy_->Output(output));
      EXPECT_TRUE(may_be_dead || worlds == kAll) << output << " is dead in some step";
      ++(may_be_dead ? dead : alive);
      merges_alive += !may_be_dead && merges.count(output) != 0 ? 1 : 0;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(alive, 500);
  EXPECT_GT(dead, 500);
  EXPECT_GT(merges_alive, 100);
}

}  // namespace
}  // namespace warpbeam
