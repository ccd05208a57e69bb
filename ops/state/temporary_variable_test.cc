#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {
namespace {

class TemporaryVariables : public ::testing::Test {
 protected:
  static OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  OutputRef Made(const char* node, const char* name) {
    return Built(NodeBuilder(graph_.get(), "TemporaryVariable")
                     .Name(node)
                     .Attr("dtype", DType::kFloat)
                     .Attr("shape", PartialShape({2}))
                     .Attr("var_name", std::string(name)));
  }
  OutputRef Assigned(OutputRef variable, std::initializer_list<float> values) {
    auto value = AddConstant(graph_.get(), "value", Tensor::Vector<float>(values));
    EXPECT_TRUE(value.ok()) << value.status();
    return Built(
        NodeBuilder(graph_.get(), "Assign").Input(variable).Input(OutputRef{(*value)->id(), 0}));
  }
  OutputRef Destroyed(const char* node, OutputRef variable, const char* name) {
    return Built(NodeBuilder(graph_.get(), "DestroyTemporaryVariable")
                     .Name(node)
                     .Attr("var_name", std::string(name))
                     .Input(variable));
  }
  // Two steps of one session: the second begins without variables of the first.
  Status Run(std::vector<std::string> fetches) {
    auto session = Session::Create({}, graph_);
    if (!session.ok()) return session.status();
    const Status first = (*session)->Run({}, {}, fetches, {}, &out_, nullptr);
    if (!first.ok()) return first;
    return (*session)->Run({}, {}, fetches, {}, &out_, nullptr);
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::vector<Tensor> out_;
};

TEST_F(TemporaryVariables, GiveTheirValueWhenTheyAreDestroyed) {
  Destroyed("last", Assigned(Made("variable", "name"), {1, 2}), "name");
  ASSERT_TRUE(Run({"last"}).ok());
  EXPECT_EQ(out_[0].flat<float>()[1], 2);
}

TEST_F(TemporaryVariables, OneThatIsNotDestroyedEndsWithItsStep) {
  Built(NodeBuilder(graph_.get(), "Identity").Name("read").Input(Made("variable", "name")));
  EXPECT_TRUE(Run({"read"}).ok());
  EXPECT_EQ(out_[0].shape(), Shape({2}));
}

TEST_F(TemporaryVariables, AnotherNameIsNotFound) {
  Destroyed("last", Assigned(Made("variable", "name"), {1, 2}), "other");
  EXPECT_EQ(Run({"last"}).code(), StatusCode::kNotFound);
}

TEST_F(TemporaryVariables, TheSecondDestructionFindsNothing) {
  const OutputRef variable = Assigned(Made("variable", "name"), {1, 2});
  Destroyed("one", variable, "name");
  Destroyed("two", variable, "name");
  EXPECT_EQ(Run({"one", "two"}).code(), StatusCode::kNotFound);
}

// The sessions of a server share its resources, and each begins with a first step.
TEST_F(TemporaryVariables, OfTwoSessionsDoNotMeet) {
  SessionOptions options;
  options.resources = std::make_shared<ResourceStore>();
  Built(NodeBuilder(graph_.get(), "Identity").Name("read").Input(Made("one", "name")));
  const OutputRef x =
      Built(NodeBuilder(graph_.get(), "Placeholder").Name("x").Attr("dtype", DType::kFloat));
  Built(NodeBuilder(graph_.get(), "Identity").Name("y").Input(x));
  const auto first = Session::Create(options, graph_);
  ASSERT_TRUE(first.ok()) << first.status();
  const auto handle = (*first)->PartialRunSetup({"x"}, {"read", "y"}, {});
  ASSERT_TRUE(handle.ok()) << handle.status();
  ASSERT_TRUE((*first)->PartialRun(*handle, {}, {"read"}, &out_).ok());

  graph_ = std::make_shared<Graph>();
  Destroyed("last", Assigned(Made("two", "name"), {1, 2}), "name");
  const auto second = Session::Create(options, graph_);
  ASSERT_TRUE(second.ok()) << second.status();
  const Status run = (*second)->Run({}, {}, {"last"}, {}, &out_, nullptr);
  EXPECT_TRUE(run.ok()) << run;
  EXPECT_TRUE((*first)->PartialRun(*handle, {{"x", Tensor::Scalar(1.0f)}}, {"y"}, &out_).ok());
}

TEST_F(TemporaryVariables, TwoNodesOfOneNameCollide) {
  Assigned(Made("one", "name"), {1, 2});
  Assigned(Made("two", "name"), {3, 4});
  EXPECT_EQ(Run({"one", "two"}).code(), StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace warpbeam
