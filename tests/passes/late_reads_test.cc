// Reads of reference variables behind updates, through all that hands a value on.
#include "graph/passes/late_reads.h"

#include "tests/passes/passes_fixture.h"

namespace warpbeam {
namespace {

class LateReadsTest : public PassesTest {
 protected:
  LateReadsTest() {
    v_ = Variable("v", Tensor::FromValues<float>(Shape({2, 1}), {1, 2}));
    read_ = Float("Identity", "v/read", {v_});
    add_ = Float("AssignAdd", "add",
                 {v_, Const("ten", Tensor::FromValues<float>(Shape({2, 1}), {10, 10}))});
  }
  OutputRef Bool(const std::string& name) {
    return Add("Placeholder", name, {}, {{"dtype", DType::kBool}, {"shape", PartialShape({})}});
  }
  // The first element that `fetch` gives in the first run, the same with all passes.
  float First(const std::string& fetch, const NamedTensors& feeds = {}) {
    const Outcome outcome = ExpectSame(feeds, {fetch});
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    return outcome.status.ok() ? outcome.fetched[0].data<float>()[0] : -1;
  }
  // A node that uses `value` after the update.
  float After(OutputRef value) {
    Float("Neg", "after", {value}, {add_.node});
    return First("after");
  }

  OutputRef v_, read_, add_;
};

TEST_F(LateReadsTest, OfTheReadItself) { EXPECT_EQ(After(read_), -11); }

// What a variable is assigned is not the variable that it was read from: updates of the one make no
// use of the other late.
TEST_F(LateReadsTest, WhatAnotherVariableIsGivenStaysAsItWasRead) {
  const OutputRef w = Variable("w", Ramp({2, 1}, 1));
  const OutputRef first = Float("AssignAdd", "first", {w, Const("ones", Ramp({2, 1}, 0))});
  const OutputRef second = Float("AssignAdd", "second", {w, read_}, {first.node});
  GraphPart part;
  part.graph = graph_;
  part.targets = {second.node};
  part.Prune();
  const Status s = RepeatLateReads([](NodeId, NodeId) { return true; }, &part);
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_EQ(part.notes, "");
  EXPECT_EQ(part.graph, graph_);
}

TEST_F(LateReadsTest, ThroughWhatHandsOn) {
  OutputRef x = read_;
  for (const char* op : {"Identity", "StopGradient", "Snapshot", "PreventGradient"}) {
    x = Float(op, op, {x});
  }
  x = Add("EnsureShape", "ensured", {x}, {{"T", DType::kFloat}, {"shape", PartialShape({-1, 1})}});
  x = Add("CheckNumerics", "checked", {x}, {{"T", DType::kFloat}, {"message", std::string("x")}});
  x = Add("PlaceholderWithDefault", "given", {x},
          {{"dtype", DType::kFloat}, {"shape", PartialShape({-1, 1})}});
  EXPECT_EQ(After(x), -11);
}

TEST_F(LateReadsTest, UnderOtherShapes) {
  OutputRef x = Float("Squeeze", "squeezed", {read_});
  x = Float("ExpandDims", "expanded", {x, Const("axis", Tensor::Scalar<int32_t>(0))});
  x = Float("Reshape", "shaped",
            {x, Const("shape", Tensor::FromValues<int32_t>(Shape({3}), {1, 1, 2}))});
  Float("Neg", "after", {x}, {add_.node});
  const Outcome outcome = ExpectSame({}, {"after"});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.fetched[0].shape(), Shape({1, 1, 2}));
  EXPECT_EQ(outcome.fetched[0].data<float>()[1], -12);
}

TEST_F(LateReadsTest, ThroughSwitchAndMerge) {
  const OutputRef p = Bool("p");
  const OutputRef taken = Float("Switch", "switch", {read_, p});
  const OutputRef other = Float("Switch", "other", {read_, p});
  const OutputRef merge =
      Add("Merge", "merge", {Float("Identity", "left", {taken}), {other.node, 1}},
          {{"T", DType::kFloat}, {"N", int64_t{2}}});
  Float("Neg", "after", {merge}, {add_.node});
  EXPECT_EQ(First("after", {{"p", Tensor::Scalar<bool>(true)}}), -11);
  EXPECT_EQ(First("after", {{"p", Tensor::Scalar<bool>(false)}}), -11);
}

TEST_F(LateReadsTest, AMergeOfAVariableAndAnotherValue) {
  const OutputRef p = Bool("p");
  const OutputRef view = Float("Switch", "switch", {read_, p});
  const OutputRef value =
      Float("Neg", "computed", {Float("Switch", "other", {Const("c", Ramp({2, 1}, 1)), p})});
  const OutputRef merge =
      Add("Merge", "merge", {{view.node, 1}, value}, {{"T", DType::kFloat}, {"N", int64_t{2}}});
  Float("Neg", "after", {merge}, {add_.node});
  EXPECT_EQ(First("after", {{"p", Tensor::Scalar<bool>(true)}}), -11);
  EXPECT_EQ(First("after", {{"p", Tensor::Scalar<bool>(false)}}), Ramp({2, 1}, 1).data<float>()[0]);
}

TEST_F(LateReadsTest, OfTwoVariablesThatMeet) {
  const OutputRef w = Variable("w", Tensor::FromValues<float>(Shape({2, 1}), {100, 200}));
  const OutputRef p = Bool("p");
  const OutputRef a = Float("Switch", "a", {read_, p});
  const OutputRef b = Float("Switch", "b", {Float("Identity", "w/read", {w}), p});
  const OutputRef merge =
      Add("Merge", "merge", {{a.node, 1}, b}, {{"T", DType::kFloat}, {"N", int64_t{2}}});
  const OutputRef twice = Float("AssignAdd", "twice", {w, Const("c", Ramp({2, 1}, 2))});
  Float("Neg", "after", {merge}, {add_.node, twice.node});
  EXPECT_EQ(First("after", {{"p", Tensor::Scalar<bool>(true)}}), -11);
  EXPECT_EQ(First("after", {{"p", Tensor::Scalar<bool>(false)}}), -(100 - 1.5f));
}

TEST_F(LateReadsTest, ADeadBranchStaysDead) {
  const OutputRef p = Bool("p");
  const OutputRef view = Float("Switch", "switch", {read_, p});
  Float("Neg", "after", {{view.node, 1}}, {add_.node});
  const Outcome outcome = ExpectSame({{"p", Tensor::Scalar<bool>(false)}}, {"after"});
  EXPECT_EQ(outcome.status.code(), StatusCode::kInvalidArgument) << outcome.status;
}

// The sum of what was read before, at and after each of two updates.
TEST_F(LateReadsTest, EachUseSeesTheUpdatesBeforeIt) {
  const OutputRef before = Float("Neg", "before", {read_});
  const OutputRef first =
      Float("AssignAdd", "first", {v_, Const("c", Ramp({2, 1}, 0))}, {before.node});  // - 1.5
  const OutputRef between = Float("Identity", "between", {read_}, {first.node});
  const OutputRef used = Float("Neg", "used", {between});
  const OutputRef second =
      Float("AssignAdd", "second", {v_, Const("d", Ramp({2, 1}, 0))}, {used.node});
  Float("Neg", "last", {between}, {second.node});
  Float("Neg", "anew", {read_}, {second.node});
  const Outcome outcome = ExpectSame({}, {"before", "used", "last", "anew"});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.fetched[0].data<float>()[0], -1);
  EXPECT_EQ(outcome.fetched[1].data<float>()[0], 0.5f);
  EXPECT_EQ(outcome.fetched[2].data<float>()[0], 2);
  EXPECT_EQ(outcome.fetched[3].data<float>()[0], 2);
}

