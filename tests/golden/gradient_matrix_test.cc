// Every op has the kind of gradient that TensorFlow gives it. gradient_differences.tsv lists what
// differs; it is kept exact.
#include "gtest/gtest.h"
#include "runtime/kernel/kernel_registry.h"
#include "tests/golden/gradient_differences.h"

namespace warpbeam {
namespace {

TEST(GradientMatrixTest, EveryOpHasTensorFlowsKindOfGradientButThoseListed) {
  ASSERT_TRUE(KernelRegistry::Global().KnowsOp("MatMul")) << "no ops are linked into this test";
  const auto found = GradientDifferences();
  ASSERT_TRUE(found.ok()) << found.status();
  const auto listed = ReadDifferences(kGradientDifferencesFile);
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_EQ(*found, *listed) << "If this is meant, run: bazel run //tools/op_lists";
}

}  // namespace
}  // namespace warpbeam
