#include "frontend/operators.h"

#include "frontend/array.h"
#include "frontend/client_session.h"
#include "frontend/graph_state.h"
#include "frontend/host_tensor/host_tensor.h"
#include "frontend/variables/variable.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

bool Mentions(const Status& status, const std::string& text) {
  return status.message().find(text) != absl::string_view::npos;
}

template <typename T>
std::vector<T> Values(const Scope& root, const Output& output) {
  ClientSession session(root);
  const auto fetched = session.Run({output});
  EXPECT_TRUE(fetched.ok()) << fetched.status();
  if (!fetched.ok()) return {};
  const auto values = ValuesOf<T>(fetched->at(0));
  EXPECT_TRUE(values.ok()) << values.status();
  return values.value_or(std::vector<T>());
}

std::vector<int> Bools(const Scope& root, const Output& output) {
  const std::vector<bool> values = Values<bool>(root, output);
  return std::vector<int>(values.begin(), values.end());
}

using IntVector = std::vector<int>;

TEST(OperatorsTest, ComparisonsAndLogicAreOperations) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, {1, 2, 3});
  EXPECT_EQ(Bools(root, x < 2), (IntVector{1, 0, 0}));
  EXPECT_EQ(Bools(root, x <= 2), (IntVector{1, 1, 0}));
  EXPECT_EQ(Bools(root, 2 < x), (IntVector{0, 0, 1}));
  EXPECT_EQ(Bools(root, 2 >= x), (IntVector{1, 1, 0}));
  EXPECT_EQ(Bools(root, (x > 1) & (x < 3)), (IntVector{0, 1, 0}));
  EXPECT_EQ(Bools(root, (x > 2) | (x < 2)), (IntVector{1, 0, 1}));
  EXPECT_EQ(Bools(root, (x > 1) ^ (x < 3)), (IntVector{1, 0, 1}));
  EXPECT_EQ(Bools(root, ~(x > 1)), (IntVector{1, 0, 0}));
  EXPECT_EQ(Values<int32_t>(root, x & 1), (IntVector{1, 0, 1}));
  EXPECT_EQ(Values<int32_t>(root, x ^ 1), (IntVector{0, 3, 2}));
  EXPECT_EQ(Values<int32_t>(root, -x % 3), (IntVector{2, 1, 0}));
  EXPECT_EQ(Values<int32_t>(root, 7 % x), (IntVector{0, 1, 1}));
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(OperatorsTest, CompoundAssignmentBindsTheNameAnew) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, {1, 2});
  Output y = x;
  const int line = __LINE__ + 1;
  y += 1;
  const std::string place = y.graph()->graph()->node(y.node()).location().ToString();
  EXPECT_NE(place.find(absl::StrCat(":", line)), std::string::npos) << place;
  y *= x;
  y -= 2;
  EXPECT_EQ(Values<int32_t>(root, y), (IntVector{0, 4}));
  EXPECT_EQ(Values<int32_t>(root, x), (IntVector{1, 2}));
  EXPECT_EQ(y.op().name(), "sub");
}

TEST(OperatorsTest, AnOutputWithoutScopeIsAnErrorAtThePlace) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root.Named("x"), {1, 2}).op().output(0);
  EXPECT_TRUE((root(x) + 1).valid());
  const int line = __LINE__ + 1;
  EXPECT_FALSE((x + 1).valid());
  EXPECT_TRUE(Mentions(root.status(), "'x:0' does not know")) << root.status();
  EXPECT_TRUE(Mentions(root.status(), absl::StrCat("operators_test.cc:", line))) << root.status();
}

TEST(OperatorsTest, ANumberOnTheLeftOfAnOutputWithoutScope) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root.Named("x"), {1, 2}).op().output(0);
  EXPECT_FALSE((1 + x).valid());
  EXPECT_FALSE(root.ok());
  const Scope other = Scope::NewRoot();
  EXPECT_FALSE(Constant(other, {1, 2}).op().output(0)[0].valid());
  EXPECT_TRUE(Mentions(other.status(), "operators_test.cc")) << other.status();
}

