// Sessions that search for the placement of their graphs.
#include <fstream>
#include <map>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "runtime/session/testing/session_fixture.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

// Two chains that nothing ties to a device; the rules put both on CPU:0.
class AutoPlacerTest : public SessionTest {
 protected:
  static constexpr int kLength = 10;

  void SetUp() override {
    SessionTest::SetUp();
    options_.cpu_devices = 2;
    options_.auto_placement.evaluations = 500;
  }

  OutputRef Chain(const std::string& name, OutputRef from, const std::string& device = "") {
    for (int i = 1; i <= kLength; ++i) {
      from = Add("AddOne", i == kLength ? name : absl::StrCat(name, i), {from}, device);
    }
    return from;
  }
  void TwoChains() {
    Chain("a", Const("one", 1.0f));
    Chain("b", Const("two", 2.0f));
  }
  std::vector<PlacementEntry> Nodes() {
    const StatusOr<PlacementReport> report = session_->Placement();
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? report->nodes : std::vector<PlacementEntry>();
  }
  PlacementEntry Why(const std::string& node) {
    for (const PlacementEntry& entry : Nodes()) {
      if (entry.node == node) return entry;
    }
    ADD_FAILURE() << "no node " << node;
    return {};
  }
  // How many of the nodes are on each device.
  std::map<std::string, int> Counts() {
    std::map<std::string, int> counts;
    for (const PlacementEntry& entry : Nodes()) ++counts[entry.assigned];
    return counts;
  }
  std::string Error() {
    auto session = Session::Create(options_, graph_);
    EXPECT_FALSE(session.ok());
    return std::string(session.status().message());
  }
  std::string File(const std::string& name, const std::string& text) {
    const std::string path = ::testing::TempDir() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
};

TEST_F(AutoPlacerTest, ChainsThatNothingTiesTogetherRunSideBySide) {
  TwoChains();
  options_.auto_placement.fetches = {"a", "b:0"};
  Open();
  // Nothing is copied between CPUs: which half of a chain is where does not matter.
  std::map<std::string, int> work;
  for (const PlacementEntry& entry : Nodes()) {
    if (entry.op == "AddOne") ++work[entry.assigned];
  }
  ASSERT_EQ(work.size(), 2u);
  for (const auto& [device, count] : work) EXPECT_EQ(count, kLength) << device;
  EXPECT_EQ(Why("a").rule, PlacementRule::kSearched);
  EXPECT_THAT(Why("a").reason, HasSubstr("found by search: a step takes "));
  EXPECT_THAT(Why("a").reason, HasSubstr("the best other place, "));
  EXPECT_EQ(Value("a"), 1 + kLength);
  EXPECT_EQ(Value("b"), 2 + kLength);
}

TEST_F(AutoPlacerTest, WithoutEvaluationsTheRulesPlace) {
  TwoChains();
  options_.auto_placement.evaluations = 0;
  Open();
  EXPECT_EQ(Counts().size(), 1u);
  EXPECT_EQ(Why("a").rule, PlacementRule::kDefault);
}

TEST_F(AutoPlacerTest, WhatIsAskedForIsKept) {
  Chain("a", Const("one", 1.0f), "/cpu:1");
  Chain("b", Const("two", 2.0f));
  Open();
  EXPECT_THAT(Why("a").assigned, HasSubstr("CPU:1"));
  EXPECT_EQ(Why("a").rule, PlacementRule::kRequested);
  EXPECT_THAT(Why("b").assigned, HasSubstr("CPU:0"));
}

TEST_F(AutoPlacerTest, TheSameSeedGivesTheSamePlacement) {
  TwoChains();
  Chain("c", Const("three", 3.0f));
  options_.auto_placement.seed = 7;
  Open();
  std::vector<std::string> first;
  for (const PlacementEntry& entry : Nodes()) first.push_back(entry.assigned);
  Open();
  std::vector<std::string> again;
  for (const PlacementEntry& entry : Nodes()) again.push_back(entry.assigned);
  EXPECT_EQ(first, again);
}

TEST_F(AutoPlacerTest, WhatIsAddedGoesAroundWhatIsThere) {
  Chain("a", Const("one", 1.0f));
  Open();
  const std::string there = Why("a").assigned;
  ASSERT_TRUE(session_
                  ->Extend([&](Graph&) {
                    Chain("b", Const("two", 2.0f));
                    return OkStatus();
                  })
                  .ok());
  EXPECT_EQ(Why("a").assigned, there);
  EXPECT_NE(Why("b").assigned, there);
  EXPECT_EQ(Value("b"), 2 + kLength);
}

TEST_F(AutoPlacerTest, WhatTheStepHasNothingOfStaysWhereTheRulesPutIt) {
  TwoChains();
  Chain("c", Const("three", 3.0f));
  options_.auto_placement.fetches = {"a", "b"};
  Open();
  EXPECT_EQ(Why("c").rule, PlacementRule::kDefault);
  EXPECT_EQ(Counts().size(), 2u);
}

TEST_F(AutoPlacerTest, AMachineTellsHowFastItsDevicesAre) {
  TwoChains();
  // Whatever runs on CPU:0 takes for ever.
  options_.auto_placement.machine = File("machine.json", R"({"devices": [
      {"name": "/cpu:1"}, {"name": "/cpu:0", "launch_s": 1}, {"name": "/gpu:7"}],
      "links": [{"from": "/gpu:*", "to": "/cpu:*", "bytes_per_s": 1}]})");
  Open();
  EXPECT_THAT(Why("a").assigned, HasSubstr("CPU:1"));
  EXPECT_THAT(Why("b").assigned, HasSubstr("CPU:1"));
}

