// Optimizers put a variable's value back within its constraint after each update.
#include "frontend/array.h"
#include "frontend/arrays/gather.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/clip.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/training/slot_optimizers.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using ::testing::HasSubstr;

Output Between(const Scope& scope, const Output& value) {
  return ClipByValue(scope, value, 0.5, 2.5);
}

// The values are TensorFlow's.
TEST(ConstraintTest, HoldsAfterEachStep) {
  for (const bool use_resource : {false, true}) {
    const Scope root = Scope::NewRoot();
    const Variable w =
        GetVariableFrom(root, "w", {1.0f, 2.0f, 5.0f},
                        GetVariableOptions().constraint(Between).use_resource(use_resource));
    const Output loss = ReduceSum(root, Multiply(root, Square(root, w), {0.5f, -0.25f, 1.0f}));
    const Operation step = MomentumOptimizer(0.125, 0.9).Minimize(root, loss);
    const Operation init = GlobalVariablesInitializer(root);
    ClientSession session(root);
    ASSERT_TRUE(session.Run({init}).ok()) << root.status();
    const std::vector<std::vector<float>> expected = {
        {0.875f, 2.125f, 2.5f}, {0.653125f, 2.3703125f, 0.75f}, {0.5f, 2.5f, 0.5f}};
    for (const std::vector<float>& want : expected) {
      ASSERT_TRUE(session.Run({step}).ok());
      const auto value = session.Run({w});
      ASSERT_TRUE(value.ok()) << value.status();
      EXPECT_THAT((*value)[0].flat<float>(), ::testing::Pointwise(::testing::FloatEq(), want));
    }
  }
}

TEST(ConstraintTest, NeedsAllOfTheGradient) {
  const Scope root = Scope::NewRoot();
  const Variable w = GetVariable(root, "w", {4, 2}, GetVariableOptions().constraint(Between));
  const Output rows = Gather(root, w, {1, 2});
  EXPECT_FALSE(GradientDescentOptimizer(0.1).Minimize(root, ReduceSum(root, rows)).valid());
  EXPECT_THAT(std::string(root.status().message()),
              HasSubstr("'w' has a constraint, which needs all of its gradient"));
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
