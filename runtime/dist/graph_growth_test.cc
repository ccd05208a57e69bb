#include "runtime/dist/graph_growth.h"

#include <memory>

#include "gtest/gtest.h"
#include "proto/graph.pb.h"

namespace warpbeam {
namespace {

void AddConst(const std::string& name, Graph* graph) {
  NodeSpec spec;
  spec.name = name;
  spec.op = "Const";
  spec.attrs.Set("value", Tensor::Scalar(1.0f));
  spec.attrs.Set("dtype", DType::kFloat);
  ASSERT_TRUE(graph->AddNode(std::move(spec), {}, {}).ok());
}

void AddFunction(const std::string& name, Graph* graph) {
  auto function = std::make_shared<Function>();
  function->signature.name = name;
  ASSERT_TRUE(graph->functions().Add(std::move(function)).ok());
}

TEST(GraphGrowthTest, WritesWhatIsNew) {
  Graph graph;
  graph.versions().producer = 2474;
  GraphGrowth growth;
  EXPECT_FALSE(growth.HasNew(graph));
  AddFunction("f", &graph);
  AddConst("a", &graph);
  ASSERT_TRUE(growth.HasNew(graph));
  tensorflow::GraphDef first;
  ASSERT_TRUE(growth.WriteNew(graph, &first).ok());
  ASSERT_EQ(first.node_size(), 1);
  EXPECT_EQ(first.node(0).name(), "a");
  EXPECT_EQ(first.library().function_size(), 1);
  EXPECT_TRUE(growth.HasNew(graph)) << "nobody has taken it yet";
  growth.MarkSent(graph);
  EXPECT_FALSE(growth.HasNew(graph));

  AddFunction("g", &graph);
  ASSERT_TRUE(graph.functions().AddGradient("f", "g").ok());
  AddConst("b", &graph);
  AddConst("c", &graph);
  ASSERT_TRUE(growth.HasNew(graph));
  tensorflow::GraphDef second;
  ASSERT_TRUE(growth.WriteNew(graph, &second).ok());
  ASSERT_EQ(second.node_size(), 2);
  EXPECT_EQ(second.node(0).name(), "b");
  EXPECT_EQ(second.node(1).name(), "c");
  ASSERT_EQ(second.library().function_size(), 1);
  EXPECT_EQ(second.library().function(0).signature().name(), "g");
  ASSERT_EQ(second.library().gradient_size(), 1);
  EXPECT_EQ(second.library().gradient(0).function_name(), "f");
  EXPECT_EQ(second.versions().producer(), 2474);
  growth.MarkSent(graph);

  AddConst("d", &graph);
  tensorflow::GraphDef third;
  ASSERT_TRUE(growth.WriteNew(graph, &third).ok());
  EXPECT_EQ(third.node_size(), 1);
  EXPECT_FALSE(third.has_library());
}

}  // namespace
}  // namespace warpbeam
