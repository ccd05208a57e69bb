// What the passes promise together: results stay the same bit for bit, whichever are on.
#include <limits>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/passes/passes_fixture.h"

namespace warpbeam {
namespace {

// The update of a weight as the seeds write it: L2 penalty, gradient step, moving average.
TEST_F(PassesTest, L2GradientDescentAndMovingAverageShareOnePass) {
  const std::vector<int64_t> dims = {61, 53};
  const OutputRef w = Variable("w", Ramp(dims, 0.01f)), ema = Variable("ema", Ramp(dims, 0.02f));
  const OutputRef read = Float("Identity", "w/read", {w});
  const OutputRef ema_read = Float("Identity", "ema/read", {ema});
  const OutputRef gradient = Float("Tanh", "gradient", {Const("g", Ramp(dims, 0.03f))});
  const OutputRef l2 = Float("Mul", "l2", {read, Const("l2/scale", Tensor::Scalar<float>(0.004f))});
  const OutputRef sum = Add("AddN", "sum", {l2, gradient}, {{"N", 2}, {"T", DType::kFloat}});
  const OutputRef expanded =
      Add("ExpandDims", "expanded", {sum, Const("axis", Tensor::Scalar<int32_t>(0))},
          {{"T", DType::kFloat}, {"Tdim", DType::kInt32}});
  const OutputRef mean = Add("Mean", "mean", {expanded, Const("axes", Tensor::Scalar<int32_t>(0))},
                             {{"T", DType::kFloat}, {"Tidx", DType::kInt32}});
  const OutputRef step =
      Float("ApplyGradientDescent", "step", {w, Const("rate", Tensor::Scalar<float>(0.1f)), mean});
  const OutputRef difference = Float("Sub", "difference", {ema_read, read});
  const OutputRef scaled =
      Float("Mul", "scaled", {difference, Const("decay", Tensor::Scalar<float>(0.01f))});
  const OutputRef moved = Float("AssignSub", "moved", {ema, scaled});
  Add("NoOp", "train", {}, {}, {step.node, moved.node});
  const Outcome last = ExpectSame({}, {"sum"}, {"train"}, 4);
  EXPECT_LT(last.nodes, plain_nodes_ - 5);
  // What the variables hold afterwards.
  for (const char* name : {"w", "ema"}) {
    const OutputRef variable{graph_->Find(name)->id(), 0};
    Float("Identity", std::string(name) + "/now", {variable}, {graph_->Find("train")->id()});
    ExpectSame({}, {std::string(name) + "/now"}, {}, 3);
  }
}

TEST_F(PassesTest, ChainsOfAnyShapeThatIsFed) {
  const OutputRef x = Placeholder("x", {32, 64}), y = Placeholder("y", {32, 64});
  const OutputRef sum = Float("AddV2", "sum", {x, y});
  const OutputRef positive = Float("Relu", "positive", {sum});
  const OutputRef half =
      Float("Mul", "half", {positive, Const("0.5", Tensor::Scalar<float>(0.5f))});
  Float("Tanh", "result", {Float("Sub", "shifted", {half, y})});
  const Outcome promised =
      ExpectSame({{"x", Ramp({32, 64}, 0.1f)}, {"y", Ramp({32, 64}, 0.2f)}}, {"result"});
  EXPECT_LT(promised.nodes, plain_nodes_);
  // Shapes that the graph does not promise, with broadcasting, and shapes that do not fit.
  ExpectSame({{"x", Ramp({7, 3}, 0.1f)}, {"y", Ramp({3}, 0.2f)}}, {"result"});
  ExpectSame({{"x", Ramp({0, 64}, 0.1f)}, {"y", Ramp({0, 64}, 0.2f)}}, {"result"});
  const Outcome bad = ExpectSame({{"x", Ramp({7}, 0.1f)}, {"y", Ramp({3}, 0.2f)}}, {"result"});
  EXPECT_EQ(bad.status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(bad.status.message(), "sum")) << bad.status;
}

// Numbers too small for their normal form are 0 in steps, whoever computes them: the caller for a
// scalar, a worker for a long vector, the compiler of the plan for constants. The caller's own
// arithmetic keeps them.
TEST_F(PassesTest, DenormalsAreZeroInStepsOnly) {
  constexpr float kTiny = std::numeric_limits<float>::min();
  const OutputRef x = Placeholder("x", {-1});
  const OutputRef tenth = Const("tenth", Tensor::Scalar<float>(0.1f));
  Float("Mul", "fed", {x, tenth});
  Float("Mul", "folded", {Const("tiny", Tensor::Scalar<float>(kTiny)), tenth});
  for (const int64_t size : {int64_t{1}, int64_t{1} << 20}) {
    const Tensor tiny = Tensor::FromValues<float>(
        Shape({size}), std::vector<float>(static_cast<size_t>(size), kTiny));
    const Outcome outcome = ExpectSame({{"x", tiny}}, {"fed", "folded"});
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    for (const float value : outcome.fetched[0].flat<float>()) ASSERT_EQ(value, 0);
    EXPECT_EQ(*outcome.fetched[1].data<float>(), 0);
    volatile float mine = kTiny;
    mine = mine / 16;
    EXPECT_EQ(mine * 16, kTiny);
  }
}

TEST_F(PassesTest, InnerResultsMayBeFetched) {
  const OutputRef x = Placeholder("x", {64, 64});
  const OutputRef a = Float("Exp", "a", {x});
  const OutputRef b = Float("Neg", "b", {a});
  Float("AddV2", "c", {b, x});
  ExpectSame({{"x", Ramp({64, 64}, 0.01f)}}, {"a", "c", "b"});
  ExpectSame({{"x", Ramp({64, 64}, 0.01f)}}, {"c", "c"});
}

TEST_F(PassesTest, UninitialisedVariablesAreNamed) {
  const std::vector<int64_t> dims = {40, 40};
  const OutputRef w =
      Add("VariableV2", "w", {}, {{"shape", PartialShape(dims)}, {"dtype", DType::kFloat}});
  const OutputRef g = Float(
      "Mul", "g", {Const("c", Ramp(dims, 0.1f)), Float("Exp", "e", {Placeholder("x", dims)})});
  Float("ApplyGradientDescent", "step", {w, Const("rate", Tensor::Scalar<float>(0.1f)), g});
  const Outcome bad = ExpectSame({{"x", Ramp(dims, 0.01f)}}, {}, {"step"});
  EXPECT_EQ(bad.status.code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(absl::StrContains(bad.status.message(), "w")) << bad.status;
}

TEST_F(PassesTest, TwoUpdatesOfOneVariableKeepTheirOrder) {
  const std::vector<int64_t> dims = {64, 32};
  const OutputRef w = Variable("w", Ramp(dims, 0.01f));
  const OutputRef read = Float("Identity", "read", {w});
  const OutputRef first = Float("AssignAdd", "first", {w, Float("Neg", "n", {read})});
  const OutputRef second =
      Float("AssignSub", "second", {first, Float("Square", "s", {read})}, {first.node});
  Float("Identity", "after", {second});
  ExpectSame({}, {"after"}, {}, 3);
}

TEST_F(PassesTest, ReadersAfterAnUpdateSeeIt) {
  const OutputRef w = Variable("w", Ramp({48, 48}, 0.01f));
  const OutputRef read = Float("Identity", "read", {w});
  const OutputRef one = Const("one", Ramp({48, 48}, 0.0f));
  const OutputRef update = Float("AssignAdd", "update", {w, Float("Mul", "m", {read, one})});
  const OutputRef late = Float("Mul", "late", {read, one}, {update.node});
  Float("AddV2", "sum", {late, Float("Neg", "n", {read})});
  ExpectSame({}, {"sum"}, {}, 3);
}

TEST_F(PassesTest, EqualNodesBecomeOneButNotAcrossRequestedDevices) {
  const OutputRef x = Placeholder("x", {4});
  const auto square = [&](const char* name, const char* device) {
    return Add("Square", name, {x}, {{"T", DType::kFloat}}, {}, device);
  };
  const OutputRef a = square("a", "/cpu:0"), b = square("b", "/cpu:0"), c = square("c", "/gpu:0"),
                  d = square("d", "/gpu:1");
  Float("AddV2", "ab", {a, b});
  Float("AddV2", "cd", {c, d});
  const NamedTensors feeds = {{"x", Ramp({4}, 1)}};
  ExpectSame(feeds, {"ab", "cd"});
  EXPECT_EQ(Run("none", feeds, {"ab"}).nodes, 3);
  EXPECT_EQ(Run("cse", feeds, {"ab"}).nodes, 2);
  EXPECT_EQ(Run("cse", feeds, {"cd"}).nodes, 3);
  // -0 and 0 compare equal, but are not the same constant.
  const OutputRef zero = Const("zero", Tensor::Scalar<float>(0.0f));
  const OutputRef minus = Const("minus", Tensor::Scalar<float>(-0.0f));
  Float("Reciprocal", "to_inf", {zero});
  Float("Reciprocal", "to_minus_inf", {minus});
  ExpectSame({}, {"to_inf", "to_minus_inf"});
}

TEST_F(PassesTest, EqualTextsBecomeOne) {
  std::vector<std::string> fetches;
  for (int i = 0; i < 8; ++i) {
    const OutputRef text = Const(absl::StrCat("text", i),
                                 Tensor::Vector<std::string>({"a", i % 2 == 0 ? "even" : "odd"}));
    fetches.push_back(absl::StrCat("size", i));
    Add("StringLength", fetches.back(), {text});
  }
  const Outcome plain = Run("none", {}, fetches), merged = Run("cse", {}, fetches);
  ASSERT_TRUE(merged.status.ok()) << merged.status;
  EXPECT_EQ(plain.nodes, 8);
  EXPECT_EQ(merged.nodes, 2);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(merged.fetched[i].flat<int32_t>()[1], i % 2 == 0 ? 4 : 3);
  }
}

TEST_F(PassesTest, ConstantsAreFoldedWhereNothingCanGoWrong) {
  const OutputRef a = Const("a", Tensor::Vector<float>({1, 2, 3}));
  const OutputRef sum = Float("AddV2", "sum", {a, Const("b", Tensor::Scalar<float>(2))});
  Float("AddV2", "result", {Float("Square", "square", {sum}), Placeholder("x", {3})});
  const NamedTensors feeds = {{"x", Ramp({3}, 1)}};
  ExpectSame(feeds, {"result"});
  EXPECT_EQ(Run("none", feeds, {"result"}).nodes, 3);
  EXPECT_EQ(Run("fold", feeds, {"result"}).nodes, 1);
  // A fed node of the chain is no constant.
  const NamedTensors other = {{"x", Ramp({3}, 1)}, {"sum", Ramp({3}, 5)}};
  ExpectSame(other, {"result"});
  // What fails, fails when it runs.
  const auto integer = [&](const char* name, int32_t v) {
    return Const(name, Tensor::Scalar<int32_t>(v));
  };
  Add("FloorDiv", "by_zero", {integer("i", 1), integer("j", 0)}, {{"T", DType::kInt32}});
  EXPECT_EQ(ExpectSame({}, {"by_zero"}).status.code(), StatusCode::kInvalidArgument);
  // Nothing large is made of something small.
  const OutputRef dims = Const("dims", Tensor::Vector<int32_t>({1 << 10, 1 << 10}));
  Add("Fill", "large", {dims, Const("value", Tensor::Scalar<float>(1))},
      {{"T", DType::kFloat}, {"index_type", DType::kInt32}});
  EXPECT_EQ(Run("fold", {}, {"large"}).nodes, 1);
}

TEST_F(PassesTest, ShapesThatFollowFromFeedsAreNotTrusted) {
  const OutputRef x = Placeholder("x", {2, 3});
  Add("Shape", "shape", {Float("Neg", "n", {x})},
      {{"T", DType::kFloat}, {"out_type", DType::kInt32}});
  Add("Reshape", "same", {x, Const("to", Tensor::Vector<int32_t>({2, 3}))},
      {{"T", DType::kFloat}, {"Tshape", DType::kInt32}});
  ExpectSame({{"x", Ramp({2, 3}, 1)}}, {"shape", "same"});
  ExpectSame({{"x", Ramp({3, 2}, 1)}}, {"shape", "same"});
}

TEST_F(PassesTest, BranchesOfAConstantPredicateGoAway) {
  const OutputRef x = Placeholder("x", {4});
  const OutputRef yes = Const("yes", Tensor::Scalar<bool>(true));
  const OutputRef choice = Add("Switch", "choice", {x, yes}, {{"T", DType::kFloat}});
  const OutputRef taken = Float("Square", "taken", {{choice.node, 1}});
  const OutputRef other = Float("Exp", "other", {choice});
  const OutputRef merge = Add("Merge", "merge", {other, taken}, {{"T", DType::kFloat}, {"N", 2}});
  Float("Neg", "result", {merge});
  const NamedTensors feeds = {{"x", Ramp({4}, 1)}};
  ExpectSame(feeds, {"result"});
  EXPECT_EQ(Run("branches", feeds, {"result"}).nodes, 2);
  ExpectSame(feeds, {"result", "merge:1"});
  // A dead fetch is an error with and without.
  EXPECT_FALSE(ExpectSame(feeds, {"other"}).status.ok());
  // A fed predicate is no constant.
  ExpectSame({{"x", Ramp({4}, 1)}, {"yes", Tensor::Scalar<bool>(false)}}, {"result"});
}

TEST_F(PassesTest, WhatHandsOnGoesAway) {
  const OutputRef x = Placeholder("x", {4});
  const OutputRef effect = Float("Neg", "effect", {x});
  const OutputRef a = Float("Identity", "a", {Float("Square", "s", {x})}, {effect.node});
  const OutputRef one = Const("one", Tensor::Scalar<float>(1));
  const OutputRef b = Float("Mul", "b", {Float("StopGradient", "stop", {a}), one});
  Float("AddV2", "c", {b, b});
  const NamedTensors feeds = {{"x", Ramp({4}, 1)}};
  ExpectSame(feeds, {"c", "b", "a"});
  // What the identity waited for still runs.
  EXPECT_EQ(Run("simplify", feeds, {"c"}).nodes, 3);
  EXPECT_EQ(Run("none", feeds, {"c"}).nodes, 6);
}

}  // namespace
}  // namespace warpbeam