TEST(HandlesTest, AnOutputThatOutlivesItsGraphSaysSo) {
  Output x;
  Operation op;
  Variable w;
  {
    const Scope gone = Scope::NewRoot();
    x = Constant(gone, 1.0f);
    w = Variable(gone, 1.0f);
    op = x.op();
    EXPECT_TRUE(x.valid());
  }
  EXPECT_FALSE(x.valid());
  EXPECT_EQ(x.name(), "");
  EXPECT_EQ(op.name(), "");
  EXPECT_EQ(x.dtype(), DType::kInvalid);
  const Output sum = x + 1.0f;
  EXPECT_FALSE(sum.valid());
  EXPECT_FALSE(x[0].valid());
  EXPECT_NE(std::string(x.problem()).find("graph that is gone"), std::string::npos);
  const Scope root = Scope::NewRoot();
  Constant(root, 2.0f);
  EXPECT_FALSE(x.valid());  // though the new graph has the old one's place
  ClientSession session(root);
  for (const Fetch& fetch : {Fetch(x), Fetch(sum), Fetch(op), Fetch(w)}) {
    EXPECT_TRUE(Mentions(session.Run({fetch}).status(), "graph that is gone"))
        << session.Run({fetch}).status();
  }
  EXPECT_TRUE(Mentions(session.Run({{x, Tensor::Scalar(1.0f)}}, {}).status(), "gone"));
  Identity(root, x);
  EXPECT_TRUE(Mentions(root.status(), "graph that is gone")) << root.status();
}

TEST(HandlesTest, NamedFunctionsCompareHandles) {
  const Scope root = Scope::NewRoot();
  const Output a = Constant(root, 1.0f), b = Constant(root, 1.0f);
  EXPECT_TRUE(SameOutput(a, root.NameScope("s")(a)));
  EXPECT_FALSE(SameOutput(a, b));
  EXPECT_FALSE(SameOutput(a, Output()));
  EXPECT_TRUE(SameOutput(Output(), Output()));
  EXPECT_TRUE(SameOperation(a, a.op()));
  const Variable v(root, 1.0f), w(root, 1.0f);
  EXPECT_TRUE(SameVariable(v, v.UsedIn(root)));
  EXPECT_FALSE(SameVariable(v, w));
  EXPECT_EQ((v < w).op().type(), "Less");
}

TEST(IndexingTest, BracketsAreThoseOfPython) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, {{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(Values<int32_t>(root, x[0]), (IntVector{1, 2, 3}));
  EXPECT_EQ(Values<int32_t>(root, x[-1]), (IntVector{4, 5, 6}));
  EXPECT_EQ(Values<int32_t>(root, x(1, 2)), (IntVector{6}));
  EXPECT_EQ(Values<int32_t>(root, x(All, 1)), (IntVector{2, 5}));
  EXPECT_EQ(Values<int32_t>(root, x(All, Slice(1, None))), (IntVector{2, 3, 5, 6}));
  EXPECT_EQ(Values<int32_t>(root, x(0, Slice(None, None, -1))), (IntVector{3, 2, 1}));
  EXPECT_EQ(Values<int32_t>(root, x(Ellipsis, Slice(None, -2))), (IntVector{1, 4}));
  EXPECT_EQ(x(NewAxis, 0).shape(), PartialShape({1, 3}));
  EXPECT_EQ(x[Ellipsis].shape(), PartialShape({2, 3}));
  const Output row = Constant(root, 1);
  EXPECT_EQ(Values<int32_t>(root, x[row]), (IntVector{4, 5, 6}));
  EXPECT_EQ(Values<int32_t>(root, x(Slice(0, row), 2)), (IntVector{3}));
  const std::vector<int> one = {0};
  EXPECT_EQ(Values<int32_t>(root, x[one.size()]), (IntVector{4, 5, 6}));
  const Scope tower = root.NameScope("tower");
  EXPECT_EQ(tower(x)[0].op().name(), "tower/strided_slice");
  EXPECT_TRUE(root.ok()) << root.status();
}

TEST(IndexingTest, WhatDoesNotFitIsAnErrorAtThePlace) {
  const auto error = [](const std::function<void(const Output&)>& index) {
    const Scope root = Scope::NewRoot();
    index(Constant(root.Named("x"), {{1, 2, 3}, {4, 5, 6}}));
    EXPECT_TRUE(Mentions(root.status(), "operators_test.cc")) << root.status();
    return root.status();
  };
  EXPECT_FALSE(error([](const Output& x) { x[2]; }).ok());
  EXPECT_FALSE(error([](const Output& x) { x(0, 0, 0); }).ok());
  EXPECT_FALSE(error([](const Output& x) { x(Ellipsis, Ellipsis); }).ok());
  EXPECT_FALSE(error([](const Output& x) { x(Slice(0, 2, 0)); }).ok());
  EXPECT_TRUE(Mentions(error([](const Output& x) { x[x]; }), "scalar of int32"));
  EXPECT_TRUE(Mentions(error([](const Output& x) { x[Output()]; }), "never built"));
}

TEST(LookupTest, TensorsAndOperationsByName) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root.NameScope("model").Named("logits"), {1.0f});
  EXPECT_TRUE(SameOutput(root.GetTensor("model/logits:0"), x));
  EXPECT_TRUE(SameOperation(root.GetOperation("model/logits"), x));
  EXPECT_EQ(root.GetOperations().size(), 1u);
  EXPECT_TRUE(root.HasOperation("model/logits"));
  EXPECT_EQ(root.UniqueName("y"), "y");
  EXPECT_EQ(root.UniqueName("y"), "y_1");
  ClientSession session(root);
  const auto fetched = session.Run({"model/logits:0", "model/logits"});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_EQ(*ValueOf<float>(fetched->at(0)), 1.0f);
  const Status wrong = session.Run({"model/logit:0"}).status();
  EXPECT_EQ(wrong.code(), StatusCode::kNotFound);
  EXPECT_TRUE(Mentions(wrong, "did you mean 'model/logits'")) << wrong;
  EXPECT_FALSE(session.Run({"model/logits:1"}).ok());
  EXPECT_FALSE(root.GetTensor("logits:0").valid());
  EXPECT_TRUE(Mentions(root.status(), "did you mean 'model/logits'")) << root.status();
}

