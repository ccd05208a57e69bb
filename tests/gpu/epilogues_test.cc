// What follows products and convolutions on a GPU is computed with them, in one launch, and gives
// what the nodes give alone: on the machine's GPU, and where there is none on a simulated one that
// runs the kernels written for GPUs.
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "graph/graph.h"
#include "gtest/gtest.h"
#include "ops/launch/op_runner.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/kernel/product/tensor_float_32.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

constexpr DType kTypes[] = {DType::kFloat, DType::kHalf, DType::kBFloat16};

bool HasRealGpu() {
  const GpuPlatform* const gpus = RegisteredGpuPlatform();
  return gpus != nullptr && gpus->count().value_or(0) > 0;
}

// Small whole numbers, some of them negative: sums are exact in every type.
Tensor Numbers(const Shape& shape, DType dtype, int seed) {
  std::vector<double> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int>((i * 7 + static_cast<size_t>(seed)) % 5) - 2;
  }
  auto cast = OpRunner("Cast")
                  .Attr("DstT", dtype)
                  .Input(Tensor::FromValues<double>(shape, values))
                  .RunOne();
  EXPECT_TRUE(cast.ok()) << cast.status();
  return cast.ok() ? *cast : Tensor();
}

struct Outcome {
  Status status;
  std::vector<Tensor> fetched;
  int64_t nodes = 0;
};

class EpiloguesTest : public ::testing::Test {
 protected:
  void SetUp() override { SetTensorFloat32(false); }
  void TearDown() override { SetTensorFloat32(true); }

  OutputRef Add(const std::string& op, const std::string& name, std::vector<OutputRef> inputs,
                std::vector<std::pair<std::string, AttrValue>> attrs = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.device = "/gpu:0";
    for (auto& [key, value] : attrs) spec.attrs.Set(key, std::move(value));
    auto node = graph_->AddNode(std::move(spec), std::move(inputs), {});
    EXPECT_TRUE(node.ok()) << node.status();
    return {node.ok() ? (*node)->id() : 0, 0};
  }
  OutputRef Typed(const std::string& op, const std::string& name, std::vector<OutputRef> inputs,
                  DType dtype) {
    return Add(op, name, std::move(inputs), {{"T", dtype}});
  }
  OutputRef Placeholder(const std::string& name, DType dtype) {
    return Add("Placeholder", name, {}, {{"dtype", dtype}});
  }
  OutputRef MatMul(const std::string& name, OutputRef a, OutputRef b, DType dtype,
                   bool transpose_a = false, bool transpose_b = false) {
    return Add("MatMul", name, {a, b},
               {{"T", dtype}, {"transpose_a", transpose_a}, {"transpose_b", transpose_b}});
  }
  void Clear() { graph_ = std::make_shared<Graph>(); }

  Outcome Run(const std::string& passes, const NamedTensors& feeds,
              const std::vector<std::string>& fetches) {
    SessionOptions options;
    options.passes = passes;
    options.gpus = HasRealGpu() ? 1 : 0;
    if (!HasRealGpu()) {
      options.simulated_gpus = 1;
      options.simulated_gpus_enqueue = options.simulated_gpu_kernels = true;
    }
    auto session = Session::Create(options, graph_);
    EXPECT_TRUE(session.ok()) << session.status();
    Outcome outcome;
    // What is planned, recorded and played again.
    for (int step = 0; step < 3 && outcome.status.ok(); ++step) {
      RunMetadata metadata;
      outcome.status = (*session)->Run({}, feeds, fetches, {}, &outcome.fetched, &metadata);
      outcome.nodes = metadata.nodes_executed;
    }
    return outcome;
  }

