// A serialized graph inside one that is being built.
#include "frontend/graph_def/import_graph.h"

#include "frontend/build.h"
#include "frontend/client_session.h"
#include "gmock/gmock.h"
#include "graph/io/graph_export.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// x and y are fed; sum = x + y runs after "first"; "parts" are two halves of sum.
std::string GraphBytes() {
  Scope scope = Scope::NewRoot();
  const auto fed = [&](const char* name) {
    return BuildOutput(scope.Named(name), "Placeholder", {},
                       OpAttrs().Set("dtype", DType::kFloat).Set("shape", PartialShape({2})));
  };
  Output x = fed("x");
  Output y = fed("y");
  Operation first = BuildOp(scope.Named("first"), "NoOp", {});
  Output sum = BuildOutput(scope.ControlDependencies({first}).Named("sum"), "AddV2", {x, y});
  BuildOutputs(scope.Named("parts"), "Split", {Constant(scope, 0), sum},
               OpAttrs().Set("num_split", 2));
  EXPECT_TRUE(scope.ok()) << scope.status();
  return *ExportGraphDef(*scope.graph());
}

TEST(ImportGraphTest, InputsAreMappedAndElementsReturned) {
  const std::string bytes = GraphBytes();
  Scope scope = Scope::NewRoot();
  Output a = Constant(scope.Named("a"), {1.0f, 2.0f});
  Output b = Constant(scope.Named("b"), {10.0f, 20.0f});
  ImportGraphOptions options;
  options.input_map = {{"x:0", a}, {"y", b}, {"^first", a}};
  options.return_elements = {"sum:0", "parts:1", "sum", "y:0", "x"};
  const auto elements = ImportGraphDef(scope.Device("/cpu:0"), bytes, options);
  ASSERT_TRUE(elements.ok()) << elements.status();
  ASSERT_EQ(elements->size(), 5u);
  EXPECT_EQ((*elements)[0].output.name(), "import/sum:0");
  EXPECT_EQ((*elements)[1].output.name(), "import/parts:1");
  EXPECT_EQ((*elements)[2].op.name(), "import/sum");
  EXPECT_FALSE((*elements)[2].output.valid());
  EXPECT_EQ((*elements)[3].output.name(), "b:0");   // what stands in its place
  EXPECT_EQ((*elements)[4].op.name(), "import/x");  // it is there all the same
  EXPECT_EQ((*elements)[2].op.device(), "/device:CPU:0");
  const Node* sum = scope.graph()->Find("import/sum");
  ASSERT_EQ(sum->control_inputs().size(), 1u);
  EXPECT_EQ(scope.graph()->node(sum->control_inputs()[0]).name(), "a");

  ClientSession session(scope);
  const auto ran = session.Run({(*elements)[0].output, (*elements)[1].output});
  ASSERT_TRUE(ran.ok()) << ran.status();
  const std::vector<Tensor>& got = *ran;
  EXPECT_EQ(got[0].data<float>()[0], 11.0f);
  EXPECT_EQ(got[0].data<float>()[1], 22.0f);
  EXPECT_EQ(got[1].data<float>()[0], 22.0f);
}

TEST(ImportGraphTest, EachImportHasANameScope) {
  const std::string bytes = GraphBytes();
  Scope scope = Scope::NewRoot();
  ASSERT_TRUE(ImportGraphDef(scope, bytes).ok());
  ASSERT_TRUE(ImportGraphDef(scope, bytes).ok());
  ImportGraphOptions options;
  options.name = "";
  options.return_elements = {"sum:0"};
  const auto inside = ImportGraphDef(scope.NameScope("tower"), bytes, options);
  ASSERT_TRUE(inside.ok()) << inside.status();
  EXPECT_EQ((*inside)[0].output.name(), "tower/sum:0");
  EXPECT_NE(scope.graph()->Find("import/sum"), nullptr);
  EXPECT_NE(scope.graph()->Find("import_1/sum"), nullptr);
  const auto top = ImportGraphDef(scope, bytes, options);
  ASSERT_TRUE(top.ok()) << top.status();
  EXPECT_EQ((*top)[0].output.name(), "sum:0");
  // What is built next knows the names that are taken.
  EXPECT_EQ(BuildOp(scope.Named("sum"), "NoOp", {}).name(), "sum_1");
}

TEST(ImportGraphTest, WhatDoesNotFitIsRefused) {
  const std::string bytes = GraphBytes();
  const auto error = [&](const ImportGraphOptions& options) {
    Scope scope = Scope::NewRoot();
    ImportGraphOptions all = options;
    for (auto& entry : all.input_map) entry.second = Constant(scope, {1, 2});
    const auto elements = ImportGraphDef(scope, bytes, all);
    EXPECT_EQ(elements.status().code(), StatusCode::kInvalidArgument);
    return std::string(elements.status().message());
  };
  ImportGraphOptions options;
  options.input_map = {{"gone:0", Output()}};
  EXPECT_THAT(error(options), HasSubstr("does not have: gone"));
  options.input_map = {{"x:0", Output()}};
  EXPECT_THAT(error(options), AllOf(HasSubstr("'import/sum'"), HasSubstr("int32")));
  options.input_map.clear();
  options.return_elements = {"gone"};
  EXPECT_THAT(error(options), HasSubstr("no 'gone'"));
  options.return_elements = {"parts:2"};
  EXPECT_THAT(error(options), HasSubstr("has 2 outputs"));
  options.return_elements = {"^sum"};
  EXPECT_THAT(error(options), HasSubstr("no '^sum'"));

  Scope scope = Scope::NewRoot();
  Scope other = Scope::NewRoot();
  options.return_elements.clear();
  options.input_map = {{"x:0", Constant(other, {1.0f, 2.0f})}};
  EXPECT_THAT(std::string(ImportGraphDef(scope, bytes, options).status().message()),
              HasSubstr("of another graph"));
  EXPECT_FALSE(ImportGraphDef(scope, "no graph").ok());
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
