// What Simplify takes away, and what it must leave.
#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "tests/passes/passes_fixture.h"

namespace warpbeam {
namespace {

class SimplifyTest : public PassesTest {
 protected:
  OutputRef Ints(const std::string& name, const std::vector<int32_t>& values) {
    return Const(name, Tensor::Vector<int32_t>(values));
  }
  OutputRef Zero(const std::string& name) { return Const(name, Tensor::Scalar<int32_t>(0)); }
  // Something of a known shape that no pass folds: the reading of a variable, plus itself.
  OutputRef Value(const std::string& name, std::vector<int64_t> dims) {
    const OutputRef read =
        Float("Identity", name + "/read", {Variable(name + "/variable", Ramp(dims, 0.7f))});
    return Float("AddV2", name, {read, read});
  }
  OutputRef Transpose(const std::string& name, OutputRef x, const std::vector<int32_t>& order) {
    return Add("Transpose", name, {x, Ints(name + "/order", order)},
               {{"T", DType::kFloat}, {"Tperm", DType::kInt32}});
  }
  OutputRef Cast(const std::string& name, OutputRef x, DType from, DType to) {
    return Add("Cast", name, {x}, {{"SrcT", from}, {"DstT", to}});
  }
  // How many nodes of those that `fetch` needs go away.
  int64_t Saved(const std::string& fetch, const NamedTensors& feeds = {}) {
    const Outcome same = ExpectSame(feeds, {fetch});
    EXPECT_TRUE(same.status.ok()) << same.status;
    return Run("none", feeds, {fetch}).nodes - Run("simplify", feeds, {fetch}).nodes;
  }
};

TEST_F(SimplifyTest, RegroupingsThatEndWhereTheyBegan) {
  const OutputRef x = Value("x", {2, 1, 6});
  const auto reshape = [&](const std::string& name, OutputRef in, const std::vector<int32_t>& to) {
    return Add("Reshape", name, {in, Ints(name + "/to", to)},
               {{"T", DType::kFloat}, {"Tshape", DType::kInt32}});
  };
  OutputRef y = reshape("flat", x, {12});
  y = reshape("matrix", y, {2, 6});
  y = Add("ExpandDims", "expanded", {y, Zero("at")},
          {{"T", DType::kFloat}, {"Tdim", DType::kInt32}});
  y = Transpose("moved", y, {1, 0, 2});
  EXPECT_EQ(Saved("moved"), 4);
  // The elements of a matrix that is turned change places.
  Transpose("turned", Transpose("squeezed", x, {1, 0, 2}), {0, 2, 1});
  EXPECT_EQ(Saved("turned"), 0);
}

TEST_F(SimplifyTest, SlicesPadsAndSplitsOfEverything) {
  const OutputRef x = Value("x", {3, 4});
  const auto slice = [&](const std::string& name, const std::vector<int32_t>& end, int32_t stride) {
    return Add("StridedSlice", name,
               {x, Ints(name + "/begin", {0, 0}), Ints(name + "/end", end),
                Ints(name + "/strides", {1, stride})},
               {{"T", DType::kFloat}, {"Index", DType::kInt32}});
  };
  slice("all", {3, 4}, 1);
  EXPECT_EQ(Saved("all"), 1);
  slice("some", {3, 3}, 1);
  EXPECT_EQ(Saved("some"), 0);
  Add("StridedSlice", "back",
      {x, Ints("back/begin", {0, 3}), Ints("back/end", {3, -5}), Ints("back/strides", {1, -1})},
      {{"T", DType::kFloat}, {"Index", DType::kInt32}});
  EXPECT_EQ(Saved("back"), 0);
  const auto pad = [&](const std::string& name, const std::vector<int32_t>& amounts) {
    return Add("Pad", name,
               {x, Const(name + "/amounts", Tensor::FromValues<int32_t>(Shape({2, 2}), amounts))},
               {{"T", DType::kFloat}, {"Tpaddings", DType::kInt32}});
  };
  pad("unpadded", {0, 0, 0, 0});
  EXPECT_EQ(Saved("unpadded"), 1);
  pad("padded", {0, 0, 1, 0});
  EXPECT_EQ(Saved("padded"), 0);
  Add("Split", "split", {Zero("axis"), x}, {{"T", DType::kFloat}, {"num_split", 1}});
  EXPECT_EQ(Saved("split"), 1);
}

TEST_F(SimplifyTest, PairsThatCancel) {
  const OutputRef x = Value("x", {2, 3, 4});
  Transpose("there_and_back", Transpose("there", x, {2, 0, 1}), {1, 2, 0});
  EXPECT_EQ(Saved("there_and_back"), 2);
  Transpose("twice", Transpose("once", x, {2, 0, 1}), {2, 0, 1});
  EXPECT_EQ(Saved("twice"), 0);
  Float("Neg", "negated_twice", {Float("Neg", "negated", {x})});
  EXPECT_EQ(Saved("negated_twice"), 2);
  Cast("float_again", Cast("double", x, DType::kFloat, DType::kDouble), DType::kDouble,
       DType::kFloat);
  EXPECT_EQ(Saved("float_again"), 2);
  Cast("rounded", Cast("half", x, DType::kFloat, DType::kHalf), DType::kHalf, DType::kFloat);
  EXPECT_EQ(Saved("rounded"), 0);
  const OutputRef n = Cast("n", x, DType::kFloat, DType::kInt32);
  Cast("n_again", Cast("n_float", n, DType::kInt32, DType::kFloat), DType::kFloat, DType::kInt32);
  EXPECT_EQ(Saved("n_again"), 0);
  Cast("n_back", Cast("n_double", n, DType::kInt32, DType::kDouble), DType::kDouble, DType::kInt32);
  EXPECT_EQ(Saved("n_back"), 2);
  // What the first of a pair waits for still runs.
  const OutputRef effect = Float("Exp", "effect", {x});
  Float("Neg", "second", {Float("Neg", "first", {x}, {effect.node})});
  EXPECT_EQ(Saved("second"), 0);
  // Somebody else may need the first one.
  Float("AddV2", "both",
        {{graph_->Find("negated")->id(), 0}, {graph_->Find("negated_twice")->id(), 0}});
  EXPECT_EQ(Saved("both"), 1);
}

TEST_F(SimplifyTest, WhatAddsNothing) {
  const float inf = std::numeric_limits<float>::infinity();
  const OutputRef x = Float("Identity", "x", {Placeholder("fed", {5})});
  const NamedTensors feeds = {
      {"fed", Tensor::Vector<float>({0.0f, -0.0f, inf, -inf, std::nanf("")})}};
  const OutputRef zero = Const("zero", Tensor::Scalar<float>(0.0f));
  const OutputRef minus = Const("minus", Tensor::Scalar<float>(-0.0f));
  const auto expect = [&](const char* op, const char* name, OutputRef a, OutputRef b, int saved) {
    Float(op, name, {a, b});
    // The Identity goes away in any case.
    EXPECT_EQ(Saved(name, feeds), saved + 1) << name;
  };
  expect("AddV2", "plus_zero", x, zero, 0);
  expect("AddV2", "plus_minus_zero", x, minus, 1);
  expect("AddV2", "minus_zero_plus", minus, x, 1);
  expect("Sub", "less_zero", x, zero, 1);
  expect("Sub", "less_minus_zero", x, minus, 0);
  expect("Sub", "zero_less", zero, x, 0);
  const OutputRef n = Cast("n", x, DType::kFloat, DType::kInt32);
  const auto integer = [&](const char* op, const char* name, OutputRef b) {
    return Add(op, name, {n, b}, {{"T", DType::kInt32}});
  };
  integer("AddV2", "n_plus_zero", Zero("n0"));
  EXPECT_EQ(Saved("n_plus_zero", feeds), 2);
  integer("FloorDiv", "n_by_one", Const("n1", Tensor::Scalar<int32_t>(1)));
  EXPECT_EQ(Saved("n_by_one", feeds), 2);
  integer("BitwiseXor", "n_xor_zero", {graph_->Find("n0")->id(), 0});
  EXPECT_EQ(Saved("n_xor_zero", feeds), 2);
  // A constant that is fed is none.
  NamedTensors more = feeds;
  more.emplace_back("n0", Tensor::Scalar<int32_t>(7));
  EXPECT_EQ(Saved("n_plus_zero", more), 1);
  // Not the shape of x.
  Float("Sub", "wider", {x, Const("zeros", Tensor::FromValues<float>(Shape({1, 1}), {0}))});
  EXPECT_EQ(Saved("wider", feeds), 1);
}

TEST_F(SimplifyTest, SquaresAreWithinOneUnitInTheLastPlace) {
  const OutputRef x = Placeholder("x", {-1});
  Float("Pow", "squared", {x, Const("two", Tensor::Scalar<float>(2))});
  std::vector<float> values = {0.0f, -0.0f, 1e-30f, 1e30f, -std::numeric_limits<float>::infinity()};
  for (int i = 1; i < 3000; ++i) values.push_back(static_cast<float>(i) * 0.37f - 500);
  const NamedTensors feeds = {{"x", Tensor::Vector<float>(values)}};
  const Outcome plain = Run("none", feeds, {"squared"}),
                simple = Run("simplify", feeds, {"squared"});
  ASSERT_TRUE(plain.status.ok() && simple.status.ok()) << plain.status << simple.status;
  for (size_t i = 0; i < values.size(); ++i) {
    const float a = plain.fetched[0].data<float>()[i], b = simple.fetched[0].data<float>()[i];
    EXPECT_EQ(b, values[i] * values[i]);
    EXPECT_TRUE(a == b || a == std::nextafter(b, a)) << values[i] << ": " << a << " and " << b;
  }
  const Outcome nan = Run("simplify", {{"x", Tensor::Vector<float>({std::nanf("")})}}, {"squared"});
  EXPECT_TRUE(std::isnan(nan.fetched[0].data<float>()[0]));
}

TEST_F(SimplifyTest, ConstantsChoose) {
  const OutputRef x = Value("x", {3}), y = Value("y", {3});
  const OutputRef yes = Const("yes", Tensor::Scalar<bool>(true));
  const OutputRef no = Const("no", Tensor::Vector<bool>({false, false, false}));
  const OutputRef mixed = Const("mixed", Tensor::Vector<bool>({false, true, false}));
  Float("Select", "first", {yes, x, y});
  EXPECT_EQ(Saved("first"), 1);
  Float("SelectV2", "second", {no, x, y});
  EXPECT_EQ(Saved("second"), 1);
  Float("Select", "neither", {mixed, x, y});
  EXPECT_EQ(Saved("neither"), 0);
  Float("SelectV2", "wide", {yes, x, Value("rows", {2, 3})});
  EXPECT_EQ(Saved("wide"), 0);
  // The side that is not taken changes a variable all the same.
  const OutputRef v = Variable("v", Ramp({3}, 1));
  const OutputRef changed = Float("AssignAdd", "changed", {v, x});
  Float("Neg", "chosen", {Float("SelectV2", "choice", {yes, y, changed})});
  EXPECT_EQ(Run("simplify", {}, {"chosen"}).nodes, Run("none", {}, {"chosen"}).nodes - 1);
}

TEST_F(SimplifyTest, PackAndUnpack) {
  const OutputRef x = Value("x", {3, 2}), y = Value("y", {3, 2});
  const auto unpack = [&](const std::string& name, OutputRef in, int axis) {
    return Add("Unpack", name, {in}, {{"T", DType::kFloat}, {"num", 2}, {"axis", axis}});
  };
  const auto pack = [&](const std::string& name, OutputRef a, OutputRef b, int axis) {
    return Add("Pack", name, {a, b}, {{"T", DType::kFloat}, {"N", 2}, {"axis", axis}});
  };
  const OutputRef packed = pack("packed", x, y, 1);
  const OutputRef parts = unpack("parts", packed, 1);
  Float("Sub", "difference", {parts, {parts.node, 1}});
  EXPECT_EQ(Saved("difference"), 2);
  const OutputRef others = unpack("others", packed, 1);
  pack("again", others, {others.node, 1}, 1);
  EXPECT_EQ(Saved("again"), 2);
  const OutputRef columns = unpack("columns", x, 1);
  pack("x_again", columns, {columns.node, 1}, 1);
  EXPECT_EQ(Saved("x_again"), 2);
  pack("swapped", {columns.node, 1}, columns, 1);
  EXPECT_EQ(Saved("swapped"), 0);
  pack("turned", columns, {columns.node, 1}, 0);
  EXPECT_EQ(Saved("turned"), 0);
}

// Who waits for a placeholder that is fed waits for nothing.
TEST_F(SimplifyTest, GroupsWithAFedPlaceholder) {
  const OutputRef x = Placeholder("x", {4}), z = Placeholder("z", {4});
  const OutputRef n = Float("Neg", "n", {x});
  const OutputRef group = Add("NoOp", "group", {}, {}, {z.node, n.node});
  Float("Identity", "g", {n}, {group.node});
  const NamedTensors feeds = {{"x", Ramp({4}, 1)}, {"z", Ramp({4}, 2)}};
  EXPECT_TRUE(ExpectSame(feeds, {"g"}).status.ok());
  EXPECT_TRUE(ExpectSame(feeds, {"n"}, {"group"}).status.ok());
  EXPECT_FALSE(ExpectSame({{"x", Ramp({4}, 1)}}, {"g"}).status.ok());
}

// There are 5^30 paths through them.
TEST_F(SimplifyTest, LayersThatWaitForAllOfTheLayerBefore) {
  const OutputRef x = Placeholder("x", {4});
  std::vector<NodeId> before = {Float("Neg", "first", {x}).node};
  for (int layer = 0; layer < 30; ++layer) {
    std::vector<NodeId> now;
    for (int i = 0; i < 5; ++i) {
      const std::string name = absl::StrCat("n", layer, "_", i);
      now.push_back(layer % 2 == 0 ? Float("Identity", name, {x}, before).node
                                   : Add("NoOp", name, {}, {}, before).node);
    }
    before = now;
  }
  Float("Identity", "y", {x}, before);
  const Outcome outcome = ExpectSame({{"x", Ramp({4}, 1)}}, {"y"});
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_LT(outcome.nodes, plain_nodes_);
}

// Where many wait for many, by way of nodes that go away, each still waits for all.
TEST_F(SimplifyTest, WhatManyWaitForIsNotLost) {
  constexpr int kVariables = 7;
  const OutputRef x = Placeholder("x", {4});
  std::vector<OutputRef> variables;
  std::vector<NodeId> updates;
  for (int i = 0; i < kVariables; ++i) {
    variables.push_back(Variable(absl::StrCat("v", i), Ramp({4}, 1.0f * i)));
    updates.push_back(Float("AssignAdd", absl::StrCat("update", i), {variables[i], x}).node);
  }
  // An identity that waits for all of them, a chain of identities that each wait for one more, and
  // outputs of an Unpack that goes away together with its Pack.
  const OutputRef after_all = Float("Identity", "after_all", {x}, updates);
  OutputRef chain = x;
  for (int i = 0; i < kVariables; ++i) {
    chain = Float("Identity", absl::StrCat("chain", i), {chain}, {updates[i]});
  }
  const OutputRef pack = Add("Pack", "pack", {x, x, x}, {{"T", DType::kFloat}, {"N", 3}}, updates);
  const OutputRef unpack =
      Add("Unpack", "unpack", {pack}, {{"T", DType::kFloat}, {"num", 3}}, updates);
  std::vector<std::string> fetches;
  for (int i = 0; i < kVariables; ++i) {
    const OutputRef part{unpack.node, i % 3};
    for (const OutputRef source : {after_all, chain, part}) {
      fetches.push_back(absl::StrCat("sum", fetches.size()));
      Float("AddV2", fetches.back(), {variables[i], source});
    }
    // By a control edge only.
    fetches.push_back(absl::StrCat("sum", fetches.size()));
    Float("AddV2", fetches.back(), {variables[i], x}, {i % 2 == 0 ? chain.node : unpack.node});
  }
  const Outcome outcome = ExpectSame({{"x", Ramp({4}, 2)}}, fetches);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  for (int i = 0; i < kVariables; ++i) {
    for (int k = 0; k < 4; ++k) {
      const Tensor& sum = outcome.fetched[4 * i + k];
      const Tensor start = Ramp({4}, 1.0f * i), step = Ramp({4}, 2);
      for (int e = 0; e < 4; ++e) {
        EXPECT_EQ(sum.flat<float>()[e], start.flat<float>()[e] + 2 * step.flat<float>()[e])
            << fetches[4 * i + k];
      }
    }
  }
}

TEST_F(SimplifyTest, ShapesThatFollowFromFeedsAreNotTrusted) {
  const OutputRef x = Placeholder("x", {2, 3});
  Transpose("there_and_back", Transpose("there", x, {1, 0}), {1, 0});
  Add("StridedSlice", "all",
      {x, Ints("begin", {0, 0}), Ints("end", {2, 3}), Ints("strides", {1, 1})},
      {{"T", DType::kFloat}, {"Index", DType::kInt32}});
  Float("SelectV2", "chosen", {Const("yes", Tensor::Scalar<bool>(true)), x, Value("y", {2, 3})});
  for (const std::vector<int64_t>& dims : {std::vector<int64_t>{2, 3}, {4, 3}, {6}, {1, 3}}) {
    for (const char* fetch : {"there_and_back", "all", "chosen"}) {
      ExpectSame({{"x", Ramp(dims, 1)}}, {fetch});
    }
  }
}

}  // namespace
}  // namespace warpbeam
