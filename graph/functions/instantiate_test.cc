#include "graph/functions/instantiate.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class InstantiateTest : public ::testing::Test {
 protected:
  InstantiateTest() {
    EXPECT_TRUE(RegisterFunctionOps(&ops_).ok());
    Register(
        OpSchemaBuilder("Mul").Input("x: T").Input("y: T").Output("z: T").Attr("T: type").Shape(
            shapes::BroadcastBinary));
    Register(OpSchemaBuilder("Split")
                 .Input("value: T")
                 .Output("output: num * T")
                 .Output("rest: T")
                 .Attr("num: int")
                 .Attr("T: type"));
    Register(OpSchemaBuilder("AddN")
                 .Input("inputs: N * T")
                 .Output("sum: T")
                 .Attr("N: int")
                 .Attr("T: type"));
    Register(OpSchemaBuilder("Print").Input("x: float").Stateful());
    Register(OpSchemaBuilder("Call").Input("x: T").Output("y: T").Attr("T: type").Attr("f: func"));
    Register(OpSchemaBuilder("Merge")
                 .Role(OpRole::kMerge)
                 .Input("inputs: N * T")
                 .Output("output: T")
                 .Attr("N: int")
                 .Attr("T: type"));
    Register(OpSchemaBuilder("NextIteration")
                 .Role(OpRole::kNextIteration)
                 .Input("data: T")
                 .Output("output: T")
                 .Attr("T: type"));
  }
  void Register(const OpSchemaBuilder& builder) { ASSERT_TRUE(ops_.Register(builder).ok()); }

  static NodeSpec Spec(std::string name, std::string op, std::vector<std::string> inputs,
                       std::vector<std::pair<std::string, AttrValue>> attrs = {}) {
    NodeSpec spec;
    spec.name = std::move(name);
    spec.op = std::move(op);
    spec.inputs = std::move(inputs);
    for (auto& attr : attrs) spec.attrs.Set(attr.first, attr.second);
    return spec;
  }
  static AttrValue T() { return AttrValue::Placeholder("T"); }

  std::shared_ptr<Function> Square() {
    auto f = std::make_shared<Function>();
    f->signature = *OpSchemaBuilder("square").Input("x: T").Output("y: T").Attr("T: type").Build();
    f->nodes = {Spec("mul", "Mul", {"x", "x"}, {{"T", T()}})};
    f->returns = {{"y", "mul:z:0"}};
    return f;
  }
  StatusOr<InstantiatedFunction> Instantiate(std::shared_ptr<const Function> f,
                                             AttrMap attrs = {}) {
    FunctionLibrary library;
    EXPECT_TRUE(library.Add(f).ok());
    return InstantiateFunction(library, {f->signature.name, std::move(attrs)}, ops_, options_);
  }
  std::string Error(std::shared_ptr<const Function> f, AttrMap attrs = {}) {
    StatusOr<InstantiatedFunction> body = Instantiate(std::move(f), std::move(attrs));
    EXPECT_FALSE(body.ok());
    return std::string(body.status().message());
  }
  static AttrMap FloatT() {
    AttrMap attrs;
    attrs.Set("T", DType::kFloat);
    return attrs;
  }

  OpRegistry ops_;
  InstantiateOptions options_;
};

TEST_F(InstantiateTest, ArgumentsResultsAndPlaceholders) {
  options_.arg_shapes = {{2, 3}};
  StatusOr<InstantiatedFunction> body = Instantiate(Square(), FloatT());
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_THAT(body->arg_types, ElementsAre(DType::kFloat));
  EXPECT_THAT(body->result_types, ElementsAre(DType::kFloat));
  const Graph& g = *body->graph;
  EXPECT_EQ(g.node(body->args[0]).op_name(), "_Arg");
  EXPECT_EQ(g.node(body->args[0]).name(), "x");
  const OutputRef y = body->results[0];
  EXPECT_EQ(g.node(y.node).name(), "mul");
  EXPECT_EQ(g.node(y.node).output_shape(0).ToString(), "[2,3]");
  EXPECT_TRUE(body->effects.empty());
}

TEST_F(InstantiateTest, MissingAttributes) {
  EXPECT_THAT(Error(Square()), AllOf(HasSubstr("function 'square'"), HasSubstr("'T'")));
  auto f = Square();
  f->nodes[0].attrs.Set("T", AttrValue::Placeholder("U"));
  EXPECT_THAT(Error(f, FloatT()), AllOf(HasSubstr("'mul'"), HasSubstr("$U")));
}

