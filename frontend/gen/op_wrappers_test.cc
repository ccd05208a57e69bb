#include "frontend/gen/op_wrappers.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<GeneratedFile> Generate(const OpSchemaBuilder& builder) {
  OpRegistry ops;
  EXPECT_TRUE(ops.Register(builder).ok());
  const auto files = GenerateOpWrappers(ops, "Toy\ttoy_ops\n");
  EXPECT_TRUE(files.ok()) << files.status();
  return files.ok() ? *files : std::vector<GeneratedFile>(2);
}

TEST(OpWrappersTest, InputsThenAttributesWithoutDefaultThenTheOthers) {
  const auto files = Generate(OpSchemaBuilder("Toy")
                                  .Input("x: T")
                                  .Input("default: N * float")
                                  .Output("y: T")
                                  .Attr("T: type")
                                  .Attr("N: int")
                                  .Attr("size: int")
                                  .Attr("names: list(string) = []"));
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].path, "frontend/ops/toy_ops.h");
  EXPECT_TRUE(Contains(files[0].text,
                       "// (x: T, default: N * float) -> (y: T)\n"
                       "Output Toy(ScopeRef scope, const Input& x, const InputList& default_, "
                       "int64_t size,\n    const ToyAttrs& attrs = ToyAttrs());\n"))
      << files[0].text;
  EXPECT_TRUE(Contains(files[0].text, "ToyAttrs& names(const std::vector<std::string>& value) {"));
  EXPECT_EQ(files[1].path, "frontend/ops/toy_ops.cc");
  EXPECT_TRUE(Contains(files[1].text,
                       "  return BuildOutput(\n      scope.scope(), \"Toy\", {x, default_},\n"
                       "      OpAttrs(attrs)\n          .Set(\"size\", size));\n"))
      << files[1].text;
}

TEST(OpWrappersTest, ResultsByTheNumberOfOutputs) {
  EXPECT_TRUE(Contains(Generate(OpSchemaBuilder("Toy"))[0].text, "Operation Toy(ScopeRef scope);"));
  EXPECT_TRUE(
      Contains(Generate(OpSchemaBuilder("Toy").Output("y: N * float").Attr("N: int"))[0].text,
               "std::vector<Output> Toy(ScopeRef scope, int64_t N);"));
  const auto files = Generate(OpSchemaBuilder("Toy").Output("a: float").Output("b: int32"));
  EXPECT_TRUE(Contains(files[0].text, "struct ToyOutputs {\n  Output a;\n  Output b;\n"));
  EXPECT_TRUE(Contains(files[1].text, "outputs.b = OutputOf(here, built, \"b\");"));
}

TEST(OpWrappersTest, OpsWithoutFamilyAndOpsOfTheSystem) {
  OpRegistry ops;
  ASSERT_TRUE(ops.Register(OpSchemaBuilder("Unheard")).ok());
  ASSERT_TRUE(ops.Register(OpSchemaBuilder("_Hidden")).ok());
  const auto files = GenerateOpWrappers(ops, "");
  ASSERT_TRUE(files.ok());
  ASSERT_EQ(files->size(), 2u);
  EXPECT_EQ((*files)[0].path, "frontend/ops/other_ops.h");
  EXPECT_FALSE(Contains((*files)[0].text, "Hidden"));
  EXPECT_FALSE(GenerateOpWrappers(ops, "no tab\n").ok());
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
