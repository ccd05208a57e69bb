// Members of collectives run in one order on devices that run in the order of launching, whatever
// order their graph leaves open.
#include "runtime/effects/order_collectives.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "runtime/effects/collective_meetings.h"
#include "tests/passes/passes_fixture.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OrderCollectivesTest : public PassesTest {
 protected:
  static constexpr Site kCpu = 0;

  OutputRef Reduce(const std::string& name, OutputRef x, int64_t instance, Site site,
                   std::vector<NodeId> controls = {}, int64_t size = 2) {
    const OutputRef reduce = Add("CollectiveReduce", name, {x},
                                 {{"T", DType::kFloat},
                                  {"group_size", size},
                                  {"group_key", int64_t{1}},
                                  {"instance_key", instance},
                                  {"merge_op", std::string("Add")},
                                  {"final_op", std::string("Id")},
                                  {"subdiv_offsets", std::vector<int64_t>{0}}},
                                 std::move(controls));
    Put(reduce, site);
    return reduce;
  }
  void Put(OutputRef node, Site site) { sites_[node.node] = site; }
  OutputRef Deep(const std::string& name, OutputRef x, int depth) {
    for (int i = 0; i < depth; ++i) x = Float("Neg", absl::StrCat(name, i), {x});
    return x;
  }

  // Runs the pass over everything; what waits for what that did not before.
  Status Order(std::vector<std::string>* added) {
    GraphPart part;
    std::vector<Site> sites(graph_->num_nodes(), kCpu);
    for (const auto& [id, site] : sites_) sites[id] = site;
    graph_->SetSites(std::move(sites));
    part.graph = graph_;
    for (NodeId id = 0; id < graph_->num_nodes(); ++id) part.nodes.push_back(id);
    const std::shared_ptr<const Graph> before = part.graph;
    WB_RETURN_IF_ERROR(OrderCollectives(&part, [](Site site) { return site != kCpu; }));
    for (const NodeId id : part.nodes) {
      const Node& node = part.graph->node(id);
      const size_t had = id < before->num_nodes() ? before->node(id).control_inputs().size() : 0;
      const std::vector<NodeId>& controls = node.control_inputs();
      for (size_t i = had; i < controls.size(); ++i) {
        added->push_back(absl::StrCat(part.graph->node(controls[i]).name(), " < ", node.name()));
      }
    }
    std::sort(added->begin(), added->end());
    return OkStatus();
  }
  std::vector<std::string> Ordered() {
    std::vector<std::string> added;
    const Status status = Order(&added);
    EXPECT_TRUE(status.ok()) << status;
    return added;
  }

  std::map<NodeId, Site> sites_;
};

TEST_F(OrderCollectivesTest, WhatCanBeReadyFirstGoesFirst) {
  const OutputRef x = Placeholder("x", {2});
  const OutputRef deep = Deep("deep", x, 5);
  // As towers do it: the gradients of the last layer are there first.
  for (const int64_t tower : {1, 2}) {
    const auto site = static_cast<Site>(tower);
    Reduce(absl::StrCat("first_layer", tower), deep, 1, site);
    Reduce(absl::StrCat("last_layer", tower), x, 2, site);
  }
  EXPECT_THAT(Ordered(), ElementsAre("last_layer1 < first_layer1", "last_layer2 < first_layer2"));
}

TEST_F(OrderCollectivesTest, AMeetingIsAsLateAsItsLastMember) {
  const OutputRef x = Placeholder("x", {2});
  Reduce("a1", x, 1, 1);
  Reduce("a2", Deep("deep", x, 4), 1, 2);
  Reduce("b1", Deep("less", x, 2), 2, 1);
  Reduce("b2", x, 2, 2);
  EXPECT_THAT(Ordered(), ElementsAre("b1 < a1", "b2 < a2"));
}

TEST_F(OrderCollectivesTest, TheGraphsOwnOrderIsKept) {
  const OutputRef x = Placeholder("x", {2});
  const OutputRef late = Reduce("b1", x, 2, 1);
  Reduce("a1", x, 1, 1, {late.node});
  Reduce("a2", x, 1, 2);
  Reduce("b2", x, 2, 2);
  EXPECT_THAT(Ordered(), ElementsAre("b2 < a2"));
}

