#include "tools/op_table/op_table.h"

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

TEST(OpTableTest, TheTableIsThatOfTodaysOps) {
  const auto facts = ReadOpFacts();
  ASSERT_TRUE(facts.ok()) << facts.status();
  const auto text = OpTable(*facts);
  ASSERT_TRUE(text.ok()) << text.status();
  const auto present = ReadFileToString("docs/ops.md");
  ASSERT_TRUE(present.ok()) << present.status();
  EXPECT_TRUE(*text == *present)
      << "docs/ops.md is not up to date; run: bazel run //tools/op_lists";
}

TEST(OpTableTest, RowsSayWhatTheRegistriesSay) {
  OpFacts facts;
  facts.families = "MatMul\tmath_ops\n";
  facts.kernel_differences = "MatMul\tGPU lacks all\n";
  facts.deviations = "# why\nMatMul\tis ours\n";
  const auto text = OpTable(facts);
  ASSERT_TRUE(text.ok()) << text.status();
  for (const char* part : {"## math_ops", "| MatMul | ", " | yes | no GPU kernel; is ours |\n",
                           "| Identity | all | ", " | the loop's or branch's |  |\n"}) {
    EXPECT_TRUE(absl::StrContains(*text, part)) << part;
  }
}

TEST(OpTableTest, FactsAreChecked) {
  OpFacts facts;
  facts.deviations = "NoSuchOp\tis not there\n";
  EXPECT_THAT(std::string(OpTable(facts).status().message()), HasSubstr("no op 'NoSuchOp'"));
  facts.deviations = "MatMul\n";
  EXPECT_THAT(std::string(OpTable(facts).status().message()), HasSubstr("line 'MatMul'"));
}

}  // namespace
}  // namespace warpbeam
