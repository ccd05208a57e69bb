// Products and convolutions with what follows them: one node, the same bits.
#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/passes/passes_fixture.h"

namespace warpbeam {
namespace {

class ProductsTest : public PassesTest {
 protected:
  OutputRef MatMul(const std::string& name, OutputRef a, OutputRef b) {
    return Float("MatMul", name, {a, b});
  }
  OutputRef Scalar(const std::string& name, float value) {
    return Const(name, Tensor::Scalar<float>(value));
  }
  OutputRef Conv(const std::string& op, const std::string& name, OutputRef x, OutputRef filter) {
    return Add(op, name, {x, filter},
               {{"T", DType::kFloat},
                {"strides", std::vector<int64_t>{1, 1, 1, 1}},
                {"padding", std::string("SAME")}});
  }
  int64_t Nodes(const std::string& passes, const NamedTensors& feeds,
                const std::vector<std::string>& fetches) {
    const Outcome outcome = Run(passes, feeds, fetches);
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    return outcome.nodes;
  }
};

TEST_F(ProductsTest, BiasAndEveryActivation) {
  const OutputRef product =
      MatMul("product", Placeholder("a", {-1, 37}), Const("b", Ramp({37, 51}, 0.01f)));
  const OutputRef biased = Float("BiasAdd", "biased", {product, Const("bias", Ramp({51}, 0.03f))});
  for (const char* op : {"Relu", "Relu6", "LeakyRelu", "Elu", "Selu", "Softplus", "Softsign",
                         "Tanh", "Sigmoid", "Exp", "Neg", "Square", "Abs"}) {
    Float(op, op, {biased});
    const NamedTensors feeds = {{"a", Ramp({29, 37}, 0.02f)}};
    ExpectSame(feeds, {op});
    EXPECT_EQ(Nodes("none", feeds, {op}), 3) << op;
    EXPECT_EQ(Nodes("products", feeds, {op}), 1) << op;
  }
}

// Whole rows at once, rows and parts of rows, cut by columns, by rows and by depth for two threads,
// nothing.
TEST_F(ProductsTest, AllSizes) {
  const OutputRef a = Placeholder("a", {-1, -1}), b = Placeholder("b", {-1, -1});
  const OutputRef bias = Placeholder("bias", {-1});
  const OutputRef biased = Float("BiasAdd", "biased", {MatMul("product", a, b), bias});
  Float("Tanh", "result", {biased});
  const int64_t sizes[][3] = {{1, 1, 1},      {3, 4, 1},      {40, 3, 7},     {700, 5, 3},
                              {5, 3, 4500},   {64, 300, 700}, {900, 200, 60}, {200, 90, 130},
                              {60, 800, 200}, {0, 4, 5},      {3, 0, 5},      {3, 4, 0}};
  for (const auto& [m, k, n] : sizes) {
    const NamedTensors feeds = {
        {"a", Ramp({m, k}, 0.01f)}, {"b", Ramp({k, n}, 0.02f)}, {"bias", Ramp({n}, 0.03f)}};
    SCOPED_TRACE(testing::Message() << m << "x" << k << "x" << n);
    ExpectSame(feeds, {"result"});
    EXPECT_EQ(Nodes("products", feeds, {"result"}), 1);
  }
}

TEST_F(ProductsTest, VectorsAndScalarsOnEitherSide) {
  OutputRef y = MatMul("product", Placeholder("a", {6, 8}), Const("b", Ramp({8, 10}, 0.1f)));
  y = Float("AddV2", "added", {Const("v", Ramp({10}, 0.2f)), y});
  y = Float("Mul", "scaled", {y, Scalar("half", 0.5f)});
  y = Float("Sub", "from_one", {Scalar("one", 1), y});
  y = Float("Maximum", "cut", {y, Const("floor", Ramp({10}, 0.05f))});
  Float("Minimum", "result", {y, Const("ceiling", Tensor::FromValues<float>(Shape({1}), {3}))});
  const NamedTensors feeds = {{"a", Ramp({6, 8}, 0.1f)}};
  ExpectSame(feeds, {"result"});
  EXPECT_EQ(Nodes("products", feeds, {"result"}), 1);
  // A third vector is too many, and what has the result's own size is left alone.
  Float("AddV2", "third", {{graph_->Find("result")->id(), 0}, Const("w", Ramp({10}, 0.2f))});
  Float("AddV2", "whole", {{graph_->Find("result")->id(), 0}, Const("x", Ramp({6, 10}, 0.2f))});
  ExpectSame(feeds, {"third"});
  EXPECT_EQ(Nodes("products", feeds, {"third"}), 2);
  ExpectSame(feeds, {"whole"});
  EXPECT_EQ(Nodes("products", feeds, {"whole"}), 2);
}

TEST_F(ProductsTest, GradientsOfActivations) {
  const OutputRef features = Placeholder("features", {12, 20});
  const NamedTensors feeds = {{"features", Ramp({12, 20}, 0.05f)}, {"a", Ramp({12, 9}, 0.1f)}};
  const OutputRef a = Placeholder("a", {12, 9}), b = Const("b", Ramp({9, 20}, 0.1f));
  for (const char* op : {"ReluGrad", "Relu6Grad", "LeakyReluGrad", "EluGrad", "SeluGrad",
                         "SoftplusGrad", "SoftsignGrad"}) {
    Float(op, op, {MatMul(absl::StrCat(op, "/dy"), a, b), features});
    ExpectSame(feeds, {op});
    EXPECT_EQ(Nodes("products", feeds, {op}), 1) << op;
  }
  for (const char* op : {"TanhGrad", "SigmoidGrad"}) {
    Float(op, op, {features, MatMul(absl::StrCat(op, "/dy"), a, b)});
    ExpectSame(feeds, {op});
    EXPECT_EQ(Nodes("products", feeds, {op}), 1) << op;
  }
  // Features of another shape: the error of the member alone.
  const NamedTensors bad = {{"features", Ramp({12, 19}, 0.05f)}, {"a", Ramp({12, 9}, 0.1f)}};
  EXPECT_EQ(ExpectSame(bad, {"ReluGrad"}).status.code(), StatusCode::kInvalidArgument);
}

TEST_F(ProductsTest, WhateverElseLooksAtAResultKeepsItsNode) {
  const OutputRef product =
      MatMul("product", Placeholder("a", {4, 5}), Const("b", Ramp({5, 6}, 0.1f)));
  const OutputRef biased = Float("BiasAdd", "biased", {product, Const("bias", Ramp({6}, 1))});
  Float("Relu", "result", {biased});
  const NamedTensors feeds = {{"a", Ramp({4, 5}, 0.3f)}};
  const auto expect = [&](const std::vector<std::string>& fetches, int64_t nodes) {
    ExpectSame(feeds, fetches);
    EXPECT_EQ(Nodes("products", feeds, fetches), nodes);
  };
  expect({"result"}, 1);
  expect({"result", "biased"}, 2);
  expect({"product", "result"}, 3);
  // A node that reads the biased product, too; one that waits for it; one that reads it twice.
  Float("Neg", "reader", {biased});
  expect({"result", "reader"}, 3);
  Float("Neg", "waiter", {Const("c", Ramp({2}, 1))}, {biased.node});
  expect({"result", "waiter"}, 3);
  Float("Mul", "square", {biased, biased});
  expect({"square"}, 2);
  // What is fed is no result.
  NamedTensors more = feeds;
  more.emplace_back("biased", Ramp({3, 2}, 1));
  ExpectSame(more, {"result"});
  more.back() = {"product", Ramp({2, 6}, 1)};
  ExpectSame(more, {"result"});
  // What the members wait for still comes first.
  const OutputRef v = Variable("v", Ramp({4, 6}, 1));
  const OutputRef update = Float("AssignAdd", "update", {v, Const("d", Ramp({4, 6}, 1))});
  Float("Relu", "late",
        {Float("BiasAdd", "b2",
               {MatMul("p2", {graph_->Find("a")->id(), 0}, {graph_->Find("b")->id(), 0}),
                {graph_->Find("bias")->id(), 0}},
               {update.node})});
  EXPECT_EQ(Nodes("products", feeds, {"late"}), 2);
}

TEST_F(ProductsTest, ShapesThatThePlanDidNotExpect) {
  const OutputRef product =
      MatMul("product", Placeholder("a", {-1, -1}), Placeholder("b", {-1, -1}));
  Float("Relu", "biased", {Float("BiasAdd", "bias_add", {product, Placeholder("bias", {6})})});
  const OutputRef other =
      MatMul("other", {graph_->Find("a")->id(), 0}, {graph_->Find("b")->id(), 0});
  Float("Relu", "added", {Float("AddV2", "add", {other, Placeholder("v", {6})})});
  const auto feeds = [](std::vector<int64_t> b, const char* name, std::vector<int64_t> v) {
    return NamedTensors{
        {"a", Ramp({4, 5}, 0.3f)}, {"b", Ramp(std::move(b), 0.2f)}, {name, Ramp(std::move(v), 1)}};
  };
  ExpectSame(feeds({5, 6}, "bias", {6}), {"biased"});
  ExpectSame(feeds({5, 7}, "bias", {7}), {"biased"});
  const Outcome bad = ExpectSame(feeds({5, 7}, "bias", {6}), {"biased"});
  EXPECT_EQ(bad.status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(bad.status.message(), "bias_add")) << bad.status;
  EXPECT_FALSE(ExpectSame(feeds({5, 7}, "bias", {1}), {"biased"}).status.ok());
  EXPECT_FALSE(ExpectSame(feeds({5, 7}, "bias", {4, 7}), {"biased"}).status.ok());
  const Outcome inner = ExpectSame(feeds({4, 7}, "bias", {7}), {"biased"});
  EXPECT_EQ(inner.status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(inner.status.message(), "product")) << inner.status;
  // Additions broadcast whatever comes.
  ExpectSame(feeds({5, 6}, "v", {6}), {"added"});
  ExpectSame(feeds({5, 6}, "v", {1}), {"added"});
  ExpectSame(feeds({5, 6}, "v", {4, 1}), {"added"});
  ExpectSame(feeds({5, 6}, "v", {4, 6}), {"added"});
  ExpectSame(feeds({5, 1}, "v", {6}), {"added"});
  ExpectSame(feeds({5, 6}, "v", {2, 4, 6}), {"added"});
  EXPECT_FALSE(ExpectSame(feeds({5, 6}, "v", {5}), {"added"}).status.ok());
}

TEST_F(ProductsTest, OtherElementTypes) {
  for (const DType type : {DType::kDouble, DType::kHalf, DType::kBFloat16, DType::kInt32}) {
    const std::string name = DTypeName(type);
    const auto cast = [&](const std::string& what, std::vector<int64_t> dims) {
      return Add("Cast", absl::StrCat(name, "/", what),
                 {Const(absl::StrCat(name, "/", what, "/float"), Ramp(std::move(dims), 0.5f))},
                 {{"SrcT", DType::kFloat}, {"DstT", type}});
    };
    const auto of = [&](const char* op, std::vector<OutputRef> inputs) {
      return Add(op, absl::StrCat(name, "/", op), std::move(inputs), {{"T", type}});
    };
    of("Relu", {of("BiasAdd",
                   {of("MatMul", {cast("a", {9, 11}), cast("b", {11, 40})}), cast("bias", {40})})});
    ExpectSame({}, {name + "/Relu"});
    EXPECT_EQ(Nodes("none", {}, {name + "/Relu"}) - Nodes("products", {}, {name + "/Relu"}), 2);
  }
}

TEST_F(ProductsTest, Convolutions) {
  const OutputRef x = Placeholder("x", {-1, -1, -1, 3});
  const OutputRef bias = Const("bias", Ramp({6}, 0.3f));
  OutputRef y = Conv("Conv2D", "conv", x, Const("filter", Ramp({3, 3, 3, 6}, 0.01f)));
  Float("Relu", "standard", {Float("BiasAdd", "conv/bias", {y, bias})});
  y = Conv("DepthwiseConv2dNative", "depthwise", x, Const("depth", Ramp({3, 3, 3, 2}, 0.01f)));
  Float("Relu6", "separable", {Float("AddV2", "depthwise/add", {y, bias})});
  for (const std::vector<int64_t>& dims :
       {std::vector<int64_t>{1, 1, 1, 3}, {5, 9, 7, 3}, {8, 40, 40, 3}, {0, 4, 4, 3}}) {
    for (const char* fetch : {"standard", "separable"}) {
      const NamedTensors feeds = {{"x", Ramp(dims, 0.02f)}};
      ExpectSame(feeds, {fetch});
      EXPECT_EQ(Nodes("none", feeds, {fetch}), 3);
      EXPECT_EQ(Nodes("products", feeds, {fetch}), 1);
    }
  }
}

// A bias that is read after an update in the same step: the product does not take it along.
TEST_F(ProductsTest, LateReadingsStayLate) {
  const OutputRef w = Variable("w", Ramp({5, 6}, 0.1f)), b = Variable("b", Ramp({6}, 0.1f));
  const OutputRef w_read = Float("Identity", "w/read", {w}),
                  b_read = Float("Identity", "b/read", {b});
  const OutputRef update = Float("AssignAdd", "update", {b, Const("d", Ramp({6}, 1))});
  const OutputRef biased =
      Float("BiasAdd", "biased", {MatMul("p", Const("a", Ramp({4, 5}, 1)), w_read), b_read},
            {update.node});
  Float("Relu", "result", {biased});
  ExpectSame({}, {"result"}, {}, 3);
}

}  // namespace
}  // namespace warpbeam