  // The same bits; how many nodes fewer there are.
  int64_t Saved(const NamedTensors& feeds, const std::vector<std::string>& fetches) {
    const Outcome plain = Run("none", feeds, fetches), fused = Run("products", feeds, fetches);
    EXPECT_TRUE(plain.status.ok()) << plain.status;
    EXPECT_TRUE(fused.status.ok()) << fused.status;
    if (!plain.status.ok() || !fused.status.ok()) return -1;
    for (size_t i = 0; i < fetches.size(); ++i) {
      const Tensor &want = plain.fetched[i], &got = fused.fetched[i];
      EXPECT_EQ(got.shape(), want.shape()) << fetches[i];
      if (got.shape() != want.shape()) return -1;
      EXPECT_EQ(memcmp(got.raw_data(), want.raw_data(), want.bytes()), 0) << fetches[i];
    }
    return plain.nodes - fused.nodes;
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
};

// Transpositions, sizes of one row and one column, and nothing.
TEST_F(EpiloguesTest, BiasAndReluBehindAMatMul) {
  struct Size {
    int64_t m, n, k;
  };
  for (const DType dtype : kTypes) {
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        Clear();
        const OutputRef product =
            MatMul("product", Placeholder("a", dtype), Placeholder("b", dtype), dtype, ta, tb);
        const OutputRef biased =
            Typed("BiasAdd", "biased", {product, Placeholder("bias", dtype)}, dtype);
        Typed("Relu", "result", {biased}, dtype);
        for (const Size s : {Size{5, 7, 3}, Size{33, 16, 20}, Size{1, 8, 4}, Size{6, 1, 4},
                             Size{0, 3, 2}, Size{3, 4, 0}}) {
          SCOPED_TRACE(testing::Message()
                       << DTypeName(dtype) << ta << tb << ", " << s.m << "x" << s.n << "x" << s.k);
          const NamedTensors feeds = {
              {"a", Numbers(ta ? Shape({s.k, s.m}) : Shape({s.m, s.k}), dtype, 1)},
              {"b", Numbers(tb ? Shape({s.n, s.k}) : Shape({s.k, s.n}), dtype, 2)},
              {"bias", Numbers(Shape({s.n}), dtype, 3)}};
          EXPECT_EQ(Saved(feeds, {"result"}), 2);
          EXPECT_EQ(Saved(feeds, {"biased"}), 1);
        }
      }
    }
  }
}

TEST_F(EpiloguesTest, WhoeverElseLooksAtAResultIsGivenIt) {
  const OutputRef product = MatMul("product", Placeholder("a", DType::kFloat),
                                   Placeholder("b", DType::kFloat), DType::kFloat);
  const OutputRef biased =
      Typed("BiasAdd", "biased", {product, Placeholder("bias", DType::kFloat)}, DType::kFloat);
  Typed("Relu", "result", {biased}, DType::kFloat);
  Typed("Neg", "reader", {biased}, DType::kFloat);
  Typed("Neg", "early_reader", {product}, DType::kFloat);
  const NamedTensors feeds = {{"a", Numbers(Shape({4, 5}), DType::kFloat, 1)},
                              {"b", Numbers(Shape({5, 6}), DType::kFloat, 2)},
                              {"bias", Numbers(Shape({6}), DType::kFloat, 3)}};
  EXPECT_EQ(Saved(feeds, {"result"}), 2);
  EXPECT_EQ(Saved(feeds, {"result", "biased"}), 1);
  EXPECT_EQ(Saved(feeds, {"result", "reader"}), 1);
  EXPECT_EQ(Saved(feeds, {"result", "product"}), 0);
  EXPECT_EQ(Saved(feeds, {"result", "early_reader"}), 0);
  NamedTensors fed = feeds;
  fed.emplace_back("biased", Numbers(Shape({2, 2}), DType::kFloat, 4));
  EXPECT_EQ(Saved(fed, {"result"}), 0);
}

TEST_F(EpiloguesTest, OtherChainsStayAsTheyAre) {
  // Doubles; a bias that is the product itself; an activation that libraries lack.
  const OutputRef a = Placeholder("a", DType::kDouble), b = Placeholder("b", DType::kDouble);
  Typed("BiasAdd", "doubles",
        {MatMul("of_doubles", a, b, DType::kDouble), Placeholder("c", DType::kDouble)},
        DType::kDouble);
  EXPECT_EQ(Saved({{"a", Numbers(Shape({4, 5}), DType::kDouble, 1)},
                   {"b", Numbers(Shape({5, 6}), DType::kDouble, 2)},
                   {"c", Numbers(Shape({6}), DType::kDouble, 3)}},
                  {"doubles"}),
            0);
  Clear();
  const OutputRef product = MatMul("product", Placeholder("a", DType::kFloat),
                                   Placeholder("b", DType::kFloat), DType::kFloat);
  const OutputRef biased =
      Typed("BiasAdd", "biased", {product, Placeholder("c", DType::kFloat)}, DType::kFloat);
  Typed("Relu6", "result", {biased}, DType::kFloat);
  EXPECT_EQ(Saved({{"a", Numbers(Shape({4, 5}), DType::kFloat, 1)},
                   {"b", Numbers(Shape({5, 6}), DType::kFloat, 2)},
                   {"c", Numbers(Shape({6}), DType::kFloat, 3)}},
                  {"result"}),
            1);
}

