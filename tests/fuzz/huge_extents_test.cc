// Every op with every argument in turn without elements, but of 2^50 rows: a status or a result,
// soon and in little memory; and shapes that say extents near the end of int64.
#include "tests/fuzz/huge_extents.h"

#include <cstdio>

#include "gtest/gtest.h"
#include "tests/conformance/case.pb.h"
#include "tests/conformance/case_file.h"
#include "tests/fuzz/case_pipeline.h"
#include "tests/fuzz/input_watch.h"

namespace warpbeam {
namespace fuzz {
namespace {

constexpr int kShards = 4;  // as in BUILD

class HugeExtents : public ::testing::TestWithParam<int> {};

TEST_P(HugeExtents, LastNoLongerAndTakeNoMore) {
  const auto cases = LoadCases({"tests/conformance/cases"});
  ASSERT_TRUE(cases.ok()) << cases.status();
  WatchOptions options;
  options.file = FindingsFolder() + "/huge_extents.input";
  options.program = "pipeline_fuzz";
  options.input_timeout_ms = 60'000;
  auto watch = InputWatch::Start(options);
  ASSERT_TRUE(watch.ok()) << watch.status();
  int64_t made = 0;
  int64_t ran = 0;
  for (size_t i = static_cast<size_t>(GetParam()); i < cases->size(); i += kShards) {
    conformance::Case c;
    ASSERT_TRUE(c.ParseFromString((*cases)[i].wire_form));
    ForEachHugeCase(c, [&](const std::string& wire_form) {
      (*watch)->Begin(wire_form);
      ran += CasePipeline::Process().Run(wire_form) == Stage::kRun ? 1 : 0;
      (*watch)->End();
      ++made;
    });
  }
  (*watch)->Finish();
  printf("%lld graphs, %lld were run\n", static_cast<long long>(made), static_cast<long long>(ran));
  // Cases that end where the shapes are known do not reach the kernels.
  EXPECT_GT(made, 1000);
  EXPECT_GT(ran, made / 5) << "of " << made;
}

INSTANTIATE_TEST_SUITE_P(Parts, HugeExtents, ::testing::Range(0, kShards));

}  // namespace
}  // namespace fuzz
}  // namespace warpbeam
