// Kernels that have much to do, in steps that are late: they end when they are told to, so that no
// step is left behind.
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "graph/types/span.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Nodes for a graph; an error is a failure of the test.
class Nodes {
 public:
  explicit Nodes(Graph* graph) : graph_(graph) {}

  OutputRef Op(const char* op, std::vector<NodeInput> inputs,
               std::vector<std::pair<const char*, AttrValue>> attrs = {}) {
    NodeBuilder builder(graph_, op);
    for (NodeInput& in : inputs) builder.Input(std::move(in));
    for (auto& [name, value] : attrs) builder.Attr(name, std::move(value));
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  template <typename T>
  OutputRef Scalar(T value) {
    return Constant(Tensor::Scalar<T>(value));
  }
  template <typename T>
  OutputRef Vector(std::vector<T> values) {
    return Constant(Tensor::Vector<T>(MakeConstSpan(values)));
  }
  OutputRef Shape(std::vector<int32_t> dims) { return Vector<int32_t>(std::move(dims)); }
  OutputRef Uniform(std::vector<int32_t> dims) {
    return Op("RandomUniform", {Shape(std::move(dims))}, {{"dtype", DType::kFloat}});
  }
  template <typename T>
  OutputRef Fill(std::vector<int32_t> dims, T value) {
    return Op("Fill", {Shape(std::move(dims)), Scalar<T>(value)});
  }
  OutputRef Range(int64_t limit) {
    return Op("Range", {Scalar<int64_t>(0), Scalar<int64_t>(limit), Scalar<int64_t>(1)});
  }

 private:
  OutputRef Constant(Tensor value) {
    return {(*AddConstant(graph_, "c", std::move(value)))->id(), 0};
  }

  Graph* const graph_;
};

struct Work {
  const char* name;
  OutputRef (*build)(Nodes& n);
};
void PrintTo(const Work& work, std::ostream* os) { *os << work.name; }

const Work kWork[] = {
    {"RandomPoisson",
     [](Nodes& n) {
       return n.Op("RandomPoissonV2", {n.Shape({8}), n.Scalar(1e38)});
     }},
    {"RandomPoissonWhileFolded",
     [](Nodes& n) {
       return n.Op("StatelessRandomPoisson", {n.Shape({8}), n.Shape({1, 2}), n.Scalar(1e38f)},
                   {{"dtype", DType::kInt64}});
     }},
    {"Multinomial",
     [](Nodes& n) {
       return n.Op("Multinomial", {n.Uniform({1, 1000}), n.Scalar<int32_t>(100'000'000)},
                   {{"output_dtype", DType::kInt32}});
     }},
    {"CandidateSampler",
     [](Nodes& n) {
       // All classes but the first would have to be drawn, each once in thousands of millions.
       std::vector<float> unigrams(1000, 1e-30f);
       unigrams[0] = 1;
       return n.Op("FixedUnigramCandidateSampler", {n.Fill<int64_t>({1, 1}, 0)},
                   {{"num_true", int64_t{1}},
                    {"num_sampled", int64_t{1000}},
                    {"unique", true},
                    {"range_max", int64_t{1000}},
                    {"unigrams", unigrams}});
     }},
    {"MatrixExponential",
     [](Nodes& n) {
       return n.Op("MatrixExponential", {n.Uniform({3000, 64, 64})});
     }},
    {"Svd",
     [](Nodes& n) {
       return n.Op("Svd", {n.Uniform({4000, 64, 64})});
     }},
    {"Rfft",
     [](Nodes& n) {
       return n.Op("RFFT", {n.Uniform({400, 65'537}), n.Shape({65'537})});
     }},
    {"DrawBoundingBoxes",
     [](Nodes& n) {
       const OutputRef box =
           n.Op("Reshape", {n.Vector<float>({0.1f, 0.1f, 0.9f, 0.9f}), n.Shape({1, 1, 4})});
       return n.Op("DrawBoundingBoxes", {n.Uniform({1, 2000, 2000, 3}),
                                         n.Op("Tile", {box, n.Shape({1, 1'000'000, 1})})});
     }},
    {"NonMaxSuppression",
     [](Nodes& n) {
       return n.Op("NonMaxSuppression",
                   {n.Fill({400'000, 4}, 0.0f), n.Uniform({400'000}), n.Scalar<int32_t>(400'000)});
     }},
    {"EditDistance",
     [](Nodes& n) {
       const OutputRef values = n.Range(300'000), row = n.Fill<int64_t>({300'000}, 0);
       const OutputRef indices = n.Op("Pack", {NodeInput({row, values})}, {{"axis", int64_t{1}}});
       const OutputRef shape = n.Vector<int64_t>({1, 300'000});
       return n.Op("EditDistance", {indices, values, shape, indices, values, shape});
     }},
    {"CtcBeamSearch",
     [](Nodes& n) {
       return n.Op("CTCBeamSearchDecoder", {n.Uniform({100, 1, 5000}), n.Vector<int32_t>({100})},
                   {{"beam_width", int64_t{2000}}, {"top_paths", int64_t{1}}});
     }},
    {"Dilation",
     [](Nodes& n) {
       const std::vector<int64_t> ones = {1, 1, 1, 1};
       return n.Op("Dilation2D", {n.Uniform({1, 600, 600, 1}), n.Uniform({300, 300, 1})},
                   {{"strides", ones}, {"rates", ones}, {"padding", std::string("SAME")}});
     }},
    {"MaxPool",
     [](Nodes& n) {
       return n.Op("MaxPool", {n.Uniform({1, 1200, 1200, 1})},
                   {{"ksize", std::vector<int64_t>{1, 400, 400, 1}},
                    {"strides", std::vector<int64_t>{1, 1, 1, 1}},
                    {"padding", std::string("SAME")}});
     }},
};

class CancelledKernels : public ::testing::TestWithParam<Work> {};

TEST_P(CancelledKernels, End) {
  auto graph = std::make_shared<Graph>();
  Nodes nodes(graph.get());
  const OutputRef fetch = GetParam().build(nodes);
  ASSERT_FALSE(HasFailure());
  const std::string name = graph->node(fetch.node).name();
  auto session = Session::Create(SessionOptions(), std::move(graph));
  ASSERT_TRUE(session.ok()) << session.status();
  RunOptions options;
  options.timeout_ms = 200;
  const Status late = (*session)->Run(options, {}, {}, {name}, nullptr, nullptr);
  EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded) << late;
  EXPECT_THAT(std::string(late.message()), Not(HasSubstr("left behind")));
  EXPECT_TRUE((*session)->Close(10'000).ok());
}

INSTANTIATE_TEST_SUITE_P(Ops, CancelledKernels, ::testing::ValuesIn(kWork),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace warpbeam
