#include "frontend/differentiation/gradient_override.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/clip.h"
#include "frontend/control_flow/while_loop.h"
#include "frontend/differentiation/custom_gradient.h"
#include "frontend/gradients.h"
#include "frontend/math.h"
#include "frontend/math/elementwise.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Output> Clipped(const Scope& s, const Operation& op, const std::vector<Output>& dy) {
  return {Multiply(s, ClipByValue(s, dy[0], -1, 1), op.inputs()[0])};
}

class GradientOverride : public ::testing::Test {
 protected:
  // The gradient of y · [0.5, 3, -4].
  std::vector<float> Slope(const Output& y) {
    const Output weighted = Multiply(root_, y, {0.5f, 3.0f, -4.0f});
    const Gradient slope = Gradients(root_, {weighted}, {x_})[0];
    ClientSession session(root_);
    const auto run = session.Run({slope});
    EXPECT_TRUE(run.ok()) << run.status();
    if (!run.ok()) return {};
    const auto values = (*run)[0].flat<float>();
    return std::vector<float>(values.begin(), values.end());
  }
  std::string ErrorOf(const Output& y) {
    EXPECT_FALSE(Gradients(root_, {y}, {x_})[0].has_value());
    return std::string(root_.status().message());
  }

  const Scope root_ = Scope::NewRoot();
  const Output x_ = Constant(root_, {1.0f, -2.0f, 3.0f});
};

// The values are TensorFlow's.
TEST_F(GradientOverride, TheInnermostNameDecides) {
  RegisterGradient(root_, "Clipped", Clipped);
  const Scope outer = root_.GradientOverrideMap({{"Square", "Clipped"}, {"Sign", "Identity"}});
  const Scope inner = outer.GradientOverrideMap({{"Square", "Identity"}});
  EXPECT_THAT(Slope(Square(outer, x_)), ElementsAre(0.5, -2, -3)) << root_.status();
  EXPECT_THAT(Slope(Sign(outer, x_)), ElementsAre(0.5, 3, -4));
  EXPECT_THAT(Slope(Square(inner, x_)), ElementsAre(0.5, 3, -4));
  EXPECT_THAT(Slope(Sign(inner, x_)), ElementsAre(0.5, 3, -4));
  EXPECT_THAT(Slope(Square(root_, x_)), ElementsAre(1, -12, -24));
  const AttrMap& attrs = Square(outer, x_).op().attrs();
  EXPECT_EQ(attrs.GetOr<std::string>("_gradient_op_type", ""), "Clipped");
}

TEST_F(GradientOverride, InLoops) {
  RegisterGradient(root_, "Clipped", Clipped);
  const Scope clipped = root_.GradientOverrideMap({{"Square", "Clipped"}});
  const std::vector<Output> after = WhileLoop(
      clipped, [](const Scope& s, const std::vector<Output>& v) { return Less(s, v[0], 2); },
      [](const Scope& s, const std::vector<Output>& v) {
        return std::vector<Output>{Add(s, v[0], 1), Square(s, v[1])};
      },
      {0, x_});
  ASSERT_EQ(after.size(), 2u) << root_.status();
  EXPECT_THAT(Slope(after[1]), ElementsAre(0.5, -2, -3));
}

TEST_F(GradientOverride, NothingMayFlowBack) {
  RegisterGradient(root_, "None", [](const Scope&, const Operation&, const std::vector<Output>&) {
    return std::vector<Output>(1);
  });
  const Output y = Square(root_.GradientOverrideMap({{"Square", "None"}}), x_);
  EXPECT_FALSE(Gradients(root_, {y}, {x_})[0].has_value());
  EXPECT_TRUE(root_.ok()) << root_.status();
}

TEST_F(GradientOverride, ANameThatStandsForNothing) {
  const Output y = Square(root_.GradientOverrideMap({{"Square", "Nobody"}}), x_);
  EXPECT_TRUE(root_.ok());
  EXPECT_THAT(ErrorOf(y), HasSubstr("the node asks for the gradient 'Nobody'"));
}

// Graphs of TensorFlow 2 have such names, which nobody but their own process knows.
TEST_F(GradientOverride, NamesOfAnotherProcessAreThoseOfTheOp) {
  const Scope scope = root_.GradientOverrideMap({{"Square", "PartitionedCall-17"}});
  EXPECT_THAT(Slope(Square(scope, x_)), ElementsAre(1, -12, -24));
}

TEST_F(GradientOverride, AsManyAsInputs) {
  RegisterGradient(root_, "Two", [](const Scope&, const Operation&, const std::vector<Output>& dy) {
    return std::vector<Output>{dy[0], dy[0]};
  });
  EXPECT_THAT(ErrorOf(Square(root_.GradientOverrideMap({{"Square", "Two"}}), x_)),
              HasSubstr("'Two' must give one for each of the 1 inputs, and gave 2"));
}

TEST_F(GradientOverride, AnErrorWithinIsThatOfTheGradient) {
  RegisterGradient(root_, "Bad",
                   [](const Scope& s, const Operation& op, const std::vector<Output>&) {
                     return std::vector<Output>{Reshape(s, op.inputs()[0], {7})};
                   });
  EXPECT_THAT(ErrorOf(Square(root_.GradientOverrideMap({{"Square", "Bad"}}), x_)),
              HasSubstr("Reshape"));
}

TEST_F(GradientOverride, NamesAreRegisteredOnce) {
  RegisterGradient(root_, "Clipped", Clipped);
  RegisterGradient(root_, "Clipped", Clipped);
  EXPECT_EQ(root_.status().code(), StatusCode::kAlreadyExists) << root_.status();
  const Scope other = Scope::NewRoot();
  RegisterGradient(other, "None", nullptr);
  EXPECT_THAT(std::string(other.status().message()), HasSubstr("the function of 'None' is empty"));
}

TEST_F(GradientOverride, ACustomGradientThatFails) {
  EXPECT_FALSE(CustomGradient(root_, nullptr, nullptr, {x_})[0].valid());
  EXPECT_TRUE(IsInvalidArgument(root_.status())) << root_.status();
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
