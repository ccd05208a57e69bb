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
      return absl::OkStatus();
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
}

TEST_F(PassPipelineTest, RefusesAnUnknownPassNamingThoseThatThereAre) {
  const absl::Status status = pipeline_.Select("second,fourth");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
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
  const absl::Status status = pipeline_.Run(&part_, nullptr);
  EXPECT_THAT(std::string(status.message()), HasSubstr("pass 'broken'"));
  EXPECT_THAT(ran_, ElementsAre("first", "second", "third"));
}

TEST(GraphPartTest, TextHasALinePerNode) {
  OpRegistry ops;
  ASSERT_TRUE(ops.Register(OpSchemaBuilder("Source").Output("y: float")).ok());
  ASSERT_TRUE(ops.Register(OpSchemaBuilder("Double").Input("x: float").Output("y: float")).ok());
  Graph graph(ops);
  NodeSpec a;
  a.name = "a";
  a.op = "Source";
  const NodeId source = (*graph.AddNode(a, {}, {}))->id();
  NodeSpec b;
  b.name = "b";
  b.op = "Double";
  const NodeId twice = (*graph.AddNode(b, {{source, 0}}, {source}))->id();
  GraphPart part;
  part.graph = &graph;
  part.nodes = {source, twice};
  EXPECT_EQ(part.ToText(), "a = Source()\nb = Double(a:0, ^a)\n");
}

}  // namespace
}  // namespace warpbeam
