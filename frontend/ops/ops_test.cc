// What the generated functions build, for each form that they have.
#include "absl/strings/str_cat.h"
#include "frontend/graph_state.h"
#include "frontend/ops/array_ops.h"
#include "frontend/ops/control_flow_ops.h"
#include "frontend/ops/data_flow_ops.h"
#include "frontend/ops/math_ops.h"
#include "frontend/ops/nn_ops.h"
#include "graph/graph.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

const Node& NodeOf(const Operation& op) { return op.graph()->graph()->node(op.node()); }

TEST(OpsTest, OneOutput) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, {1.0f, -2.0f});
  EXPECT_EQ(ops::Abs(root, x).name(), "Abs:0");
  // An attribute without a default is an argument, before those that have one.
  const Output cast =
      ops::Cast(root.Named("whole"), x, DType::kInt32, ops::CastAttrs().Truncate(true));
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(cast.name(), "whole:0");
  EXPECT_EQ(cast.dtype(), DType::kInt32);
  EXPECT_TRUE(NodeOf(cast.op()).attrs().GetOr<bool>("Truncate", false));
}

TEST(OpsTest, NoOutput) {
  const Scope root = Scope::NewRoot();
  EXPECT_EQ(ops::NoOp(root).type(), "NoOp");
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(OpsTest, AListOfOutputs) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, {1.0f, 2.0f});
  const OutputList parts = ops::Unpack(root, x, 2, ops::UnpackAttrs().axis(0));
  ASSERT_EQ(parts.size(), 2u) << root.status();
  EXPECT_EQ(parts[1].name(), "Unpack:1");
  // Without attributes of its own.
  EXPECT_EQ(ops::ShapeN(root, {x, x, x}).size(), 3u) << root.status();
  EXPECT_EQ(ops::ConcatOffset(root, 0, {Input({1, 2}), Input({1, 2})}).size(), 2u) << root.status();
}

TEST(OpsTest, SeveralOutputs) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, {1.0f, 2.0f});
  const auto [values, indices] = ops::TopKV2(root, x, 1, ops::TopKV2Attrs().sorted(false));
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(values.op().type(), "TopKV2");
  EXPECT_TRUE(SameOperation(values.op(), indices.op()));
  EXPECT_EQ(indices.index(), 1);
  EXPECT_EQ(indices.dtype(), DType::kInt32);
  EXPECT_FALSE(NodeOf(values.op()).attrs().GetOr<bool>("sorted", true));
}

TEST(OpsTest, ListsAmongSeveralOutputs) {
  const Scope root = Scope::NewRoot();
  const Output barrier = ops::Barrier(root, {DType::kFloat, DType::kInt32});
  const ops::BarrierTakeManyOutputs taken =
      ops::BarrierTakeMany(root, barrier, 4, {DType::kFloat, DType::kInt32});
  ASSERT_TRUE(root.ok()) << root.status();
  ASSERT_EQ(taken.values.size(), 2u);
  EXPECT_EQ(taken.indices.index(), 0);
  EXPECT_EQ(taken.values[1].index(), 3);
  EXPECT_EQ(taken.op().num_outputs(), 4);
}

// Nodes and errors name the line of the call, not one of the generated files.
TEST(OpsTest, ThePlaceIsThatOfTheCall) {
  const Scope root = Scope::NewRoot();
  const int line = __LINE__ + 1;
  const Output x = ops::Abs(root, 1.0f);
  const ops::TopKV2Outputs refused = ops::TopKV2(root, "no number", 1);
  EXPECT_NE(NodeOf(x.op()).location().ToString().find(absl::StrCat("ops_test.cc:", line)),
            std::string::npos);
  EXPECT_FALSE(refused.op().valid());
  EXPECT_FALSE(refused.values.valid());
  EXPECT_NE(root.status().message().find(absl::StrCat("ops_test.cc:", line + 1)),
            absl::string_view::npos)
      << root.status();
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
