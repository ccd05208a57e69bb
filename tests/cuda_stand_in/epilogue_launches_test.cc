// How many launches a step has with what follows products and convolutions, and without: kernels
// are host functions here, products and convolutions calls of their libraries.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

struct Launches {
  int64_t products = 0, convolutions = 0, kernels = 0;
};

class EpilogueLaunches : public ::testing::Test {
 protected:
  OutputRef Add(const std::string& op, const std::string& name, std::vector<OutputRef> inputs,
                std::vector<std::pair<std::string, AttrValue>> attrs) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.device = "/gpu:0";
    for (auto& [key, value] : attrs) spec.attrs.Set(key, std::move(value));
    auto node = graph_->AddNode(std::move(spec), std::move(inputs), {});
    EXPECT_TRUE(node.ok()) << node.status();
    return {node.ok() ? (*node)->id() : 0, 0};
  }
  OutputRef Float(const std::string& op, const std::string& name, std::vector<OutputRef> inputs) {
    return Add(op, name, std::move(inputs), {{"T", DType::kFloat}});
  }
  OutputRef Ones(const std::string& name, const Shape& shape) {
    std::vector<float> ones(static_cast<size_t>(shape.num_elements()), 1.0f);
    return Add("Const", name, {},
               {{"dtype", DType::kFloat}, {"value", Tensor::FromValues<float>(shape, ones)}});
  }
  // A value that no pass folds.
  OutputRef Fed(const std::string& name) {
    return Add("Placeholder", name, {}, {{"dtype", DType::kFloat}});
  }

  // Of the first step of a session.
  Launches Of(const std::string& passes, const NamedTensors& feeds,
              const std::vector<std::string>& fetches) {
    SessionOptions options;
    options.passes = passes;
    options.gpus = 1;
    auto session = Session::Create(options, graph_);
    EXPECT_TRUE(session.ok()) << session.status();
    std::map<std::string, int64_t> before = cuda_stand_in::CallsByFunction();
    std::vector<Tensor> fetched;
    const Status status = (*session)->Run({}, feeds, fetches, {}, &fetched);
    EXPECT_TRUE(status.ok()) << status;
    std::map<std::string, int64_t> after = cuda_stand_in::CallsByFunction();
    const auto more = [&](const char* name) { return after[name] - before[name]; };
    return {more("cublasLtMatmul"), more("cudnnBackendExecute"), more("cudaLaunchHostFunc")};
  }
  // How many kernels fewer; as many products and convolutions.
  int64_t Saved(const NamedTensors& feeds, const std::vector<std::string>& fetches) {
    const Launches plain = Of("none", feeds, fetches), fused = Of("products", feeds, fetches);
    EXPECT_EQ(fused.products, plain.products);
    EXPECT_EQ(fused.convolutions, plain.convolutions);
    EXPECT_GT(fused.products + fused.convolutions, 0);
    return plain.kernels - fused.kernels;
  }
  static Tensor Values(const Shape& shape) {
    return Tensor::FromValues<float>(
        shape, std::vector<float>(static_cast<size_t>(shape.num_elements()), 2.0f));
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
};

TEST_F(EpilogueLaunches, OfADenseLayer) {
  const OutputRef product = Float("MatMul", "product", {Fed("x"), Ones("w", Shape({4, 6}))});
  const OutputRef biased = Float("BiasAdd", "biased", {product, Ones("bias", Shape({6}))});
  Float("Relu", "result", {biased});
  const NamedTensors feeds = {{"x", Values(Shape({5, 4}))}};
  EXPECT_EQ(Saved(feeds, {"result"}), 2);
  EXPECT_EQ(Saved(feeds, {"biased"}), 1);
}

// The library has no epilogue for it: the nodes run as without the pass.
TEST_F(EpilogueLaunches, OfALayerThatTheLibraryRefuses) {
  const OutputRef product = Float("MatMul", "product", {Fed("x"), Ones("w", Shape({4, 1}))});
  const OutputRef biased = Float("BiasAdd", "biased", {product, Ones("bias", Shape({1}))});
  Float("Relu", "result", {biased});
  EXPECT_EQ(Saved({{"x", Values(Shape({5, 4}))}}, {"result"}), 0);
}

TEST_F(EpilogueLaunches, OfAConvolution) {
  const OutputRef product = Add("Conv2D", "product", {Fed("x"), Ones("w", Shape({3, 3, 2, 4}))},
                                {{"T", DType::kFloat},
                                 {"strides", std::vector<int64_t>{1, 1, 1, 1}},
                                 {"padding", std::string("SAME")}});
  const OutputRef biased = Float("BiasAdd", "biased", {product, Ones("bias", Shape({4}))});
  Float("Relu", "result", {biased});
  EXPECT_EQ(Saved({{"x", Values(Shape({2, 5, 5, 2}))}}, {"result"}), 2);
  // In groups, which the library has without an epilogue only.
  EXPECT_EQ(Saved({{"x", Values(Shape({2, 5, 5, 4}))}}, {"result"}), 0);
}

TEST_F(EpilogueLaunches, OfTheGradientsOfADenseLayer) {
  const OutputRef dy = Fed("dy");
  Add("MatMul", "weights", {Ones("x", Shape({5, 4})), dy},
      {{"T", DType::kFloat}, {"transpose_a", true}});
  Float("BiasAddGrad", "bias", {dy});
  // The sums alone are two launches.
  EXPECT_EQ(Saved({{"dy", Values(Shape({5, 6}))}}, {"weights", "bias"}), 2);
}

}  // namespace
}  // namespace warpbeam