TEST_F(OrderCollectivesTest, CpusDoNotWait) {
  const OutputRef x = Placeholder("x", {2});
  Reduce("a0", x, 1, kCpu);
  Reduce("a1", x, 1, 1);
  Reduce("b0", x, 2, kCpu);
  Reduce("b1", x, 2, 1);
  EXPECT_THAT(Ordered(), ElementsAre("a1 < b1"));
}

TEST_F(OrderCollectivesTest, MembersOfOneMeetingThatShareADeviceDoNotWaitForEachOther) {
  const OutputRef x = Placeholder("x", {2});
  for (const char* member : {"1", "2"}) {
    Reduce(absl::StrCat("a", member), x, 1, 1);
    Reduce(absl::StrCat("b", member), x, 2, 1);
  }
  EXPECT_THAT(Ordered(), ElementsAre("a1 < b1", "a1 < b2", "a2 < b1", "a2 < b2"));
}

TEST_F(OrderCollectivesTest, ADeadMemberHoldsNobodyUp) {
  const OutputRef x = Placeholder("x", {2});
  const OutputRef taken = Add("Placeholder", "p", {}, {{"dtype", DType::kBool}});
  const OutputRef branch = Float("Switch", "branch", {x, taken});
  Reduce("a1", branch, 1, 1);
  Reduce("a2", branch, 1, 2);
  Reduce("b1", Deep("deep", x, 3), 2, 1);
  Reduce("b2", Deep("more", x, 3), 2, 2);
  EXPECT_THAT(Ordered(),
              ElementsAre("a1 < b1/turn", "a2 < b2/turn", "b1/turn < b1", "b2/turn < b2"));
}

TEST_F(OrderCollectivesTest, MembersThatWaitForEachOtherAreRefused) {
  const OutputRef x = Placeholder("x", {2});
  const OutputRef a1 = Reduce("a1", x, 1, 1);
  Reduce("b1", a1, 2, 1);
  const OutputRef b2 = Reduce("b2", x, 2, 2);
  Reduce("a2", b2, 1, 2);
  std::vector<std::string> added;
  const Status status = Order(&added);
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("'b1' runs after 'a1'"), HasSubstr("'a2' runs after 'b2'")));
  EXPECT_THAT(added, IsEmpty());
}

TEST_F(OrderCollectivesTest, AGraphWithoutCollectivesIsLeftAlone) {
  Deep("deep", Placeholder("x", {2}), 2);
  EXPECT_THAT(Ordered(), IsEmpty());
}

// Every task that compiles a step must find the same, in whatever order nodes were added.
TEST_F(OrderCollectivesTest, TheOrderDoesNotDependOnIds) {
  const auto order_of = [](bool backwards) {
    Graph graph;
    std::vector<int64_t> instances = {3, 1, 4, 2, 5};
    if (backwards) std::reverse(instances.begin(), instances.end());
    for (const int64_t instance : instances) {
      NodeSpec source;
      source.name = absl::StrCat("x", instance);
      source.op = "Placeholder";
      source.attrs.Set("dtype", DType::kFloat);
      auto x = graph.AddNode(std::move(source), {}, {});
      NodeSpec spec;
      spec.name = absl::StrCat("reduce", instance);
      spec.op = "CollectiveReduce";
      for (const char* key : {"group_size", "group_key"}) spec.attrs.Set(key, int64_t{1});
      spec.attrs.Set("instance_key", instance);
      spec.attrs.Set("T", DType::kFloat);
      spec.attrs.Set("merge_op", std::string("Add"));
      spec.attrs.Set("final_op", std::string("Id"));
      spec.attrs.Set("subdiv_offsets", std::vector<int64_t>{0});
      EXPECT_TRUE(graph.AddNode(std::move(spec), {{(*x)->id(), 0}}, {}).ok());
    }
    const std::vector<bool> runs(graph.num_nodes(), true);
    const CollectiveMeetings meetings(graph, {}, runs);
    const auto order = meetings.Order();
    EXPECT_TRUE(order.ok()) << order.status();
    return absl::StrJoin(*order, " ", [&](std::string* out, int i) {
      absl::StrAppend(out, graph.node(meetings.all()[i].members[0]).name());
    });
  };
  EXPECT_EQ(order_of(false), "reduce1 reduce2 reduce3 reduce4 reduce5");
  EXPECT_EQ(order_of(true), order_of(false));
}

}  // namespace
}  // namespace warpbeam
