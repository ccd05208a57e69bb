// Identities of the debugger.
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

TEST(DebugGradientIdentity, HandsOnWhatComes) {
  OpTest("DebugGradientIdentity").Input<float>({2}, {1, -2}).Expect<float>({2}, {1, -2});
  OpTest("DebugGradientIdentity").Scalar<std::string>("text").ExpectScalar<std::string>("text");
}

TEST(DebugGradientIdentity, TheReferenceStaysOne) {
  RefVariable v("v", DType::kFloat);
  v.Assign(OpTest::Make<float>({1}, {3}));
  const auto out = OpRunner("DebugGradientRefIdentity").RefInput(&v).RunOne();
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->data<float>()[0], 3);
}

}  // namespace
}  // namespace warpbeam
