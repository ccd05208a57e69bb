#include "graph/io/plain_node.h"

#include "gmock/gmock.h"
#include "graph/graph.h"
#include "graph/io/graph_import.h"
#include "gtest/gtest.h"
#include "proto/graph.pb.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;

tensorflow::NodeDef Negation(const std::string& name, tensorflow::DataType type) {
  tensorflow::NodeDef node;
  node.set_name(name);
  node.set_op("Neg");
  node.add_input("x");
  node.add_input("^y");
  node.set_device("/cpu:0");
  (*node.mutable_attr())["T"].set_type(type);
  return node;
}

TEST(PlainNodeTest, ReadsWhatTheParserReads) {
  const std::string bytes = Negation("n", tensorflow::DT_FLOAT).SerializeAsString();
  PlainNode node;
  ASSERT_TRUE(node.Read(bytes));
  AttrMap attrs;
  attrs.Set("T", DType::kFloat);
  const NodeSpec spec = node.ToSpec(attrs);
  EXPECT_EQ(spec.name, "n");
  EXPECT_EQ(spec.op, "Neg");
  EXPECT_EQ(spec.device, "/cpu:0");
  EXPECT_THAT(spec.inputs, ElementsAre("x", "^y"));
  EXPECT_EQ(spec.attrs.begin(), attrs.begin()) << "shared";
}

TEST(PlainNodeTest, KeysTellOpsAndAttributesApart) {
  PlainNode a, b, c, d;
  const std::string float_neg = Negation("a", tensorflow::DT_FLOAT).SerializeAsString();
  const std::string other_name = Negation("b", tensorflow::DT_FLOAT).SerializeAsString();
  const std::string int_neg = Negation("a", tensorflow::DT_INT32).SerializeAsString();
  tensorflow::NodeDef square = Negation("a", tensorflow::DT_FLOAT);
  square.set_op("Square");
  const std::string other_op = square.SerializeAsString();
  ASSERT_TRUE(a.Read(float_neg) && b.Read(other_name) && c.Read(int_neg) && d.Read(other_op));
  EXPECT_EQ(a.key(), b.key());
  EXPECT_NE(a.key(), c.key());
  EXPECT_NE(a.key(), d.key());
}

TEST(PlainNodeTest, LeavesTheRestToTheParser) {
  PlainNode node;
  const std::string good = Negation("n", tensorflow::DT_FLOAT).SerializeAsString();
  for (size_t length = 1; length < good.size(); ++length) {
    // Cut off between two fields it is a shorter message; within one it is broken.
    tensorflow::NodeDef parsed;
    const std::string cut = good.substr(0, length);
    EXPECT_EQ(node.Read(cut), parsed.ParseFromString(cut)) << length;
  }
  tensorflow::NodeDef accented = Negation("n", tensorflow::DT_FLOAT);
  accented.set_name("n\xc3\xa4");
  EXPECT_FALSE(node.Read(accented.SerializeAsString()));
  tensorflow::NodeDef large = Negation("n", tensorflow::DT_FLOAT);
  (*large.mutable_attr())["s"].set_s(std::string(600, 's'));
  EXPECT_FALSE(node.Read(large.SerializeAsString()));
  tensorflow::NodeDef debugged = Negation("n", tensorflow::DT_FLOAT);
  debugged.mutable_experimental_debug_info()->add_original_node_names("m");
  EXPECT_FALSE(node.Read(debugged.SerializeAsString()));
  EXPECT_FALSE(node.Read(good + "\x38\x01")) << "an unknown number";
}

class SharedSignatures : public ::testing::Test {
 protected:
  SharedSignatures() {
    for (const OpSchemaBuilder& op :
         {OpSchemaBuilder("Source").Output("y: T").Attr("T: type").Attr("mode: string = 'A'"),
          OpSchemaBuilder("NoOp").Role(OpRole::kNothing)}) {
      EXPECT_TRUE(ops_.Register(op).ok());
    }
    tensorflow::GraphDef proto;
    for (const char* name : {"a", "b", "c", "d"}) {
      auto* node = proto.add_node();
      node->set_name(name);
      node->set_op("Source");
      const bool is_c = node->name() == "c";
      (*node->mutable_attr())["T"].set_type(is_c ? tensorflow::DT_INT32 : tensorflow::DT_FLOAT);
    }
    const Status imported = ImportGraphDef(proto.SerializeAsString(), ImportOptions(), &graph_);
    EXPECT_TRUE(imported.ok()) << imported;
  }
  const Node& node(const char* name) { return *graph_.Find(name); }

  OpRegistry ops_;
  Graph graph_{ops_};
};

TEST_F(SharedSignatures, OfNodesWrittenAlike) {
  EXPECT_EQ(&node("a").attrs(), &node("b").attrs());
  EXPECT_EQ(&node("b").attrs(), &node("d").attrs());
  EXPECT_NE(&node("b").attrs(), &node("c").attrs());
  for (const char* name : {"a", "b", "c", "d"}) {
    EXPECT_EQ(*node(name).attrs().Get<std::string>("mode"), "A") << "the default";
  }
  EXPECT_THAT(node("c").output_types(), ElementsAre(DType::kInt32));
  EXPECT_THAT(node("d").output_types(), ElementsAre(DType::kFloat));
}

TEST_F(SharedSignatures, AChangeIsTheNodesOwn) {
  ASSERT_TRUE(graph_.SetAttr(node("b").id(), "mode", "B").ok());
  EXPECT_EQ(*node("b").attrs().Get<std::string>("mode"), "B");
  EXPECT_EQ(*node("a").attrs().Get<std::string>("mode"), "A");
  EXPECT_EQ(*node("d").attrs().Get<std::string>("mode"), "A");
  EXPECT_FALSE(graph_.SetAttr(node("d").id(), "T", DType::kInt32).ok());
  EXPECT_EQ(*node("d").attrs().Get<DType>("T"), DType::kFloat);
}

TEST(AttrMapTest, CopiesShareUntilOneChanges) {
  AttrMap a;
  EXPECT_EQ(a.shared_entries(), nullptr);
  a.Set("n", 1);
  EXPECT_EQ(a.shared_entries(), nullptr) << "no copies";
  AttrMap b = a;
  EXPECT_NE(a.shared_entries(), nullptr);
  EXPECT_EQ(a.shared_entries(), b.shared_entries());
  b.Set("n", 2);
  b.Set("m", 3);
  EXPECT_EQ(*a.Get<int64_t>("n"), 1);
  EXPECT_EQ(a.size(), 1);
  EXPECT_EQ(*b.Get<int64_t>("n"), 2);
  AttrMap c = b;
  EXPECT_EQ(b, c);
  EXPECT_TRUE(c.Erase("m"));
  EXPECT_FALSE(c.Erase("m"));
  EXPECT_EQ(b.size(), 2);
  EXPECT_EQ(c.size(), 1);
  EXPECT_FALSE(b == c);
  EXPECT_FALSE(AttrMap() == c);
  EXPECT_TRUE(AttrMap() == AttrMap());
}

}  // namespace
}  // namespace warpbeam
