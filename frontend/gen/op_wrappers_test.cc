#include "frontend/gen/op_wrappers.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
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
  EXPECT_TRUE(Contains(
      files[0].text,
      "struct ToyAttrs : OpAttrs {\n"
      "  ToyAttrs& names(const std::vector<std::string>& value) { return Set(\"names\", value), "
      "*this; }\n"
      "};\n"
      "// (x: T, default: N * float) -> (y: T)\n"
      "Output Toy(ScopeRef scope, const Input& x, const InputList& default_, int64_t size,\n"
      "    const ToyAttrs& attrs = {});\n"))
      << files[0].text;
  EXPECT_EQ(files[1].path, "frontend/ops/toy_ops.cc");
  EXPECT_TRUE(Contains(
      files[1].text,
      "Output Toy(ScopeRef scope, In x, InList default_, int64_t size, const ToyAttrs& attrs) {\n"
      "  return BuildOutput(scope, \"Toy\", {x, default_}, OpAttrs(attrs).Set(\"size\", size)); "
      "}\n"))
      << files[1].text;
}

TEST(OpWrappersTest, ResultsByTheNumberOfOutputs) {
  auto files = Generate(OpSchemaBuilder("Toy"));
  EXPECT_TRUE(Contains(files[0].text, "\nOperation Toy(ScopeRef scope);  // () -> ()\n"));
  EXPECT_TRUE(Contains(files[1].text,
                       "Operation Toy(ScopeRef scope) { return BuildOp(scope, \"Toy\", {}); }\n"));
  files = Generate(OpSchemaBuilder("Toy").Output("y: N * float").Attr("N: int"));
  EXPECT_TRUE(Contains(files[0].text,
                       "OutputList Toy(ScopeRef scope, int64_t N);  // () -> (y: N * float)\n"));
  EXPECT_TRUE(Contains(files[1].text, "{}, OpAttrs().Set(\"N\", N));"));
  files = Generate(OpSchemaBuilder("Toy").Input("x: T").Attr("T: list(type)").Output("y: T"));
  EXPECT_TRUE(Contains(files[1].text, "return BuildOutputs(scope, \"Toy\", {x}, OpAttrs()); }\n"));
}

TEST(OpWrappersTest, SeveralOutputsAreAStruct) {
  const auto files = Generate(OpSchemaBuilder("Toy")
                                  .Input("op: float")
                                  .Output("a: float")
                                  .Output("b: int32")
                                  .Output("c: N * int32")
                                  .Attr("N: int"));
  EXPECT_TRUE(Contains(files[0].text,
                       "struct ToyOutputs { Output a, b; OutputList c; "
                       "Operation op() const { return OperationOf(a, b,\n  c); } };\n"))
      << files[0].text;
  EXPECT_TRUE(Contains(files[1].text,
                       "  const Scope here = scope.scope();\n"
                       "  const Operation op = BuildOp(here, \"Toy\", {op_}, OpAttrs().Set(\"N\", "
                       "N));\n"
                       "  return {OutputOf(here, op, \"a\"), OutputOf(here, op, \"b\"), "
                       "OutputsOf(here, op, \"c\")}; }\n"))
      << files[1].text;
}

TEST(OpWrappersTest, LongLinesAreBroken) {
  OpSchemaBuilder builder("Toy");
  for (char name = 'a'; name <= 'p'; ++name) {
    builder.Input(absl::StrCat(std::string(12, name), ": float"));
    builder.Attr(absl::StrCat(std::string(12, 'A' + name - 'a'), ": int"));
  }
  for (const GeneratedFile& file : Generate(builder)) {
    for (const absl::string_view line : absl::StrSplit(file.text, '\n')) {
      EXPECT_LE(line.size(), 100u) << line;
    }
  }
}

TEST(OpWrappersTest, AFamilyIsOneHeaderAndOneSourceWhateverItsSize) {
  OpRegistry ops;
  std::string families;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = absl::StrCat("Toy", i);
    ASSERT_TRUE(ops.Register(OpSchemaBuilder(name).Attr("size: int = 1")).ok());
    absl::StrAppend(&families, name, "\ttoy_ops\n");
  }
  const auto files = GenerateOpWrappers(ops, families);
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->size(), 2u);
  EXPECT_EQ((*files)[0].path, "frontend/ops/toy_ops.h");
  EXPECT_EQ((*files)[1].path, "frontend/ops/toy_ops.cc");
  for (const GeneratedFile& file : *files) EXPECT_EQ(file.text.rfind(kGeneratedMarker, 0), 0u);
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