// What is refused is refused as by the node alone, with its name.
TEST_F(EpiloguesTest, RefusesWhatTheNodesRefuse) {
  const OutputRef product = MatMul("product", Placeholder("a", DType::kFloat),
                                   Placeholder("b", DType::kFloat), DType::kFloat);
  const OutputRef biased =
      Typed("BiasAdd", "biased", {product, Placeholder("bias", DType::kFloat)}, DType::kFloat);
  Typed("Relu", "result", {biased}, DType::kFloat);
  const Tensor a = Numbers(Shape({4, 5}), DType::kFloat, 1);
  const Tensor bias = Numbers(Shape({6}), DType::kFloat, 3);
  const auto expect = [&](const NamedTensors& feeds, const std::string& member) {
    const Status plain = Run("none", feeds, {"result"}).status;
    const Status fused = Run("products", feeds, {"result"}).status;
    EXPECT_EQ(plain.code(), StatusCode::kInvalidArgument) << plain;
    EXPECT_EQ(fused.code(), StatusCode::kInvalidArgument) << fused;
    EXPECT_TRUE(absl::StrContains(fused.message(), "node '" + member + "', fused")) << fused;
  };
  expect({{"a", a}, {"b", Numbers(Shape({4, 6}), DType::kFloat, 2)}, {"bias", bias}}, "product");
  expect({{"a", a}, {"b", Numbers(Shape({5, 7}), DType::kFloat, 2)}, {"bias", bias}}, "biased");
}

// Images with channels last and first, in groups and not.
TEST_F(EpiloguesTest, BiasAndReluBehindAConvolution) {
  struct Problem {
    int64_t channels, group_inputs, outputs, stride;
  };
  for (const DType dtype : kTypes) {
    for (const Problem& p : {Problem{3, 3, 4, 1}, Problem{8, 8, 16, 2}, Problem{4, 2, 6, 1}}) {
      for (const bool first : {false, true}) {
        SCOPED_TRACE(testing::Message() << DTypeName(dtype) << p.channels << first);
        Clear();
        const std::string format = first ? "NCHW" : "NHWC";
        const std::vector<int64_t> strides = first ? std::vector<int64_t>{1, 1, p.stride, p.stride}
                                                   : std::vector<int64_t>{1, p.stride, p.stride, 1};
        const OutputRef product =
            Add("Conv2D", "product", {Placeholder("x", dtype), Placeholder("filter", dtype)},
                {{"T", dtype},
                 {"strides", strides},
                 {"padding", std::string("SAME")},
                 {"data_format", format}});
        const OutputRef biased = Add("BiasAdd", "biased", {product, Placeholder("bias", dtype)},
                                     {{"T", dtype}, {"data_format", format}});
        Typed("Relu", "result", {biased}, dtype);
        NamedTensors feeds = {
            {"x", Numbers(first ? Shape({2, p.channels, 5, 6}) : Shape({2, 5, 6, p.channels}),
                          dtype, 1)},
            {"filter", Numbers(Shape({3, 2, p.group_inputs, p.outputs}), dtype, 2)},
            {"bias", Numbers(Shape({p.outputs}), dtype, 3)}};
        EXPECT_EQ(Saved(feeds, {"result"}), 2);
        EXPECT_EQ(Saved(feeds, {"biased"}), 1);
        EXPECT_EQ(Saved(feeds, {"result", "product"}), 0);
        feeds[0].second =
            Numbers(first ? Shape({0, p.channels, 5, 6}) : Shape({0, 5, 6, p.channels}), dtype, 1);
        EXPECT_EQ(Saved(feeds, {"result"}), 2);
      }
    }
  }
}

