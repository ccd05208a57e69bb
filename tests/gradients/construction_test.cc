// What AddGradients adds to a graph: which nodes and no others, under which names, and what it says
// of what it cannot do.
#include <algorithm>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "tests/gradients/graph_gradients.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Code = StatusCode;

class GradientConstruction : public GraphGradients {
 protected:
  OutputRef Add(const std::string& op, const std::string& name,
                const std::vector<NodeInput>& inputs, const AttrMap& attrs = {},
                const std::string& device = "") {
    NodeBuilder builder(graph_.get(), op);
    builder.ExactName(name).Device(device);
    for (const NodeInput& input : inputs) builder.Input(input);
    for (const AttrMap::Entry& attr : attrs) builder.Attr(attr.first, attr.second);
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  OutputRef Constant(const std::string& name, Tensor value) {
    auto made = AddConstant(graph_.get(), name, std::move(value));
    EXPECT_TRUE(made.ok()) << made.status();
    return {(*made)->id(), 0};
  }
  OutputRef Double(const std::string& name, double value) {
    return Constant(name, Tensor::Scalar(value));
  }
  OutputRef Cast(const std::string& name, OutputRef x, DType to) {
    AttrMap attrs;
    attrs.Set("DstT", to);
    return Add("Cast", name, {x}, attrs);
  }
  // Of nodes added since the graph had `before`.
  std::vector<std::string> AddedSince(int before) const {
    std::vector<std::string> names;
    for (NodeId id = before; id < graph_->num_nodes(); ++id) {
      names.push_back(graph_->node(id).name());
    }
    return names;
  }
  int CountAdded(int before, const std::string& op) const {
    int count = 0;
    for (NodeId id = before; id < graph_->num_nodes(); ++id) {
      count += graph_->node(id).op_name() == op ? 1 : 0;
    }
    return count;
  }
  double Value(const std::string& fetch) { return Run(fetch).scalar<double>(); }
};

TEST_F(GradientConstruction, ArgumentsAreChecked) {
  const OutputRef x = Double("x", 3), y = Add("Square", "y", {x});
  const OutputRef whole = Constant("whole", Tensor::Scalar<int32_t>(1));
  const OutputRef rows = Constant("rows", Tensor::Vector<int32_t>({1}));
  struct Case {
    std::vector<OutputRef> ys, xs, stops;
    std::vector<GradientValue> grad_ys;
    const char* message;
  };
  const OutputRef beyond = {y.node, 1}, nowhere, far = {1000, 0};
  const Case cases[] = {
      {{beyond}, {x}, {}, {}, "ys[0] is no output"},
      {{y, nowhere}, {x}, {}, {}, "ys[1] is no output"},
      {{y}, {far}, {}, {}, "xs[0] is no output"},
      {{y}, {x}, {beyond}, {}, "stop_gradients[0] is no output"},
      {{y}, {x}, {}, {GradientValue::Dense(x), GradientValue::Dense(x)}, "2 grad_ys for 1 ys"},
      {{y}, {x}, {}, {GradientValue::Dense(far)}, "grad_ys[0] is no output"},
      {{y}, {x}, {}, {GradientValue::Dense(whole)}, "grad_ys[0] is int32, ys[0] is double ('y')"},
      {{y}, {x}, {}, {GradientValue::Slices(x, nowhere, whole)}, "indices of grad_ys[0]"},
      {{y}, {x}, {}, {GradientValue::Slices(x, x, whole)}, "indices of grad_ys[0]"},
      {{y}, {x}, {}, {GradientValue::Slices(x, rows, far)}, "shape of grad_ys[0]"},
      {{y}, {x}, {}, {GradientValue::Slices(x, rows, whole)}, "shape of grad_ys[0]"},
  };
  const int before = graph_->num_nodes();
  for (const Case& c : cases) {
    GradientOptions options;
    options.stop_gradients = c.stops;
    options.grad_ys = c.grad_ys;
    const Status s = AddGradients(*graph_, c.ys, c.xs, options).status();
    EXPECT_EQ(s.code(), Code::kInvalidArgument) << c.message;
    EXPECT_THAT(std::string(s.message()), HasSubstr(c.message));
  }
  EXPECT_EQ(graph_->num_nodes(), before) << "a refused call leaves nodes behind";
}

TEST_F(GradientConstruction, AComplexYNeedsItsGradient) {
  const OutputRef x = Constant("x", Tensor::Scalar(std::complex<float>(1, 2)));
  const OutputRef y = Add("Square", "y", {x});
  EXPECT_THAT(std::string(Refusal("y", "x").message()), HasSubstr("ys[0] ('y') is complex"));
  GradientOptions options;
  options.grad_ys = {GradientValue::Dense(x)};
  EXPECT_TRUE(AddGradients(*graph_, {y}, {x}, options).ok());
}

TEST_F(GradientConstruction, OnlyNodesOnTheWayAreDifferentiated) {
  const OutputRef x = Double("x", 3), other = Double("other", 5);
  const OutputRef a = Add("Square", "a", {x}), b = Add("Exp", "b", {other});
  const OutputRef y = Add("Mul", "y", {a, b});
  Add("Tanh", "behind", {y});
  Add("Sinh", "beside", {x});
  const int before = graph_->num_nodes();
  const std::string dx = Differentiate("y", {"x"})[0];
  EXPECT_THAT(AddedSince(before),
              AllOf(Each(StartsWith("gradients/")), Not(Contains(HasSubstr("b_grad"))),
                    Not(Contains(HasSubstr("behind"))), Not(Contains(HasSubstr("beside")))));
  EXPECT_NEAR(Value(dx), 6 * std::exp(5), 1e-9);
}

// What cannot be differentiated matters only where a gradient would flow through it.
TEST_F(GradientConstruction, AWayThatCannotBeGoneIsNamed) {
  const OutputRef x = Double("x", 3);
  const OutputRef whole = Cast("as_double", Cast("as_int", x, DType::kInt32), DType::kDouble);
  Add("Mul", "y", {Add("Square", "square", {x}), whole});
  // Integers carry none.
  EXPECT_NEAR(Value(Differentiate("y", {"x"})[0]), 6 * 3, 1e-9);
  // An op that has none is named, and what helps.
  const OutputRef z = Add("NextAfter", "next", {x, Double("two", 2)});
  Add("Neg", "end", {z});
  GradientRegistry only_neg;
  GradientEntry negates;
  negates.function = [](GradContext& c) {
    c.set_dx(0, c.Neg(c.dy(0)));
    return OkStatus();
  };
  ASSERT_TRUE(only_neg.Register("Neg", negates).ok());
  GradientOptions options;
  options.registry = &only_neg;
  Status s = AddGradients(*graph_, {Out("end")}, {x}, options).status();
  EXPECT_EQ(s.code(), Code::kNotFound);
  EXPECT_THAT(std::string(s.message()),
              AllOf(HasSubstr("gradient of node 'next' (NextAfter)"), HasSubstr("has no gradient"),
                    HasSubstr("stop_gradients")));
  GradientEntry impossible;
  impossible.not_differentiable = true;
  impossible.reason = "of a reason";
  ASSERT_TRUE(only_neg.Register("NextAfter", impossible).ok());
  s = AddGradients(*graph_, {Out("end")}, {x}, options).status();
  EXPECT_EQ(s.code(), Code::kUnimplemented);
  EXPECT_THAT(std::string(s.message()), HasSubstr("cannot be differentiated: of a reason"));
  options.stop_gradients = {z};
  auto stopped = AddGradients(*graph_, {Out("end")}, {x}, options);
  ASSERT_TRUE(stopped.ok()) << stopped.status();
  EXPECT_TRUE((*stopped)[0].is_none());
}

TEST_F(GradientConstruction, WhatIsUnconnectedIsNoneOrZero) {
  const OutputRef x = Constant("x", Tensor::Vector<double>({1, 2}));
  const OutputRef other = Constant("other", Tensor::Vector<double>({3, 4, 5}));
  const OutputRef y = Add("Square", "y", {x});
  auto made = AddGradients(*graph_, {y}, {other, x});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE((*made)[0].is_none());
  EXPECT_TRUE((*made)[1].is_dense());
  EXPECT_EQ(ToDense(*graph_, (*made)[0]).status().code(), Code::kInvalidArgument);
  GradientOptions zeros;
  zeros.zeros_for_unconnected = true;
  const std::vector<std::string> dx = Differentiate("y", {"other", "x"}, zeros);
  ExpectNear(Run(dx[0]), Doubles(Shape({3}), {0, 0, 0}), 0);
  ExpectNear(Run(dx[1]), Doubles(Shape({2}), {2, 4}), 0);
  made = AddGradients(*graph_, {}, {x});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE((*made)[0].is_none());
  made = AddGradients(*graph_, {y}, {});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_THAT(*made, IsEmpty());
}

// An x may be a y, be on the way to another x, or be asked for twice.
TEST_F(GradientConstruction, XsAndYsMayBeAnyTensors) {
  const OutputRef x = Double("x", 3), a = Add("Square", "a", {x}), y = Add("Square", "y", {a});
  auto made = AddGradients(*graph_, {y, y, a}, {x, a, x, y});
  ASSERT_TRUE(made.ok()) << made.status();
  std::vector<std::string> names;
  for (const GradientValue& value : *made) {
    ASSERT_TRUE(value.is_dense());
    names.push_back(absl::StrCat(graph_->node(value.dense.node).name(), ":", value.dense.index));
  }
  EXPECT_EQ(names[0], names[2]);
  // d(2y + a)/dx with y = x^4, a = x^2.
  EXPECT_NEAR(Value(names[0]), 2 * 4 * 27 + 6, 1e-9);
  EXPECT_NEAR(Value(names[1]), 2 * 2 * 9 + 1, 1e-9);
  EXPECT_NEAR(Value(names[3]), 2, 1e-9);
}

TEST_F(GradientConstruction, StoppedTensorsAreConstants) {
  const OutputRef x = Double("x", 3), a = Add("Square", "a", {x});
  Add("Mul", "y", {a, Add("Exp", "e", {a})});
  // Nothing flows through `e`, and only what goes round it is left.
  GradientOptions options;
  options.stop_gradients = {Out("e")};
  EXPECT_NEAR(Value(Differentiate("y", {"x"}, options)[0]), 6 * std::exp(9), 1e-6);
  // Of a stopped x itself there is a gradient: nothing flows further.
  options.stop_gradients = {a};
  const std::vector<std::string> dx = Differentiate("y", {"x", "a"}, options);
  EXPECT_EQ(dx[0], "");
  EXPECT_NEAR(Value(dx[1]), std::exp(9) * (1 + 9), 1e-6);
}

TEST_F(GradientConstruction, EachWayIsSummedOnce) {
  const OutputRef x = Double("x", 2);
  std::vector<OutputRef> squares;
  for (int i = 0; i < 7; ++i) squares.push_back(Add("Square", absl::StrCat("s", i), {x}));
  Add("AddN", "y", {NodeInput(squares)});
  const int before = graph_->num_nodes();
  const std::string dx = Differentiate("y", {"x"})[0];
  EXPECT_EQ(CountAdded(before, "AddN"), 1);
  EXPECT_NEAR(Value(dx), 7 * 4, 1e-9);
}

// Rows from several lookups stay rows, whatever type their numbers are of; with a dense gradient
// they become dense.
TEST_F(GradientConstruction, SlicesAreJoined) {
  const OutputRef table = Constant("t", Doubles(Shape({4, 2}), {1, 2, 3, 4, 5, 6, 7, 8}));
  const OutputRef axis = Constant("axis", Tensor::Scalar<int32_t>(0));
  const OutputRef small = Constant("i32", Tensor::Vector<int32_t>({1, 1}));
  const OutputRef large = Constant("i64", Tensor::Vector<int64_t>({3, 1}));
  const OutputRef a = Add("GatherV2", "a", {table, small, axis});
  const OutputRef b = Add("GatherV2", "b", {table, large, axis});
  Add("AddV2", "rows", {a, b});
  auto made = AddGradients(*graph_, {Out("rows")}, {table});
  ASSERT_TRUE(made.ok()) << made.status();
  ASSERT_TRUE((*made)[0].is_slices());
  const OutputRef indices = (*made)[0].indices;
  EXPECT_EQ(graph_->node(indices.node).output_type(indices.index), DType::kInt64);
  ExpectNear(Run(Differentiate("rows", {"t"})[0]), Doubles(Shape({4, 2}), {0, 0, 3, 3, 0, 0, 1, 1}),
             0);
  Add("AddV2", "mixed", {Add("Sum", "sum_a", {a, axis}), Add("Sum", "sum_t", {table, axis})});
  made = AddGradients(*graph_, {Out("mixed")}, {table});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE((*made)[0].is_dense());
  ExpectNear(Run(Differentiate("mixed", {"t"})[0]),
             Doubles(Shape({4, 2}), {1, 1, 3, 3, 1, 1, 1, 1}), 0);
}

TEST_F(GradientConstruction, NamesDevicesAndNeighbours) {
  const OutputRef x = Double("x", 3);
  Add("Square", "y", {Add("Exp", "on_gpu", {x}, {}, "/gpu:0")});
  int before = graph_->num_nodes();
  GradientOptions options;
  options.device = "/cpu:0";
  Differentiate("y", {"x"}, options);
  for (NodeId id = before; id < graph_->num_nodes(); ++id) {
    EXPECT_EQ(graph_->node(id).device(), "/cpu:0") << graph_->node(id).name();
  }
  before = graph_->num_nodes();
  options.colocate = true;
  Differentiate("y", {"x"}, options);
  EXPECT_THAT(AddedSince(before), Each(StartsWith("gradients_1/")));
  for (NodeId id = before; id < graph_->num_nodes(); ++id) {
    const Node& node = graph_->node(id);
    const bool of_exp = absl::StrContains(node.name(), "on_gpu_grad");
    EXPECT_EQ(node.device(), of_exp ? "/gpu:0" : "/cpu:0") << node.name();
    const auto classes = node.attrs().GetOr<std::vector<std::string>>("_class", {});
    ASSERT_THAT(classes, SizeIs(1)) << node.name();
    if (of_exp) {
      EXPECT_THAT(classes, ElementsAre("loc:@on_gpu"));
    }
  }
  before = graph_->num_nodes();
  options.name = "own/scope";
  Differentiate("y", {"x"}, options);
  EXPECT_THAT(AddedSince(before), Each(StartsWith("own/scope/")));
}

TEST_F(GradientConstruction, ALongChainIsNoRecursion) {
  constexpr int kLong = 30'000;
  OutputRef x = Double("x", 1);
  for (int i = 0; i < kLong; ++i) x = Add("Neg", absl::StrCat("n", i), {x});
  const std::string dx = Differentiate(absl::StrCat("n", kLong - 1), {"x"})[0];
  ASSERT_NE(dx, "");
  EXPECT_LE(graph_->num_nodes(), 2 * kLong + 10);
}

// A forward pass is what it was: its nodes, and what it gives.
class ForwardStays : public GradientConstruction,
                     public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(ForwardStays, WhateverIsDifferentiated) {
  Load(GetParam().first);
  const std::string x = GetParam().second;
  const Tensor y = Run("y:0");
  EndSession();
  std::vector<std::string> names;
  for (const Node& node : graph_->nodes()) names.push_back(node.name());
  const int before = graph_->num_nodes();
  const std::string once = Differentiate("y", {x})[0];
  const int added = graph_->num_nodes() - before;
  const std::string again = Differentiate("y", {x})[0];
  EXPECT_EQ(AddedSince(0).size() - names.size(), static_cast<size_t>(graph_->num_nodes() - before));
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(graph_->node(static_cast<NodeId>(i)).name(), names[i]);
  }
  EXPECT_LE(graph_->num_nodes() - before, 2 * added) << "the second is larger than the first";
  const std::vector<Tensor> values = RunAll({"y:0", once, again});
  ExpectNear(values[0], y, 0);
  ExpectNear(values[1], values[2], 0);
}

INSTANTIATE_TEST_SUITE_P(
    Graphs, ForwardStays,
    ::testing::Values(std::make_pair("nested_loops", "x"), std::make_pair("nested_loops", "w"),
                      std::make_pair("loop_in_cond", "x"), std::make_pair("rows_and_growth", "z"),
                      std::make_pair("functional_while", "x"),
                      std::make_pair("functional_while", "w")),
    [](const auto& info) { return absl::StrCat(info.param.first, "_", info.param.second); });

}  // namespace
}  // namespace warpbeam
