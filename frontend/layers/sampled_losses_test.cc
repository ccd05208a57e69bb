// Losses over some of many classes give TensorFlow's numbers.
#include "frontend/layers/sampled_losses.h"

#include <cmath>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/gradients.h"
#include "frontend/graph_state.h"
#include "frontend/math.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

// Twenty classes of three dimensions, two examples.
struct Net {
  Net() { root.SetRandomSeed(7); }

  template <typename F>
  Output Filled(const Shape& shape, F value) const {
    std::vector<float> values;
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      values.push_back(static_cast<float>(value(static_cast<double>(i))));
    }
    return Constant(root, Tensor::FromValues<float>(shape, values));
  }
  Output Classes(const Shape& shape, std::vector<int64_t> values) const {
    return Constant(root, Tensor::FromValues<int64_t>(shape, values));
  }
  SampledClasses Given(const Output& true_expected_count) const {
    return {Classes({4}, {5, 1, 0, 7}), true_expected_count,
            Constant(root, {0.4f, 0.8f, 0.9f, 0.3f})};
  }
  SampledClasses GivenForTwo() const {
    return Given(
        Constant(root, Tensor::FromValues<float>(Shape({2, 2}), {0.5f, 0.4f, 0.9f, 0.1f})));
  }
  std::vector<float> Run(const Output& x) const {
    EXPECT_TRUE(root.ok()) << root.status();
    ClientSession session(root);
    const auto out = session.Run({x});
    EXPECT_TRUE(out.ok()) << out.status();
    if (!out.ok()) return {};
    const float* const data = (*out)[0].data<float>();
    return std::vector<float>(data, data + (*out)[0].num_elements());
  }
  void Expect(const Output& loss, float first, float second) const {
    const std::vector<float> got = Run(loss);
    ASSERT_EQ(got.size(), 2u);
    EXPECT_NEAR(got[0], first, 2e-5);
    EXPECT_NEAR(got[1], second, 2e-5);
  }

  const Scope root = Scope::NewRoot();
  const Output weights = Filled({20, 3}, [](double i) { return std::sin(i); });
  const Output biases = Filled({20}, [](double i) { return std::cos(i); });
  const Output x = Filled({2, 3}, [](double i) { return std::sin(1 + 0.5 * i); });
  const Output two = Classes({2, 2}, {3, 5, 0, 19});
  const Output one = Classes({2, 1}, {3, 0});
};

TEST(SampledLossesTest, GiveTensorFlowsNumbers) {
  const Net n;
  const SampledLossOptions given = SampledLossOptions().num_true(2).sampled_values(n.GivenForTwo());
  const auto without_hits = SampledLossOptions(given).remove_accidental_hits(true);
  n.Expect(NceLoss(n.root, {n.weights}, {n.biases}, n.two, n.x, 4, 20, given), 7.930744f,
           10.015645f);
  n.Expect(NceLoss(n.root, {n.weights}, {n.biases}, n.two, n.x, 4, 20, without_hits), 6.902419f,
           8.770832f);
  n.Expect(SampledSoftmaxLoss(n.root, {n.weights}, {n.biases}, n.two, n.x, 4, 20, given), 3.630101f,
           1.904165f);
  const Output counts = Constant(n.root, Tensor::FromValues<float>(Shape({2, 1}), {0.5f, 0.9f}));
  const auto of_one = SampledLossOptions().sampled_values(n.Given(counts));
  n.Expect(SampledSoftmaxLoss(n.root, {n.weights}, {n.biases}, n.one, n.x, 4, 20, of_one),
           4.623991f, 2.416614f);
}

TEST(SampledLossesTest, DrawTheClassesThatTensorFlowDraws) {
  const Net n;
  n.Expect(SampledSoftmaxLoss(n.root, {n.weights}, {n.biases}, n.one, n.x, 4, 20,
                              SampledLossOptions().seed(11)),
           4.365642f, 1.121204f);
  // The first three of TensorFlow's graph, and one above, took a seed each.
  for (int i = 0; i < 3; ++i) n.root.state().NextSeeds(nullptr);
  n.Expect(NceLoss(n.root, {n.weights}, {n.biases}, n.one, n.x, 4, 20), 10.973983f, 5.207047f);
}

TEST(SampledLossesTest, TablesMayBeCut) {
  const Net n;
  const auto rows = [&](const Output& table, int first) {
    std::vector<int> ids;
    for (int i = first; i < 20; i += 2) ids.push_back(i);
    return EmbeddingLookup(n.root, {table}, ids);
  };
  const SampledLossOptions given = SampledLossOptions().num_true(2).sampled_values(n.GivenForTwo());
  n.Expect(NceLoss(n.root, {rows(n.weights, 0), rows(n.weights, 1)},
                   {rows(n.biases, 0), rows(n.biases, 1)}, n.two, n.x, 4, 20, given),
           7.930744f, 10.015645f);
}

TEST(SampledLossesTest, HaveTensorFlowsGradients) {
  const Net n;
  const SampledLossOptions given = SampledLossOptions().num_true(2).sampled_values(n.GivenForTwo());
  const Output loss = NceLoss(n.root, {n.weights}, {n.biases}, n.two, n.x, 4, 20, given);
  const std::vector<Gradient> gradients = Gradients(n.root, {loss}, {n.weights, n.biases, n.x});
  ASSERT_TRUE(n.root.ok()) << n.root.status();
  EXPECT_TRUE(gradients[0].is_slices());
  const double wanted[] = {106.79021, 30.00911, -0.16317368};
  for (int i = 0; i < 3; ++i) {
    const std::vector<float> got = n.Run(gradients[i].dense());
    double sum = 0;
    for (size_t k = 0; k < got.size(); ++k) sum += static_cast<double>(k) * got[k];
    EXPECT_NEAR(sum, wanted[i], 2e-4) << i;
  }
}

TEST(SampledLossesTest, WhatMakesNoSenseIsNamed) {
  const Net n;
  NceLoss(n.root, {n.weights}, {n.biases}, n.one, n.x, 0, 20);
  EXPECT_NE(n.root.status().message().find("num_sampled=0"), absl::string_view::npos)
      << n.root.status();
}

}  // namespace
}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