TEST_F(AutoPlacerTest, WhatIsWrongIsSaid) {
  TwoChains();
  options_.auto_placement.fetches = {"nowhere"};
  EXPECT_THAT(Error(), HasSubstr("the fetch 'nowhere' names no node of the graph"));
  options_.auto_placement.fetches = {};
  options_.auto_placement.targets = {"nowhere"};
  EXPECT_THAT(Error(), HasSubstr("the target 'nowhere' is no node of the graph"));
  options_.auto_placement.targets = {};
  options_.auto_placement.evaluations = -1;
  EXPECT_THAT(Error(), HasSubstr("evaluations must not be negative, got -1"));
  options_.auto_placement.evaluations = 10;
  options_.auto_placement.memory_share = 0;
  EXPECT_THAT(Error(), HasSubstr("memory_share is more than 0 and at most 1, not 0"));
  options_.auto_placement.memory_share = 1;
  options_.auto_placement.unknown_extent = 0;
  EXPECT_THAT(Error(), HasSubstr("unknown_extent must be at least 1, not 0"));
  options_.auto_placement.unknown_extent = 32;
  options_.auto_placement.machine = ::testing::TempDir() + "/missing.json";
  EXPECT_THAT(Error(), HasSubstr("missing.json cannot be read"));
  options_.auto_placement.machine = File("one.json", R"({"devices": [{"name": "/cpu:0"}]})");
  EXPECT_THAT(Error(), HasSubstr("has no '/job:localhost/replica:0/task:0/device:CPU:1', which "
                                 "the session has"));
  options_.auto_placement.machine = File(
      "small.json", R"({"devices": [{"name": "/cpu:0", "memory_bytes": 1}, {"name": "/cpu:1"}]})");
  EXPECT_THAT(Error(), HasSubstr("no placement was found that fits into the memories"));
}

TEST_F(AutoPlacerTest, AnExtensionThatCannotBePlacedLeavesTheSessionAsItWas) {
  const OutputRef a = Chain("a", Const("one", 1.0f));
  // Room for the constant and two numbers of the chain, in blocks of 64 bytes.
  options_.auto_placement.machine = File("tight.json", R"({"devices": [
      {"name": "/cpu:0", "memory_bytes": 220}, {"name": "/cpu:1"}]})");
  Open();
  const Status status = session_->Extend([&](Graph&) {
    Add("Big", "large", {a});  // of unknown shape, which counts as 32 numbers
    return OkStatus();
  });
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  EXPECT_EQ(graph_->Find("large"), nullptr);
  EXPECT_EQ(Value("a"), 1 + kLength);
}

}  // namespace
}  // namespace warpbeam
