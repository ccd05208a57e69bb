// Batch normalisation by constants: in the filter, within what one more rounding of it changes.
#include <cmath>

#include "gtest/gtest.h"
#include "tests/passes/passes_fixture.h"

namespace warpbeam {
namespace {

class BatchNormTest : public PassesTest {
 protected:
  static Tensor Positive(int64_t size) {
    std::vector<float> values;
    for (int64_t i = 0; i < size; ++i) values.push_back(0.25f + 0.125f * static_cast<float>(i));
    return Tensor::Vector<float>(values);
  }
  void Build(const std::string& op, std::vector<int64_t> filter, int64_t channels,
             bool is_training = false) {
    const bool deep = op == "Conv3D";
    const std::vector<int64_t> ones(deep ? 5 : 4, 1);
    const OutputRef x = Placeholder("x", std::vector<int64_t>(ones.size(), -1));
    const OutputRef conv =
        Add(op, "conv", {x, Const("filter", Ramp(std::move(filter), 0.02f))},
            {{"T", DType::kFloat}, {"strides", ones}, {"padding", std::string("SAME")}});
    const OutputRef norm =
        Add("FusedBatchNormV3", "norm",
            {conv, Const("scale", Positive(channels)), Const("offset", Ramp({channels}, 0.3f)),
             Const("mean", Ramp({channels}, 0.2f)), Const("variance", Positive(channels))},
            {{"T", DType::kFloat},
             {"U", DType::kFloat},
             {"is_training", is_training},
             {"data_format", std::string(deep ? "NDHWC" : "NHWC")}});
    Float("Relu", "result", {norm});
  }
  void ExpectClose(const std::string& passes, const NamedTensors& feeds) {
    const Outcome plain = Run("none", feeds, {"result"}), folded = Run(passes, feeds, {"result"});
    ASSERT_TRUE(plain.status.ok() && folded.status.ok()) << plain.status << folded.status;
    ASSERT_EQ(plain.fetched[0].shape(), folded.fetched[0].shape());
    // The sums here have at most a few hundred terms of at most 4.
    for (int64_t i = 0; i < plain.fetched[0].num_elements(); ++i) {
      EXPECT_NEAR(plain.fetched[0].data<float>()[i], folded.fetched[0].data<float>()[i],
                  300 * 4 * std::ldexp(1.0, -23));
    }
  }
  int64_t Saved(const std::string& passes, const NamedTensors& feeds,
                const std::vector<std::string>& fetches = {"result"}) {
    const Outcome plain = Run("none", feeds, fetches), folded = Run(passes, feeds, fetches);
    EXPECT_TRUE(plain.status.ok() && folded.status.ok()) << plain.status << folded.status;
    return plain.nodes - folded.nodes;
  }
};

TEST_F(BatchNormTest, Convolutions) {
  Build("Conv2D", {3, 3, 4, 7}, 7);
  const NamedTensors feeds = {{"x", Ramp({2, 9, 5, 4}, 0.02f)}};
  ExpectClose("batch_norm", feeds);
  ExpectClose("default", feeds);
  // The addition that is left runs with the convolution.
  EXPECT_EQ(Saved("batch_norm,products", feeds), 2);
  EXPECT_EQ(Saved("products", feeds), 0);
}

TEST_F(BatchNormTest, DepthwiseConvolutions) {
  Build("DepthwiseConv2dNative", {3, 3, 4, 2}, 8);
  const NamedTensors feeds = {{"x", Ramp({2, 9, 5, 4}, 0.02f)}};
  ExpectClose("batch_norm", feeds);
  EXPECT_EQ(Saved("batch_norm,products", feeds), 2);
}

TEST_F(BatchNormTest, DeepConvolutions) {
  Build("Conv3D", {2, 2, 2, 3, 5}, 5);
  const NamedTensors feeds = {{"x", Ramp({2, 4, 5, 4, 3}, 0.02f)}};
  ExpectClose("batch_norm", feeds);
  EXPECT_EQ(Saved("batch_norm,products", feeds), 2);
}

TEST_F(BatchNormTest, WhatItLeavesAlone) {
  Build("Conv2D", {1, 1, 4, 6}, 6);
  const NamedTensors feeds = {{"x", Ramp({2, 3, 5, 4}, 0.02f)}};
  const std::string passes = "batch_norm,products";
  EXPECT_EQ(Saved(passes, feeds), 2);
  // Somebody else sees the convolution, its filter, the offset or another result.
  EXPECT_EQ(Saved(passes, feeds, {"result", "conv"}), 0);
  EXPECT_EQ(Saved(passes, feeds, {"result", "filter"}), 0);
  EXPECT_EQ(Saved(passes, feeds, {"result", "offset"}), 0);
  EXPECT_EQ(Saved(passes, feeds, {"result", "norm:1"}), 0);
  // What is fed is no constant.
  for (const char* fed : {"scale", "mean", "variance", "offset"}) {
    NamedTensors more = feeds;
    more.emplace_back(fed, Positive(6));
    ExpectSame(more, {"result"});
    EXPECT_EQ(Saved(passes, more), 0) << fed;
  }
  // In training the moments are those of the batch.
  graph_ = std::make_shared<Graph>();
  Build("Conv2D", {1, 1, 4, 6}, 6, /*is_training=*/true);
  EXPECT_EQ(Saved(passes, feeds), 0);
}

}  // namespace
}  // namespace warpbeam