TEST_F(EpiloguesTest, ABiasAlongAnotherDimensionIsLeftAlone) {
  const OutputRef product = Add(
      "Conv2D", "product", {Placeholder("x", DType::kFloat), Placeholder("filter", DType::kFloat)},
      {{"T", DType::kFloat},
       {"strides", std::vector<int64_t>{1, 1, 1, 1}},
       {"padding", std::string("SAME")}});
  Add("BiasAdd", "biased", {product, Placeholder("bias", DType::kFloat)},
      {{"T", DType::kFloat}, {"data_format", std::string("NCHW")}});
  EXPECT_EQ(Saved({{"x", Numbers(Shape({2, 4, 4, 4}), DType::kFloat, 1)},
                   {"filter", Numbers(Shape({2, 2, 4, 4}), DType::kFloat, 2)},
                   {"bias", Numbers(Shape({4}), DType::kFloat, 3)}},
                  {"biased"}),
            0);
}

// The gradients of a dense layer: of the weights, as they are or transposed, and of the bias.
TEST_F(EpiloguesTest, ABiasGradientBesideThatOfTheWeights) {
  for (const DType dtype : kTypes) {
    for (const bool is_first : {false, true}) {
      Clear();
      const OutputRef x = Placeholder("x", dtype), dy = Placeholder("dy", dtype);
      if (is_first) {
        MatMul("weights", dy, x, dtype, true, false);
      } else {
        MatMul("weights", x, dy, dtype, true, false);
      }
      const OutputRef bias = Typed("BiasAddGrad", "bias", {dy}, dtype);
      Typed("Neg", "reader", {bias}, dtype);
      for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{6, 5}, {20, 1}, {0, 3}}) {
        SCOPED_TRACE(testing::Message() << DTypeName(dtype) << is_first << rows << "x" << columns);
        const NamedTensors feeds = {{"x", Numbers(Shape({rows, 4}), dtype, 1)},
                                    {"dy", Numbers(Shape({rows, columns}), dtype, 2)}};
        EXPECT_EQ(Saved(feeds, {"weights", "bias"}), 1);
        EXPECT_EQ(Saved(feeds, {"weights", "reader"}), 1);
        EXPECT_EQ(Saved(feeds, {"bias"}), 0);
        EXPECT_EQ(Saved(feeds, {"weights"}), 0);
      }
    }
  }
}

// A product that adds up something else is no partner, and one product has one.
TEST_F(EpiloguesTest, BiasGradientsThatStayAlone) {
  const OutputRef x = Placeholder("x", DType::kFloat), dy = Placeholder("dy", DType::kFloat);
  const OutputRef w = Placeholder("w", DType::kFloat);
  MatMul("input", dy, w, DType::kFloat, false, true);
  MatMul("weights", x, dy, DType::kFloat, true, false);
  Typed("BiasAddGrad", "bias", {dy}, DType::kFloat);
  Typed("BiasAddGrad", "again", {dy}, DType::kFloat);
  const NamedTensors feeds = {{"x", Numbers(Shape({6, 4}), DType::kFloat, 1)},
                              {"dy", Numbers(Shape({6, 5}), DType::kFloat, 2)},
                              {"w", Numbers(Shape({3, 5}), DType::kFloat, 3)}};
  EXPECT_EQ(Saved(feeds, {"input", "bias"}), 0);
  EXPECT_EQ(Saved(feeds, {"input", "weights", "bias", "again"}), 1);
}

// A path from one of a pair to the other: they would wait for each other.
TEST_F(EpiloguesTest, BiasGradientsThatTheProductNeeds) {
  const OutputRef dy = Placeholder("dy", DType::kFloat);
  const OutputRef bias = Typed("BiasAddGrad", "bias", {dy}, DType::kFloat);
  const OutputRef x = Typed("AddV2", "x", {Placeholder("z", DType::kFloat), bias}, DType::kFloat);
  MatMul("weights", x, dy, DType::kFloat, true, false);
  EXPECT_EQ(Saved({{"dy", Numbers(Shape({6, 5}), DType::kFloat, 1)},
                   {"z", Numbers(Shape({6, 5}), DType::kFloat, 2)}},
                  {"weights", "bias"}),
            0);
}

}  // namespace
}  // namespace warpbeam
