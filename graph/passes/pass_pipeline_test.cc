#include "graph/passes/pass_pipeline.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PassPipelineTest : public ::testing::Test {
 protected:
  PassPipelineTest() {
    pipeline_.AddRequired("first", Recorder("first"));
    pipeline_.Add("second", Recorder("second"));
    pipeline_.Add("third", Recorder("third"));
  }
  PassPipeline::Pass Recorder(std::string name) {
    return [this, name](GraphPart* part) {
      ran_.push_back(name);
      part->notes = name + "'s note\n";
      return OkStatus();
    };
  }
  std::vector<std::string> RunSelected(const std::string& passes) {
    ran_.clear();
    EXPECT_TRUE(pipeline_.Select(passes).ok());
    EXPECT_TRUE(pipeline_.Run(&part_, nullptr).ok());
    return ran_;
  }

  PassPipeline pipeline_;
  GraphPart part_;
  std::vector<std::string> ran_;
};

TEST_F(PassPipelineTest, RunsWhatIsSelectedInOrder) {
  EXPECT_THAT(RunSelected("default"), ElementsAre("first", "second", "third"));
  EXPECT_THAT(RunSelected("none"), ElementsAre("first"));
  EXPECT_THAT(RunSelected("third"), ElementsAre("first", "third"));
  EXPECT_THAT(RunSelected("third,second"), ElementsAre("first", "second", "third"));
  EXPECT_THAT(RunSelected("default,-second"), ElementsAre("first", "third"));
  EXPECT_THAT(RunSelected("default,-first"), ElementsAre("first", "second", "third"));
}

TEST_F(PassPipelineTest, RefusesAnUnknownPassNamingThoseThatThereAre) {
  const Status status = pipeline_.Select("second,fourth");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'fourth'"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("second, third"));
}

TEST_F(PassPipelineTest, DumpsAfterEachPass) {
  std::vector<std::string> dumps;
  EXPECT_TRUE(pipeline_
                  .Run(&part_, [&](const std::string& pass,
                                   const std::string& text) { dumps.push_back(pass + ":" + text); })
                  .ok());
  EXPECT_THAT(
      dumps, ElementsAre("first:first's note\n", "second:second's note\n", "third:third's note\n"));
}

TEST_F(PassPipelineTest, StopsAtAnErrorAndNamesThePass) {
  pipeline_.Add("broken", [](GraphPart*) { return InvalidArgument("no such thing"); });
  pipeline_.Add("last", Recorder("last"));
  const Status status = pipeline_.Run(&part_, nullptr);
  EXPECT_THAT(std::string(status.message()), HasSubstr("pass 'broken'"));
  EXPECT_THAT(ran_, ElementsAre("first", "second", "third"));
}

class GraphPartTest : public ::testing::Test {
 protected:
  GraphPartTest() {
    EXPECT_TRUE(ops_.Register(OpSchemaBuilder("Source").Output("y: float")).ok());
    EXPECT_TRUE(ops_.Register(OpSchemaBuilder("Double").Input("x: float").Output("y: float")).ok());
    source_ = Add("a", "Source", {}, {});
    twice_ = Add("b", "Double", {{source_, 0}}, {source_});
    last_ = Add("c", "Double", {{twice_, 0}}, {});
    part_.graph = graph_;
    part_.fetches = {{last_, 0}};
    part_.Prune();
  }
  NodeId Add(const char* name, const char* op, std::vector<OutputRef> inputs,
             std::vector<NodeId> controls) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    return (*graph_->AddNode(spec, std::move(inputs), std::move(controls)))->id();
  }

  OpRegistry ops_;
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>(ops_);
  NodeId source_, twice_, last_;
  GraphPart part_;
};

TEST_F(GraphPartTest, TextHasALinePerNode) {
  EXPECT_EQ(part_.ToText(), "a = Source()\nb = Double(a:0, ^a)\nc = Double(b:0)\n");
}

TEST_F(GraphPartTest, ChangesGoToAnOverlay) {
  const GraphPart before = part_;
  ASSERT_TRUE(part_.Edit().SetInput(last_, 0, {source_, 0}).ok());
  EXPECT_TRUE(part_.changed());
  part_.Prune();
  EXPECT_EQ(part_.ToText(), "a = Source()\nc = Double(a:0)\n");
  EXPECT_EQ(before.ToText(), "a = Source()\nb = Double(a:0, ^a)\nc = Double(b:0)\n");
  EXPECT_EQ(part_.graph->Find("c"), &part_.graph->node(last_));
  EXPECT_FALSE(part_.graph->IsReplaced(last_));
  // Whoever forks keeps what was there.
  const GraphPart middle = part_;
  part_.Fork();
  NodeSpec source;
  source.op = "Source";
  ASSERT_TRUE(part_.Edit().ReplaceNode(last_, source, {}, {}, {}).ok());
  part_.Prune();
  EXPECT_EQ(part_.ToText(), "c = Source()\n");
  EXPECT_TRUE(part_.graph->IsReplaced(last_));
  EXPECT_EQ(middle.ToText(), "a = Source()\nc = Double(a:0)\n");
  EXPECT_FALSE(graph_->IsReplaced(last_));
}

