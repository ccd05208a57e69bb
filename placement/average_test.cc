#include "placement/average.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/op/shape_context.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

Status ShapeOfAttr(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// The ops of the patterns, and what may stand around them.
void RegisterOps(OpRegistry& ops) {
  const auto add = [&](const OpSchemaBuilder& op) {
    const Status status = ops.Register(op);
    EXPECT_TRUE(status.ok()) << status;
  };
  add(OpSchemaBuilder("Tower")
          .Output("g: T")
          .Attr("T: type = DT_FLOAT")
          .Attr("shape: shape")
          .Shape(ShapeOfAttr));
  add(OpSchemaBuilder("Variable")
          .Output("ref: Ref(T)")
          .Attr("T: type = DT_FLOAT")
          .Attr("shape: shape")
          .Shape(ShapeOfAttr));
  add(OpSchemaBuilder("Const")
          .Role(OpRole::kConstant)
          .Output("output: dtype")
          .Attr("value: tensor")
          .Attr("dtype: type")
          .Shape(shapes::Scalar));
  add(OpSchemaBuilder("ExpandDims")
          .Input("input: T")
          .Input("dim: int32")
          .Output("output: T")
          .Attr("T: type")
          .Shape(shapes::Unknown));
  add(OpSchemaBuilder("ConcatV2")
          .Input("values: N * T")
          .Input("axis: int32")
          .Output("output: T")
          .Attr("N: int >= 2")
          .Attr("T: type")
          .Shape(shapes::Unknown));
  add(OpSchemaBuilder("Concat")
          .Input("concat_dim: int32")
          .Input("values: N * T")
          .Output("output: T")
          .Attr("N: int >= 2")
          .Attr("T: type")
          .Shape(shapes::Unknown));
  add(OpSchemaBuilder("Pack")
          .Input("values: N * T")
          .Output("output: T")
          .Attr("N: int >= 1")
          .Attr("T: type")
          .Attr("axis: int = 0")
          .Shape(shapes::Unknown));
  add(OpSchemaBuilder("Mean")
          .Input("input: T")
          .Input("reduction_indices: int32")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr("T: type")
          .Shape(shapes::Unknown));
  add(OpSchemaBuilder("AddN")
          .Input("inputs: N * T")
          .Output("sum: T")
          .Attr("N: int >= 1")
          .Attr("T: type")
          .Shape(shapes::Unknown));
  for (const char* binary : {"RealDiv", "Div", "Mul"}) {
    add(OpSchemaBuilder(binary).Input("x: T").Input("y: T").Output("z: T").Attr("T: type").Shape(
        shapes::Unknown));
  }
  add(OpSchemaBuilder("Switch")
          .Role(OpRole::kSwitch)
          .Input("data: T")
          .Input("pred: bool")
          .Output("output_false: T")
          .Output("output_true: T")
          .Attr("T: type")
          .Shape(shapes::Unchanged));
  add(OpSchemaBuilder("Reader").Input("x: T").Attr("T: type").Shape(shapes::NoOutputs));
  add(OpSchemaBuilder("Update")
          .Input("ref: Ref(T)")
          .Input("x: T")
          .Attr("T: type")
          .Shape(shapes::NoOutputs));
}

// A graph, what a plan runs of it, and the averages found there.
class Averages {
 public:
  Averages() { RegisterOps(ops_); }

  using Attrs = std::initializer_list<std::pair<const char*, AttrValue>>;

  // "name:1" is the second output, "^name" a control input.
  void Add(const std::string& name, const char* op, const std::vector<std::string>& inputs,
           Attrs attrs = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    for (const auto& [key, value] : attrs) spec.attrs.Set(key, value);
    std::vector<OutputRef> data;
    std::vector<NodeId> controls;
    for (const std::string& input : inputs) {
      if (input[0] == '^') {
        controls.push_back(Output(input.substr(1)).node);
      } else {
        data.push_back(Output(input));
      }
    }
    auto node = graph_.AddNode(std::move(spec), std::move(data), std::move(controls));
    ASSERT_TRUE(node.ok()) << node.status();
    kept_.push_back((*node)->id());
    ids_[name] = kept_.back();
  }
  void Constant(const std::string& name, Tensor value, const std::vector<std::string>& after = {}) {
    const DType dtype = value.dtype();
    Add(name, "Const", after,
        {{"value", AttrValue(std::move(value))}, {"dtype", AttrValue(dtype)}});
  }
  void Tower(const std::string& name, PartialShape shape, DType type = DType::kFloat) {
    Add(name, "Tower", {}, {{"shape", AttrValue(std::move(shape))}, {"T", AttrValue(type)}});
  }
  void Feed(const std::string& output) { feeds_.push_back(Output(output)); }
  void Fetch(const std::string& output) { fetches_.push_back(Output(output)); }
  void Target(const std::string& node) { targets_.push_back(Output(node).node); }

  std::vector<AverageMatch> Find() const {
    return FindAverages(graph_, {kept_, feeds_, fetches_, targets_}, Consumers(graph_));
  }
  std::string Name(NodeId id) const { return graph_.node(id).name(); }

 private:
  OutputRef Output(const std::string& text) const {
    const size_t colon = text.find(':');
    const int index = colon == std::string::npos ? 0 : std::stoi(text.substr(colon + 1));
    const auto found = ids_.find(text.substr(0, colon));
    EXPECT_NE(found, ids_.end()) << text;
    return {found->second, index};
  }

  OpRegistry ops_;
  Graph graph_{ops_};
  std::map<std::string, NodeId> ids_;
  std::vector<NodeId> kept_, targets_;
  std::vector<OutputRef> feeds_, fetches_;
};

const PartialShape kFour({4});
const AttrValue kFloatAttr(DType::kFloat);

// What a test changes in the pattern that the towers' programs write; the defaults are the pattern.
struct Spelling {
  PartialShape first = kFour, second = kFour;
  DType type = DType::kFloat;
  int expand_axis = 0, concat_axis = 0, mean_axis = 0;
  bool keep_dims = false;
  std::string input = "g0";               // of the first ExpandDims
  std::string concat_input = "e0";        // of the concatenation
  std::vector<std::string> concat_after;  // its control inputs
  const char* concat = "ConcatV2";
};

// Gradients g0 and g1, e0 and e1 = ExpandDims of them, c the concatenation and m the mean.
void Write(const Spelling& s, Averages* graph) {
  graph->Constant("yes", Tensor::Scalar(true));
  graph->Tower("g0", s.first, s.type);
  graph->Tower("g1", s.second, s.type);
  const AttrValue type(s.type);
  graph->Add("switch", "Switch", {"g0", "yes"}, {{"T", type}});
  graph->Constant("expand_axis", Tensor::Scalar<int32_t>(s.expand_axis));
  graph->Constant("concat_axis", Tensor::Scalar<int32_t>(s.concat_axis));
  graph->Constant("mean_axis", Tensor::Vector<int32_t>({s.mean_axis}));
  graph->Add("e0", "ExpandDims", {s.input, "expand_axis"}, {{"T", type}});
  graph->Add("e1", "ExpandDims", {"g1", "expand_axis"}, {{"T", type}});
  std::vector<std::string> inputs = {s.concat_input, "e1", "concat_axis"};
  if (s.concat == std::string("Concat")) inputs = {"concat_axis", s.concat_input, "e1"};
  inputs.insert(inputs.end(), s.concat_after.begin(), s.concat_after.end());
  graph->Add("c", s.concat, inputs, {{"N", AttrValue(int64_t{2})}, {"T", type}});
  graph->Add("m", "Mean", {"c", "mean_axis"}, {{"keep_dims", AttrValue(s.keep_dims)}, {"T", type}});
}

size_t CountOf(const Spelling& spelling) {
  Averages graph;
  Write(spelling, &graph);
  graph.Fetch("m");
  return graph.Find().size();
}

TEST(AverageTest, ConcatenatedGradients) {
  Averages graph;
  Write({}, &graph);
  graph.Fetch("m");
  const std::vector<AverageMatch> found = graph.Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(graph.Name(found[0].result), "m");
  ASSERT_EQ(found[0].inputs.size(), 2u);
  EXPECT_EQ(graph.Name(found[0].inputs[0].node), "g0");
  EXPECT_EQ(graph.Name(found[0].inputs[1].node), "g1");
  EXPECT_EQ(found[0].scaling, AverageMatch::Scaling::kDivide);
  EXPECT_EQ(found[0].factor, 2);
  std::vector<std::string> replaced;
  for (NodeId id : found[0].replaced) replaced.push_back(graph.Name(id));
  std::sort(replaced.begin(), replaced.end());
  EXPECT_EQ(replaced,
            (std::vector<std::string>{"c", "concat_axis", "e0", "e1", "expand_axis", "mean_axis"}));
}

TEST(AverageTest, OtherSpellings) {
  Spelling spelling;
  spelling.concat = "Concat";
  EXPECT_EQ(CountOf(spelling), 1u);
  for (DType type : {DType::kHalf, DType::kBFloat16, DType::kDouble}) {
    Spelling of_type;
    of_type.type = type;
    EXPECT_EQ(CountOf(of_type), 1u) << DTypeName(type);
  }
}

TEST(AverageTest, IntegersRoundAndAreLeftAlone) {
  Spelling spelling;
  spelling.type = DType::kInt32;
  EXPECT_EQ(CountOf(spelling), 0u);
}

TEST(AverageTest, AnotherAxisIsAnotherResult) {
  Spelling expand, concat, mean;
  expand.expand_axis = 1;
  EXPECT_EQ(CountOf(expand), 0u);
  concat.concat_axis = 1;
  EXPECT_EQ(CountOf(concat), 0u);
  mean.mean_axis = 1;
  EXPECT_EQ(CountOf(mean), 0u);
}

TEST(AverageTest, AKeptDimensionIsAnotherShape) {
  Spelling spelling;
  spelling.keep_dims = true;
  EXPECT_EQ(CountOf(spelling), 0u);
}

TEST(AverageTest, ShapesMustBeKnownAndEqual) {
  Spelling unknown, partial, other;
  unknown.first = PartialShape();
  EXPECT_EQ(CountOf(unknown), 0u);
  partial.first = partial.second = PartialShape({-1});
  EXPECT_EQ(CountOf(partial), 0u);
  other.second = PartialShape({5});
  EXPECT_EQ(CountOf(other), 0u);
}

TEST(AverageTest, AnInputThatMayBeDead) {
  Spelling spelling;
  spelling.input = "switch:1";
  EXPECT_EQ(CountOf(spelling), 0u);
}

TEST(AverageTest, ADependencyThatMayBeDead) {
  Spelling spelling;
  spelling.concat_after = {"^switch"};
  EXPECT_EQ(CountOf(spelling), 1u) << "a Switch runs whatever its predicate says";
  Averages graph;
  graph.Constant("no", Tensor::Scalar(false));
  graph.Tower("g", kFour);
  graph.Add("switch", "Switch", {"g", "no"}, {{"T", kFloatAttr}});
  graph.Constant("zero", Tensor::Scalar<int32_t>(0));
  graph.Add("branch", "ExpandDims", {"switch:1", "zero"}, {{"T", kFloatAttr}});
  graph.Add("p", "Pack", {"g", "g", "^branch"}, {{"N", AttrValue(int64_t{2})}, {"T", kFloatAttr}});
  graph.Add("m", "Mean", {"p", "zero"}, {{"T", kFloatAttr}});
  graph.Fetch("m");
  EXPECT_TRUE(graph.Find().empty());
}

TEST(AverageTest, AnInputOfTheConcatenationThatIsNotExpanded) {
  Spelling spelling;
  spelling.concat_input = "g0";
  EXPECT_EQ(CountOf(spelling), 0u);
}

TEST(AverageTest, IntermediatesThatSomebodySees) {
  for (const char* node : {"e0", "c"}) {
    Averages read, fetched, fed, target;
    for (Averages* graph : {&read, &fetched, &fed, &target}) {
      Write({}, graph);
      graph->Fetch("m");
      EXPECT_EQ(graph->Find().size(), 1u);
    }
    read.Add("reader", "Reader", {node}, {{"T", kFloatAttr}});
    EXPECT_TRUE(read.Find().empty()) << node << " is read";
    fetched.Fetch(node);
    EXPECT_TRUE(fetched.Find().empty()) << node << " is fetched";
    fed.Feed(node);
    EXPECT_TRUE(fed.Find().empty()) << node << " is fed";
    target.Target(node);
    EXPECT_TRUE(target.Find().empty()) << node << " is a target";
  }
}

TEST(AverageTest, AFedAxisOrResult) {
  for (const char* output : {"expand_axis", "concat_axis", "mean_axis", "m"}) {
    Averages graph;
    Write({}, &graph);
    graph.Fetch("m");
    graph.Feed(output);
    EXPECT_TRUE(graph.Find().empty()) << output;
  }
}

TEST(AverageTest, PackedGradients) {
  for (int64_t axis : {0, 1}) {
    Averages graph;
    graph.Tower("g0", kFour);
    graph.Tower("g1", kFour);
    graph.Constant("zero", Tensor::Scalar<int32_t>(0));
    graph.Add("p", "Pack", {"g0", "g1"},
              {{"N", AttrValue(int64_t{2})}, {"T", kFloatAttr}, {"axis", AttrValue(axis)}});
    graph.Add("m", "Mean", {"p", "zero"}, {{"T", kFloatAttr}});
    graph.Fetch("m");
    EXPECT_EQ(graph.Find().size(), axis == 0 ? 1u : 0u);
  }
}

TEST(AverageTest, ReferencesMayChangeMeanwhile) {
  Averages graph;
  graph.Add("v", "Variable", {}, {{"shape", AttrValue(kFour)}});
  graph.Tower("g", kFour);
  graph.Constant("zero", Tensor::Scalar<int32_t>(0));
  graph.Add("p", "Pack", {"v", "g"}, {{"N", AttrValue(int64_t{2})}, {"T", kFloatAttr}});
  graph.Add("m", "Mean", {"p", "zero"}, {{"T", kFloatAttr}});
  graph.Fetch("m");
  EXPECT_TRUE(graph.Find().empty());
}

TEST(AverageTest, TheVariableThatItUpdates) {
  Averages graph;
  Write({}, &graph);
  graph.Add("v", "Variable", {}, {{"shape", AttrValue(kFour)}});
  graph.Add("update", "Update", {"v", "m"}, {{"T", kFloatAttr}});
  graph.Target("update");
  const std::vector<AverageMatch> found = graph.Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(graph.Name(found[0].updates), "update");
}

// `op` of the sum of two gradients and `factor`, in the order given.
template <class T>
std::vector<AverageMatch> ScaledSum(const char* op, Tensor factor, bool factor_first = false) {
  Averages graph;
  const AttrValue type(DTypeOf<T>::value);
  graph.Tower("g0", kFour, DTypeOf<T>::value);
  graph.Tower("g1", kFour, DTypeOf<T>::value);
  graph.Add("sum", "AddN", {"g0", "g1"}, {{"N", AttrValue(int64_t{2})}, {"T", type}});
  graph.Constant("factor", std::move(factor));
  const std::vector<std::string> inputs = {"sum", "factor"}, reversed = {"factor", "sum"};
  graph.Add("m", op, factor_first ? reversed : inputs, {{"T", type}});
  graph.Fetch("m");
  return graph.Find();
}

TEST(AverageTest, ScaledSums) {
  for (const char* op : {"RealDiv", "Div"}) {
    const std::vector<AverageMatch> found = ScaledSum<float>(op, Tensor::Scalar(3.0f));
    ASSERT_EQ(found.size(), 1u) << op;
    EXPECT_EQ(found[0].scaling, AverageMatch::Scaling::kDivide);
    EXPECT_EQ(found[0].factor, 3);
    EXPECT_TRUE(ScaledSum<float>(op, Tensor::Scalar(3.0f), /*factor_first=*/true).empty()) << op;
  }
  for (bool factor_first : {false, true}) {
    const std::vector<AverageMatch> found =
        ScaledSum<float>("Mul", Tensor::Scalar(1.0f / 3), factor_first);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].scaling, AverageMatch::Scaling::kMultiply);
    EXPECT_EQ(found[0].factor, 1.0f / 3);
  }
  EXPECT_EQ(ScaledSum<double>("Mul", Tensor::Scalar(0.5)).size(), 1u);
}

TEST(AverageTest, AFactorThatIsNoScalar) {
  EXPECT_TRUE(ScaledSum<float>("Mul", Tensor::Vector<float>({0.5f})).empty());
}

// The reduction's factor is a float: a third in doubles would lose half of its digits.
TEST(AverageTest, AFactorThatNoFloatEquals) {
  EXPECT_TRUE(ScaledSum<double>("Mul", Tensor::Scalar(1.0 / 3)).empty());
}

// AddN rounds them after every addition, the reduction once.
TEST(AverageTest, SumsOfSixteenBitFloats) {
  EXPECT_TRUE(ScaledSum<Half>("Mul", Tensor::Scalar(Half(0.5f))).empty());
  EXPECT_TRUE(ScaledSum<BFloat16>("Mul", Tensor::Scalar(BFloat16(0.5f))).empty());
}

}  // namespace
}  // namespace warpbeam
