#include "tools/bazel/testdata/doubler/doubler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbeam {
namespace {

TEST(DoublerTest, EveryPassOfTheBuildIsLinked) {
#ifdef WB_TEST_WITH_CUDA
  EXPECT_THAT(LinkedPasses(), testing::UnorderedElementsAre("host", "cuda", "cudart"));
#else
  EXPECT_THAT(LinkedPasses(), testing::UnorderedElementsAre("host"));
#endif
}

}  // namespace
}  // namespace warpbeam