TEST_F(GraphPartTest, NodesOfAnOverlayAreItsOwn) {
  NodeSpec more;
  more.name = "more";
  more.op = "Source";
  const int before = graph_->num_nodes();
  const auto added = part_.Edit().AddNode(more, {}, {});
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_EQ((*added)->id(), before);
  EXPECT_TRUE(part_.graph->IsReplaced((*added)->id()));
  EXPECT_EQ(graph_->num_nodes(), before);
  EXPECT_EQ(graph_->Find("more"), nullptr);
  // The graph below may grow meanwhile: its node is another one, which the overlay does not see.
  more.name = "later";
  ASSERT_TRUE(graph_->AddNode(more, {}, {}).ok());
  EXPECT_EQ(part_.graph->Find("later"), nullptr);
  EXPECT_EQ(part_.graph->Find("more"), *added);
  EXPECT_EQ(part_.Edit().UniqueName("more"), "more_1");
  // A further overlay has them, too.
  part_.Fork();
  ASSERT_TRUE(part_.Edit().SetControlInputs(last_, {before}).ok());
  EXPECT_TRUE(part_.graph->IsReplaced(before));
  EXPECT_EQ(part_.graph->Find("more")->id(), before);
}

TEST_F(GraphPartTest, OverlaysRefuseWhatTheyCannotDo) {
  NodeSpec more;
  more.name = "more";
  more.op = "Source";
  EXPECT_EQ(graph_->ReplaceNode(last_, more, {}, {}, {}).code(), StatusCode::kFailedPrecondition);
  NodeSpec unknown;
  unknown.op = "NoSuchOp";
  EXPECT_FALSE(part_.Edit().ReplaceNode(last_, unknown, {}, {}, {}).ok());
  EXPECT_EQ(part_.graph->node(last_).op_name(), "Double");
  EXPECT_EQ(part_.Edit().SetControlInputs(last_, {last_}).code(), StatusCode::kInvalidArgument);
}

TEST_F(GraphPartTest, WhatFollowsFromThePartIsFoundOnceAndAgainAfterAChange) {
  const StatusOr<GraphPart::Order> order = part_.Ordered();
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_THAT(**order, ElementsAre(source_, twice_, last_));
  EXPECT_EQ(*part_.Ordered(), *order);
  const std::shared_ptr<const Consumers> consumers = part_.consumers();
  EXPECT_EQ(consumers->of(twice_).size(), 1u);
  EXPECT_EQ(part_.consumers(), consumers);
  EXPECT_TRUE(part_.HasOp("Double"));
  EXPECT_TRUE(part_.HasOp([](const OpSchema& op) { return op.inputs.empty(); }));
  EXPECT_FALSE(part_.HasOp("Triple"));

  ASSERT_TRUE(part_.Edit().SetInput(last_, 0, {source_, 0}).ok());
  EXPECT_TRUE(part_.consumers()->of(twice_).empty());
  part_.Prune();
  EXPECT_THAT(**part_.Ordered(), ElementsAre(source_, last_));
  NodeSpec source;
  source.op = "Source";
  ASSERT_TRUE(part_.Edit().ReplaceNode(last_, source, {}, {}, {}).ok());
  part_.Prune();
  EXPECT_FALSE(part_.HasOp("Double"));
  // Who asked before goes on with what it was given.
  EXPECT_THAT(**order, ElementsAre(source_, twice_, last_));
  EXPECT_EQ(consumers->of(twice_).size(), 1u);
}

TEST_F(GraphPartTest, OpsOfAPartThatNobodyPruned) {
  GraphPart part;
  part.graph = graph_;
  part.nodes = {source_};
  EXPECT_TRUE(part.HasOp("Source"));
  EXPECT_FALSE(part.HasOp("Double"));
}

TEST_F(GraphPartTest, ShapesThatFollowFromFeeds) {
  part_.feeds = {{twice_, 0}};
  const std::vector<bool> follow = part_.ShapesFollowFeeds({source_, twice_, last_});
  EXPECT_FALSE(follow[source_]);
  EXPECT_TRUE(follow[twice_]);
  EXPECT_TRUE(follow[last_]);
}

}  // namespace
}  // namespace warpbeam
