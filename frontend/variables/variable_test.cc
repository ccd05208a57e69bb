#include "frontend/variables/variable.h"

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/operators.h"
#include "frontend/variables/updates.h"
#include "frontend/variables/variable_scope.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

bool Mentions(const Status& status, const std::string& text) {
  return status.message().find(text) != absl::string_view::npos;
}

TEST(GetVariableTest, ReuseFindsTheVariable) {
  const Scope root = Scope::NewRoot();
  const Variable w = GetVariable(root.VariableScope("layer"), "w", {2}, ZerosInitializer());
  const Scope again = root.VariableScope("layer", VariableScopeOptions().reuse(true));
  EXPECT_TRUE(SameVariable(GetVariable(again, "w", {2}), w));
  EXPECT_EQ(again.variable_scope(), "layer");
  EXPECT_EQ(again.name_scope(), "layer_1/");
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(GetVariableTest, ReuseIsInheritedInwards) {
  const Scope root = Scope::NewRoot();
  const Variable w = GetVariable(root.VariableScope("a").VariableScope("b"), "w", {2});
  const Scope again = root.SameVariableScope(VariableScopeOptions().reuse(true));
  EXPECT_TRUE(SameVariable(GetVariable(again.VariableScope("a").VariableScope("b"), "w", {2}), w));
  // Within a tower's name scope it is the same variable.
  EXPECT_TRUE(SameVariable(
      GetVariable(again.NameScope("GPU_1").VariableScope("a").VariableScope("b"), "w", {2}), w));
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(GetVariableTest, ReuseVariablesTurnsAScopeRound) {
  const Scope root = Scope::NewRoot();
  const Scope scope = root.VariableScope("v");
  const Variable w = GetVariable(scope, "w", {2});
  ReuseVariables(scope);
  EXPECT_TRUE(SameVariable(GetVariable(scope, "w", {2}), w));
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(GetVariableTest, DimensionsAreKnown) {
  const Scope root = Scope::NewRoot();
  EXPECT_FALSE(GetVariable(root.VariableScope("v"), "w", {-1, 3}).valid());
  EXPECT_TRUE(Mentions(root.status(), "'v/w' cannot have the shape [-1,3]")) << root.status();
}

TEST(GetVariableTest, MakingTwiceNamesTheFirstLine) {
  const Scope root = Scope::NewRoot();
  const int line = __LINE__ + 1;
  GetVariable(root, "w", {2});
  EXPECT_FALSE(GetVariable(root, "w", {2}).valid());
  EXPECT_EQ(root.status().code(), StatusCode::kAlreadyExists);
  EXPECT_TRUE(Mentions(root.status(), absl::StrCat("variable_test.cc:", line))) << root.status();
  EXPECT_TRUE(Mentions(root.status(), "reuse(true)")) << root.status();
}

TEST(GetVariableTest, ReusingWhatIsNotThereIsAnError) {
  const Scope root = Scope::NewRoot();
  GetVariable(root.SameVariableScope(VariableScopeOptions().reuse(true)), "w", {2});
  EXPECT_EQ(root.status().code(), StatusCode::kNotFound);
}

TEST(GetVariableTest, ReuseWithAnotherShapeIsAnError) {
  const Scope root = Scope::NewRoot();
  const Scope scope = root.SameVariableScope(VariableScopeOptions().auto_reuse());
  GetVariable(scope, "w", {2});
  GetVariable(scope, "w", {3});
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(Mentions(root.status(), "[2]") && Mentions(root.status(), "[3]")) << root.status();
}

TEST(GetVariableTest, RegularizersGoIntoTheCollection) {
  const Scope root = Scope::NewRoot();
  const Regularizer half([](const Scope& scope, const Output& weights) {
    return ReduceSum(scope.Named("half"), Multiply(scope, weights, 0.5f));
  });
  const Scope scope = root.VariableScope("net", VariableScopeOptions().regularizer(half));
  GetVariable(scope, "w", {2}, OnesInitializer());
  ASSERT_TRUE(root.ok()) << root.status();
  const auto losses = GetCollection(root, GraphKeys::kRegularizationLosses);
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(losses[0].name(), "net/w/Regularizer/half:0");
}

TEST(CollectionsTest, FiltersAreExpressionsThatTheNameBeginsWith) {
  const Scope root = Scope::NewRoot();
  AddToCollection(root, "c", Constant(root.Named("GPU_0/x"), 1));
  AddToCollection(root, "c", Constant(root.Named("GPU_1/x"), 1));
  AddToCollection(root, "c", Constant(root.Named("not/GPU_1/x"), 1));
  AddToCollection(root, "c", CollectionItem(std::string("GPU_1")));
  EXPECT_EQ(GetCollectionItems(root, "c").size(), 4u);
  EXPECT_EQ(GetCollection(root, "c", "GPU_1/").size(), 1u);
  EXPECT_EQ(GetCollection(root, "c", "GPU_\\d+/x").size(), 2u);
  EXPECT_EQ(GetCollection(root, "c", ".*GPU_1").size(), 2u);
  EXPECT_TRUE(GetCollection(root, "no such").empty());
  EXPECT_TRUE(root.ok());
  GetCollection(root, "c", "(");
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
}

TEST(CollectionsTest, VariablesAreKept) {
  const Scope root = Scope::NewRoot();
  const Variable w(root.Named("w"), 1.0f);
  const Variable step(root.Named("step"), 0, VariableOptions().trainable(false));
  const std::vector<Variable> all = GlobalVariables(root);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(SameVariable(all[0], w));
  EXPECT_TRUE(SameVariable(all[1], step));
  ASSERT_EQ(TrainableVariables(root).size(), 1u);
  EXPECT_TRUE(SameVariable(TrainableVariables(root)[0], w));
  EXPECT_EQ(AllCollectionKeys(root),
            (std::vector<std::string>{"trainable_variables", "variables"}));
  ClearCollection(root, GraphKeys::kTrainableVariables);
  EXPECT_TRUE(TrainableVariables(root).empty());
  EXPECT_TRUE(MovingAverageVariables(root).empty());
}

TEST(VariableTest, RunsFromItsInitialValue) {
  const Scope root = Scope::NewRoot();
  const Variable w(root.Named("w"), {1.0f, 2.0f});
  const Variable twice(root.Named("twice"), w * 2.0f);
  const Operation init = GlobalVariablesInitializer(root);
  const Output more = BuildOutput(root, "AssignAdd", {w, Constant(root, {10.0f, 20.0f})});
  ClientSession session(root);
  const auto before = session.Run({w});
  EXPECT_EQ(before.status().code(), StatusCode::kFailedPrecondition) << before.status();
  ASSERT_TRUE(session.Run({init}).ok());
  auto out = session.Run({more, init});
  ASSERT_TRUE(session.Run({init}).ok());
  ASSERT_TRUE(session.Run({more}).ok());
  out = session.Run({w, twice});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].flat<float>()[1], 22);
  EXPECT_EQ((*out)[1].flat<float>()[1], 4);
}

TEST(VariableTest, ValuesAreLoaded) {
  for (const bool use_resource : {false, true}) {
    const Scope root = Scope::NewRoot();
    const Variable w(root.Named("w"), {1.0f, 2.0f}, VariableOptions().use_resource(use_resource));
    ClientSession session(root);
    const Status loaded = LoadValue(session, w, Tensor::Vector<float>({5, 7}));
    ASSERT_TRUE(loaded.ok()) << loaded;
    const auto out = session.Run({w});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].flat<float>()[1], 7);
    EXPECT_TRUE(IsInvalidArgument(LoadValue(session, w, Tensor::Scalar<float>(5))));
    EXPECT_TRUE(IsInvalidArgument(LoadValue(session, Variable(), Tensor::Scalar<float>(5))));
  }
}

TEST(VariableTest, InitialValueOfUnknownShapeIsRefused) {
  const Scope root = Scope::NewRoot();
  const Variable w(root.Named("w"), Placeholder(root, DType::kFloat, {-1}));
  EXPECT_FALSE(w.valid());
  EXPECT_TRUE(Mentions(root.status(), "'w'")) << root.status();
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
