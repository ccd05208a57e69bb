// Every op with lists of lengths that do not go together: a status or a result, and nothing read or
// written that is not there. (The address sanitizer sees what a lucky run does not.)
#include "tests/fuzz/list_lengths.h"

#include "graph/op/op_registry.h"
#include "gtest/gtest.h"
#include "tests/conformance/case.pb.h"
#include "tests/conformance/case_file.h"
#include "tests/fuzz/watched_pipeline.h"

namespace warpbeam {
namespace fuzz {
namespace {

constexpr size_t kShards = 4;  // as in BUILD

class ListLengths : public ::testing::TestWithParam<size_t> {};

TEST_P(ListLengths, DoNotAgreeInAnyOp) {
  const auto cases = LoadCases({"tests/conformance/cases"});
  ASSERT_TRUE(cases.ok()) << cases.status();
  WatchedPipeline pipeline("list_lengths");
  ASSERT_TRUE(pipeline.status().ok()) << pipeline.status();
  const auto run = [&](const std::string& wire_form) { pipeline.Run(wire_form); };
  for (size_t i = GetParam(); i < cases->size(); i += kShards) {
    conformance::Case c;
    ASSERT_TRUE(c.ParseFromString((*cases)[i].wire_form));
    ForEachListCase(c, run);
  }
  const int64_t of_cases = pipeline.made();
  const std::vector<const OpSchema*> ops = OpRegistry::Global().All();
  for (size_t i = GetParam(); i < ops.size(); i += kShards) ForEachListCase(*ops[i], run);
  pipeline.Finish();
  EXPECT_GT(of_cases, 500);
  EXPECT_GT(pipeline.made() - of_cases, 2000);
  // Much is refused where the shapes are found.
  EXPECT_GT(pipeline.ran(), pipeline.made() / 10) << "of " << pipeline.made();
}

INSTANTIATE_TEST_SUITE_P(Parts, ListLengths, ::testing::Range<size_t>(0, kShards));

}  // namespace
}  // namespace fuzz
}  // namespace warpbeam