// What no path connects with the update keeps what was read when the step began.
TEST_F(LateReadsTest, AUseWithoutOrderIsNotRepeated) {
  Float("Neg", "free", {read_});
  Run("none", {}, {"free"}, {"add"});
  const int64_t plain = Run("none", {}, {"free"}).nodes;
  EXPECT_EQ(Run("none", {}, {"free"}, {"add"}).nodes, plain + 1);
}

TEST_F(LateReadsTest, TwoNodesOfOneName) {
  const OutputRef same = Add("VariableV2", "same", {},
                             {{"shape", PartialShape({2, 1})},
                              {"dtype", DType::kFloat},
                              {"shared_name", std::string("v")}});
  Float("Neg", "after", {Float("Identity", "same/read", {same})}, {add_.node});
  EXPECT_EQ(First("after"), -11);
}

// As a training step of many variables with their moving averages behind it.
TEST_F(LateReadsTest, ManyMovingAveragesAfterOneTrainingStep) {
  constexpr int kVariables = 2000;
  std::vector<OutputRef> reads;
  std::vector<NodeId> updates;
  const OutputRef one = Const("one", Tensor::Scalar<float>(1));
  for (int i = 0; i < kVariables; ++i) {
    const OutputRef v =
        Variable(absl::StrCat("v", i), Tensor::Scalar<float>(static_cast<float>(i)));
    reads.push_back(Float("Identity", absl::StrCat("r", i), {v}));
    updates.push_back(Float("AssignAdd", absl::StrCat("u", i), {v, one}).node);
  }
  const OutputRef train = Add("NoOp", "train", {}, {}, updates);
  std::vector<OutputRef> averages;
  for (int i = 0; i < kVariables; ++i) {
    averages.push_back(Float("Neg", absl::StrCat("average", i), {reads[i]}, {train.node}));
  }
  Add("Pack", "averages", averages, {{"T", DType::kFloat}, {"N", int64_t{kVariables}}});
  const Outcome outcome = Run("default", {}, {"averages"});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  for (int i = 0; i < kVariables; ++i) {
    EXPECT_EQ(outcome.fetched[0].data<float>()[i], static_cast<float>(-i - 1)) << i;
  }
}

}  // namespace
}  // namespace warpbeam
