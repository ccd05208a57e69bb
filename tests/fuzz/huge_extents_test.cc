// Every op with every argument in turn without elements, but of 2^50 rows: a status or a result,
// soon and in little memory; and shapes that say extents near the end of int64.
#include "tests/fuzz/huge_extents.h"

#include "gtest/gtest.h"
#include "tests/conformance/case.pb.h"
#include "tests/conformance/case_file.h"
#include "tests/fuzz/watched_pipeline.h"

namespace warpbeam {
namespace fuzz {
namespace {

constexpr int kShards = 4;  // as in BUILD

class HugeExtents : public ::testing::TestWithParam<int> {};

TEST_P(HugeExtents, LastNoLongerAndTakeNoMore) {
  const auto cases = LoadCases({"tests/conformance/cases"});
  ASSERT_TRUE(cases.ok()) << cases.status();
  WatchedPipeline pipeline("huge_extents");
  ASSERT_TRUE(pipeline.status().ok()) << pipeline.status();
  for (size_t i = static_cast<size_t>(GetParam()); i < cases->size(); i += kShards) {
    conformance::Case c;
    ASSERT_TRUE(c.ParseFromString((*cases)[i].wire_form));
    ForEachHugeCase(c, [&](const std::string& wire_form) { pipeline.Run(wire_form); });
  }
  pipeline.Finish();
  // Cases that end where the shapes are known do not reach the kernels.
  EXPECT_GT(pipeline.made(), 1000);
  EXPECT_GT(pipeline.ran(), pipeline.made() / 5) << "of " << pipeline.made();
}

INSTANTIATE_TEST_SUITE_P(Parts, HugeExtents, ::testing::Range(0, kShards));

}  // namespace
}  // namespace fuzz
}  // namespace warpbeam