TEST_F(InstantiateTest, Lists) {
  auto f = std::make_shared<Function>();
  f->signature = *OpSchemaBuilder("lists")
                      .Input("xs: N * float")
                      .Input("last: float")
                      .Output("parts: M * float")
                      .Output("one: float")
                      .Attr("N: int")
                      .Attr("M: int")
                      .Build();
  f->nodes = {Spec("sum", "AddN", {"xs", "xs:1", "last"}, {{"N", 4}, {"T", DType::kFloat}}),
              Spec("split", "Split", {"sum:sum:0"}, {{"num", 2}, {"T", DType::kFloat}})};
  f->returns = {{"parts", "split:output"}, {"one", "split:rest:0"}};
  AttrMap attrs;
  attrs.Set("N", 2);
  attrs.Set("M", 2);
  StatusOr<InstantiatedFunction> body = Instantiate(f, attrs);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(body->args.size(), 3);
  EXPECT_EQ(body->results.size(), 3);
  const Graph& g = *body->graph;
  const Node& sum = *g.Find("sum");
  EXPECT_THAT(sum.inputs(), ElementsAre(OutputRef{body->args[0], 0}, OutputRef{body->args[1], 0},
                                        OutputRef{body->args[1], 0}, OutputRef{body->args[2], 0}));
  EXPECT_EQ(body->results[1].index, 1);
  EXPECT_EQ(body->results[2].index, 2);
  attrs.Set("M", 3);
  EXPECT_THAT(Error(f, attrs), HasSubstr("is 3 tensors"));
}

TEST_F(InstantiateTest, FaultsInTheBody) {
  auto f = Square();
  f->nodes[0].inputs = {"x", "zz"};
  EXPECT_THAT(Error(f, FloatT()), AllOf(HasSubstr("'mul'"), HasSubstr("input 'zz'")));
  f = Square();
  f->returns = {{"y", "absent:z:0"}};
  EXPECT_THAT(Error(f, FloatT()), AllOf(HasSubstr("result 'y'"), HasSubstr("'absent:z:0'")));
  f = Square();
  f->returns.clear();
  EXPECT_THAT(Error(f, FloatT()), HasSubstr("returned by no node"));
  f = Square();
  f->nodes.push_back(Spec("x", "Mul", {"x", "x"}, {{"T", T()}}));
  EXPECT_THAT(Error(f, FloatT()), HasSubstr("has this name"));
  f = Square();
  f->nodes[0].inputs = {"x", "mul:z:1"};
  EXPECT_THAT(Error(f, FloatT()), HasSubstr("has 1 tensors"));
  f = Square();
  f->nodes.push_back(Spec("one_more", "_Arg", {}, {{"T", DType::kFloat}, {"index", int64_t{7}}}));
  EXPECT_THAT(Error(f, FloatT()), AllOf(HasSubstr("'one_more'"), HasSubstr("'_Arg' cannot")));
  f = Square();
  f->nodes[0].op = "";
  EXPECT_THAT(Error(f, FloatT()), AllOf(HasSubstr("'mul'"), HasSubstr("names no op")));
  f = Square();
  f->nodes[0].op = "Nope";
  StatusOr<InstantiatedFunction> unknown = Instantiate(f, FloatT());
  EXPECT_TRUE(IsNotFound(unknown.status())) << unknown.status();
  f = Square();
  f->signature.outputs[0].type_attr = "";
  f->signature.outputs[0].type = DType::kInt32;
  EXPECT_THAT(Error(f, FloatT()), HasSubstr("expected int32"));
}

TEST_F(InstantiateTest, UnknownFunction) {
  StatusOr<InstantiatedFunction> body =
      InstantiateFunction(FunctionLibrary(), {"absent", {}}, ops_);
  EXPECT_TRUE(IsInvalidArgument(body.status()));
  EXPECT_THAT(std::string(body.status().message()), HasSubstr("'absent'"));
}

TEST_F(InstantiateTest, APrimitiveOpIsAFunction) {
  StatusOr<InstantiatedFunction> body =
      InstantiateFunction(FunctionLibrary(), {"Mul", FloatT()}, ops_);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(body->args.size(), 2);
  EXPECT_EQ(body->graph->node(body->results[0].node).op_name(), "Mul");
}

