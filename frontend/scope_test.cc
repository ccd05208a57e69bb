#include "frontend/scope.h"

#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/graph_state.h"
#include "frontend/math.h"
#include "frontend/operators.h"
#include "graph/graph.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

bool ScopeMentions(const Status& status, const std::string& text) {
  return status.message().find(text) != absl::string_view::npos;
}

const Node& NodeOf(const Operation& op) {
  static const Node kNone;
  return op.valid() ? op.graph()->graph()->node(op.node()) : kNone;
}

TEST(ScopeTest, DevicesMergePartByPart) {
  const Scope root = Scope::NewRoot();
  EXPECT_EQ(root.Device("/job:worker/task:1").Device("/gpu:3").device(),
            "/job:worker/task:1/device:GPU:3");
  EXPECT_EQ(root.Device("/gpu:3").Device("/cpu:0").device(), "/device:CPU:0");
  EXPECT_EQ(root.Device("/gpu:3").Device("").device(), "/device:GPU:3");
  EXPECT_EQ(root.Device("/gpu:3").NoDevice().device(), "");
  EXPECT_TRUE(root.ok());
  root.Device("/no such device");
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
}

TEST(ScopeTest, ControlDependenciesLeaveOutWhatIsOrderedAlready) {
  const Scope root = Scope::NewRoot();
  const Output a = Constant(root.Named("a"), 1.0f);
  const Scope after = root.ControlDependencies({a});
  const Output b = Constant(after.Named("b"), 2.0f);
  EXPECT_EQ(NodeOf(b).control_inputs(), std::vector<NodeId>{a.node()});
  // Reads what was built in the block, and so runs after `a` anyway.
  const Output c = Negative(after.Named("c"), b);
  EXPECT_TRUE(NodeOf(c).control_inputs().empty());
  // Reads `a` itself.
  EXPECT_TRUE(NodeOf(Negative(after, a)).control_inputs().empty());
  const Output d = Constant(after.NoControlDependencies(), 2.0f);
  EXPECT_TRUE(NodeOf(d).control_inputs().empty());
}

TEST(ScopeTest, ColocationBringsDeviceAndGroup) {
  const Scope root = Scope::NewRoot();
  const Output a = Constant(root.Device("/gpu:1").Named("a"), 1.0f);
  const Output b = Constant(root.Device("/cpu:0").ColocateWith(a).Named("b"), 1.0f);
  EXPECT_EQ(b.op().device(), "/device:GPU:1");
  EXPECT_EQ(NodeOf(b).attrs().GetOr<std::vector<std::string>>("_class", {}),
            std::vector<std::string>{"loc:@a"});
  // A group is named after its first member.
  const Output c = Constant(root.ColocateWith(b), 1.0f);
  EXPECT_EQ(NodeOf(c).attrs().GetOr<std::vector<std::string>>("_class", {}),
            std::vector<std::string>{"loc:@a"});
}

TEST(ScopeTest, NodesKnowTheLineThatBuiltThem) {
  const Scope root = Scope::NewRoot();
  const Output a = Constant(root, 1.0f);
  const int line = __LINE__ - 1;
  const Output sum = a + 1.0f;
  EXPECT_NE(NodeOf(a).location().ToString().find(absl::StrCat("scope_test.cc:", line)),
            std::string::npos)
      << NodeOf(a).location().ToString();
  EXPECT_NE(NodeOf(sum).location().ToString().find(absl::StrCat("scope_test.cc:", line + 2)),
            std::string::npos)
      << NodeOf(sum).location().ToString();
  // Parts of a composite function point at its caller.
  const Output mean = ReduceMean(root, a);
  EXPECT_NE(NodeOf(mean).location().ToString().find("scope_test.cc"), std::string::npos);
}

TEST(ScopeTest, FirstErrorStaysAndNothingIsBuiltAfterIt) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root.Named("x"), {1.0f, 2.0f});
  const Output y = Constant(root.Named("y"), {1.0f, 2.0f, 3.0f});
  const int line = __LINE__ + 1;
  const Output sum = Add(root.NameScope("tower").Named("sum"), x, y);
  EXPECT_FALSE(sum.valid());
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(ScopeMentions(root.status(), "tower/sum")) << root.status();
  EXPECT_TRUE(ScopeMentions(root.status(), absl::StrCat("scope_test.cc:", line))) << root.status();
  const Status first = root.status();
  EXPECT_FALSE((sum + 1.0f).valid());
  EXPECT_FALSE(Constant(root, 1).valid());
  EXPECT_EQ(root.status(), first);
}

TEST(ScopeTest, BadNamesAreRefused) {
  const Scope root = Scope::NewRoot();
  root.NameScope("not a name");
  EXPECT_TRUE(ScopeMentions(root.status(), "not a name")) << root.status();
}

TEST(ScopeTest, TensorsOfAnotherGraphAreRefused) {
  const Scope root = Scope::NewRoot();
  const Scope other = Scope::NewRoot();
  const Output x = Constant(other.Named("x"), 1.0f);
  EXPECT_FALSE(Negative(root, x).valid());
  EXPECT_TRUE(ScopeMentions(root.status(), "another graph")) << root.status();
  EXPECT_TRUE(other.ok());
}

TEST(OperatorsTest, NumbersTakeTheTypeOfTheOtherSide) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, Tensor::Scalar<double>(2));
  EXPECT_EQ((x * 2).dtype(), DType::kDouble);
  EXPECT_EQ((0.5f - x).dtype(), DType::kDouble);
  EXPECT_TRUE(root.ok()) << root.status();
  const Output whole = Constant(root, 2);
  EXPECT_FALSE((whole + 0.5f).valid());
  EXPECT_FALSE(root.ok());
}

TEST(OperatorsTest, BuildInTheScopeOfTheLeftSide) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root.Named("x"), 1.0f);
  const Scope tower = root.NameScope("tower").Device("/gpu:0");
  EXPECT_EQ((x + 1.0f).op().name(), "add");
  const Output sum = tower(x) + x;
  EXPECT_EQ(sum.op().name(), "tower/add");
  EXPECT_EQ(sum.op().device(), "/device:GPU:0");
  EXPECT_EQ((2.0f * sum).op().name(), "tower/mul");
}

TEST(GroupTest, HasANodeForEachDevice) {
  const Scope root = Scope::NewRoot();
  const Output a = Constant(root.Device("/gpu:0").Named("a"), 1.0f);
  const Output b = Constant(root.Device("/gpu:1").Named("b"), 1.0f);
  const Operation group = Group(root.Named("both"), {a, b});
  EXPECT_EQ(group.name(), "both");
  EXPECT_EQ(NodeOf(group).control_inputs().size(), 2u);
  const Node* first = root.graph()->Find("both/NoOp");
  const Node* second = root.graph()->Find("both/NoOp_1");
  ASSERT_TRUE(first != nullptr && second != nullptr) << root.status();
  EXPECT_EQ(first->device(), "/device:GPU:0");
  EXPECT_EQ(second->device(), "/device:GPU:1");
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
