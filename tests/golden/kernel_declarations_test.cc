// The declared kernels are TensorFlow's: device types, dtypes and arguments in host memory, so that
// a graph is placed as its author knows it. kernel_differences.tsv lists what differs on purpose or
// not yet; it is kept exact.
#include "gtest/gtest.h"
#include "tests/golden/kernel_differences.h"

namespace warpbeam {
namespace {

TEST(KernelDeclarationsTest, AreTensorFlowsButForThoseListed) {
  const auto found = KernelDifferences();
  ASSERT_TRUE(found.ok()) << found.status();
  const auto listed = ReadDifferences(kKernelDifferencesFile);
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_EQ(*found, *listed) << "If this is meant, run: bazel run //tools/op_lists";
}

}  // namespace
}  // namespace warpbeam
