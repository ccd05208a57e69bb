#include "graph/passes/prune.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PruneTest : public ::testing::Test {
 protected:
  PruneTest() : graph_(ops_) {
    EXPECT_TRUE(ops_.Register(OpSchemaBuilder("Source").Output("y: float")).ok());
    EXPECT_TRUE(
        ops_.Register(OpSchemaBuilder("Add").Input("a: float").Input("b: float").Output("y: float"))
            .ok());
    a_ = Add("Source", "a", {});
    b_ = Add("Source", "b", {});
    sum_ = Add("Add", "sum", {{a_, 0}, {b_, 0}});
    other_ = Add("Source", "other", {});
    waits_ = Add("Source", "waits", {}, {sum_});
    EXPECT_TRUE(
        ops_.Register(OpSchemaBuilder("Placeholder").Role(OpRole::kPlaceholder).Output("y: float"))
            .ok());
  }
  NodeId Add(const char* op, const char* name, std::vector<OutputRef> inputs,
             std::vector<NodeId> controls = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    auto node = graph_.AddNode(std::move(spec), std::move(inputs), std::move(controls));
    EXPECT_TRUE(node.ok()) << node.status();
    return (*node)->id();
  }
  OpRegistry ops_;
  Graph graph_;
  NodeId a_, b_, sum_, other_, waits_;
};

TEST_F(PruneTest, KeepsWhatAFetchNeeds) {
  EXPECT_THAT(Prune(graph_, {}, {{sum_, 0}}, {}), ElementsAre(a_, b_, sum_));
}
TEST_F(PruneTest, FollowsControlEdgesOfTargets) {
  EXPECT_THAT(Prune(graph_, {}, {}, {waits_}), ElementsAre(a_, b_, sum_, waits_));
}
TEST_F(PruneTest, StopsAtFeeds) {
  EXPECT_THAT(Prune(graph_, {{a_, 0}}, {{sum_, 0}}, {}), ElementsAre(b_, sum_));
  EXPECT_THAT(Prune(graph_, {{sum_, 0}}, {{sum_, 0}}, {}), IsEmpty());
}
TEST_F(PruneTest, NobodyWaitsForAFedPlaceholder) {
  const NodeId fed = Add("Placeholder", "fed", {});
  const NodeId after = Add("Source", "after", {}, {fed});
  EXPECT_THAT(Prune(graph_, {{fed, 0}}, {}, {after}), ElementsAre(after));
  EXPECT_THAT(Prune(graph_, {{a_, 0}}, {}, {after}), ElementsAre(fed, after));
  // What else is fed runs for those who wait for it.
  const NodeId later = Add("Source", "later", {}, {a_});
  EXPECT_THAT(Prune(graph_, {{a_, 0}}, {}, {later}), ElementsAre(a_, later));
}
TEST_F(PruneTest, AFedNodeStillRunsAsATarget) {
  EXPECT_THAT(Prune(graph_, {{a_, 0}}, {}, {a_}), ElementsAre(a_));
}

}  // namespace
}  // namespace warpbeam