TEST_F(InstantiateTest, ButNotTheOpsThatStandForArgumentsAndResults) {
  for (const char* op : {"_Arg", "_Retval"}) {
    AttrMap attrs = FloatT();
    attrs.Set("index", int64_t{7});
    const Status status = InstantiateFunction(FunctionLibrary(), {op, attrs}, ops_).status();
    EXPECT_TRUE(IsInvalidArgument(status)) << op << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("cannot be used in a function's body"));
  }
}

TEST_F(InstantiateTest, ControlResultsAndSideEffects) {
  auto f = std::make_shared<Function>();
  f->signature = *OpSchemaBuilder("effects").Input("x: float").ControlOutput("done").Build();
  f->nodes = {Spec("print", "Print", {"x"}), Spec("after", "Print", {"x", "^print"})};
  f->control_returns = {{"done", "after"}};
  StatusOr<InstantiatedFunction> body = Instantiate(f);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_THAT(body->control_results, ElementsAre(body->graph->Find("after")->id()));
  EXPECT_EQ(body->effects.size(), 2);
  f = std::make_shared<Function>(*f);
  f->control_returns = {{"done", "nothing"}};
  EXPECT_THAT(Error(f), HasSubstr("'nothing'"));
}

TEST_F(InstantiateTest, FunctionsCalledAsOpsAndNestedPlaceholders) {
  auto outer = std::make_shared<Function>();
  outer->signature = *OpSchemaBuilder("outer").Input("x: T").Output("y: T").Attr("T: type").Build();
  FunctionRef square{"square", {}};
  square.attrs.Set("T", T());
  outer->nodes = {Spec("direct", "square", {"x"}, {{"T", T()}}),
                  Spec("through", "Call", {"direct:y:0"}, {{"T", T()}, {"f", square}})};
  outer->returns = {{"y", "through:y:0"}};
  FunctionLibrary library;
  ASSERT_TRUE(library.Add(Square()).ok());
  ASSERT_TRUE(library.Add(outer).ok());
  StatusOr<InstantiatedFunction> body = InstantiateFunction(library, {"outer", FloatT()}, ops_);
  ASSERT_TRUE(body.ok()) << body.status();
  const Node& through = *body->graph->Find("through");
  EXPECT_EQ(through.attrs().Find("f")->func().attrs.Find("T")->type(), DType::kFloat);
  EXPECT_EQ(body->graph->Find("direct")->op_name(), "square");
}

TEST_F(InstantiateTest, LoopsInBodies) {
  auto f = std::make_shared<Function>();
  f->signature = *OpSchemaBuilder("loop").Input("x: float").Output("y: float").Build();
  const AttrValue t = DType::kFloat;
  f->nodes = {Spec("m", "Merge", {"x", "next:output:0"}, {{"N", 2}, {"T", t}}),
              Spec("next", "NextIteration", {"m:output:0"}, {{"T", t}})};
  f->returns = {{"y", "m:output:0"}};
  StatusOr<InstantiatedFunction> body = Instantiate(f);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(body->graph->Find("m")->input(1).node, body->graph->Find("next")->id());
}

TEST_F(InstantiateTest, ThereAndBack) {
  auto f = Square();
  f->nodes.push_back(Spec("split", "Split", {"mul:z:0", "^mul"}, {{"num", 2}, {"T", T()}}));
  f->returns = {{"y", "split:output:1"}};
  StatusOr<InstantiatedFunction> body = Instantiate(f, FloatT());
  ASSERT_TRUE(body.ok()) << body.status();
  StatusOr<std::shared_ptr<const Function>> back = FunctionFromGraph(*body->graph, "again");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ((*back)->returns[0].second, "split:output:1");
  EXPECT_THAT((*back)->nodes[1].inputs, ElementsAre("mul:z:0", "^mul"));
  StatusOr<InstantiatedFunction> second = Instantiate(*back);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->graph->num_nodes(), body->graph->num_nodes());
}

TEST_F(InstantiateTest, ArgumentAttributes) {
  auto f = std::make_shared<Function>();
  f->signature = *OpSchemaBuilder("reads").Input("v: resource").Output("y: resource").Build();
  f->returns = {{"y", "v"}};
  options_.arg_handles = {{{DType::kFloat, PartialShape({4})}}};
  StatusOr<InstantiatedFunction> body = Instantiate(f);
  ASSERT_TRUE(body.ok()) << body.status();
  const Node& arg = body->graph->node(body->args[0]);
  ASSERT_EQ(arg.output_handle(0).size(), 1);
  EXPECT_EQ(arg.output_handle(0)[0].shape.ToString(), "[4]");
}

}  // namespace
}  // namespace warpbeam