TEST(LookupTest, OperationsKnowTheirNeighbours) {
  const Scope root = Scope::NewRoot();
  root.SetRandomSeed(3);
  const Output x = Constant(root.Named("x"), 1.0f), y = Constant(root.Named("y"), 2.0f);
  const Output negative = -root.ControlDependencies({y})(x);
  const Operation neg = negative.op();
  ASSERT_EQ(neg.inputs().size(), 1u);
  EXPECT_TRUE(SameOutput(neg.inputs()[0], x));
  ASSERT_EQ(neg.control_inputs().size(), 1u);
  EXPECT_TRUE(SameOperation(neg.control_inputs()[0], y));
  ASSERT_EQ(x.consumers().size(), 1u);
  EXPECT_TRUE(SameOperation(x.consumers()[0], neg));
  EXPECT_EQ(neg.outputs().size(), 1u);
  EXPECT_EQ(neg.colocation_groups(), std::vector<std::string>{"loc:@Neg"});
  EXPECT_EQ(negative.rank(), 0);
  EXPECT_EQ(root.random_seed(), 3);
  EXPECT_TRUE(Operation().inputs().empty());
  root.PreventFeeding(x);
  root.PreventFetching(y);
  EXPECT_FALSE(root.IsFeedable(x));
  EXPECT_TRUE(root.IsFeedable(y));
  EXPECT_FALSE(root.IsFetchable(y));
  ClientSession session(root);
  EXPECT_TRUE(
      Mentions(session.Run({{x, Tensor::Scalar(1.0f)}}, {negative}).status(), "must not be fed"));
  EXPECT_TRUE(Mentions(session.Run({y}).status(), "must not be fetched"));
  EXPECT_TRUE(session.Run({negative}).ok());
}

TEST(LookupTest, ContainersAreWhatTheScopeSays) {
  const Scope root = Scope::NewRoot();
  const Variable w(root.Container("mine").Named("w"), 1.0f);
  EXPECT_EQ(w.op().attrs().GetOr<std::string>("container", ""), "mine");
}

TEST(SessionTest, ListsOfOneKindAreFetched) {
  const Scope root = Scope::NewRoot();
  const std::vector<Output> outputs = {Constant(root, 1.0f), Constant(root, 2.0f)};
  ClientSession session(root);
  const auto fetched = session.Run(outputs);
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_EQ(*ValueOf<float>(fetched->at(1)), 2.0f);
  EXPECT_TRUE(session.Run({{outputs[0], Tensor::Scalar(3.0f)}}, outputs).ok());
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
