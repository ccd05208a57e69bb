// A Relu's gradient masks what comes out of pooling before it is spread.
#include "graph/passes/mask_first.h"

#include "gtest/gtest.h"
#include "tests/passes/passes_fixture.h"

namespace warpbeam {
namespace {

class MaskFirstTest : public PassesTest {
 protected:
  OutputRef Pool(const char* op, const char* name, std::vector<OutputRef> inputs, int64_t size,
                 int64_t stride) {
    return Add(op, name, std::move(inputs),
               {{"T", DType::kFloat},
                {"ksize", std::vector<int64_t>{1, size, size, 1}},
                {"strides", std::vector<int64_t>{1, stride, stride, 1}},
                {"padding", std::string("SAME")}});
  }
  // "grad": the gradient in front of a Relu that is pooled; a third of x is below 0.
  void AddPooledRelu(int64_t size, int64_t gradient_size, int64_t stride) {
    const OutputRef x = Placeholder("x", {2, 6, 6, 3});
    const OutputRef dy = Placeholder("dy", {2, 6 / stride, 6 / stride, 3});
    relu_ = Float("Relu", "relu", {x});
    pooled_ = Pool("MaxPool", "pooled", {relu_}, size, stride);
    spread_ = Pool("MaxPoolGrad", "spread", {relu_, pooled_, dy}, gradient_size, stride);
    grad_ = Float("ReluGrad", "masked", {spread_, relu_});
    // The sum makes 0 of -0: what is masked after it was spread may be either.
    Float("AddV2", "grad", {grad_, Const("zero", Tensor::Scalar<float>(0))});
    Tensor values = Ramp({2, 6, 6, 3}, 0.05f);
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      values.data<float>()[i] = static_cast<float>((i * 29) % 31) - 20;
    }
    feeds_ = {{"x", values}, {"dy", Ramp({2, 6 / stride, 6 / stride, 3}, 0.25f)}};
  }
  // Whether the pass makes the mask that of the pooled tensor.
  bool IsMaskedFirst(const std::vector<std::string>& fetches, const std::string& target = "") {
    std::vector<std::string> targets;
    if (!target.empty()) targets.push_back(target);
    ExpectSame(feeds_, fetches, targets);
    GraphPart part;
    part.graph = graph_;
    for (const auto& feed : feeds_) part.feeds.push_back({graph_->Find(feed.first)->id(), 0});
    for (const auto& name : fetches) part.fetches.push_back({graph_->Find(name)->id(), 0});
    for (const auto& name : targets) part.targets.push_back(graph_->Find(name)->id());
    part.Prune();
    const Status status = MaskFirst(&part);
    EXPECT_TRUE(status.ok()) << status;
    return part.graph->Find("masked")->input(1) == pooled_;
  }

  OutputRef relu_, pooled_, spread_, grad_;
  NamedTensors feeds_;
};

TEST_F(MaskFirstTest, WindowsThatTile) {
  AddPooledRelu(2, 2, 2);
  EXPECT_TRUE(IsMaskedFirst({"grad"}));
}

TEST_F(MaskFirstTest, WindowsThatOverlap) {
  AddPooledRelu(3, 3, 2);
  EXPECT_TRUE(IsMaskedFirst({"grad"}));
}

TEST_F(MaskFirstTest, WhatOthersReadStays) {
  AddPooledRelu(2, 2, 2);
  Float("Neg", "read", {spread_});
  Add("NoOp", "waits", {}, {}, {spread_.node});
  EXPECT_FALSE(IsMaskedFirst({"grad", "read"}));
  EXPECT_FALSE(IsMaskedFirst({"grad", "spread"}));
  EXPECT_FALSE(IsMaskedFirst({"masked"}));
  EXPECT_FALSE(IsMaskedFirst({"grad"}, "waits"));
}

TEST_F(MaskFirstTest, AnotherWindowStays) {
  AddPooledRelu(2, 3, 2);
  EXPECT_FALSE(IsMaskedFirst({"grad"}));
}

TEST_F(MaskFirstTest, APooledTensorThatIsFedStays) {
  AddPooledRelu(2, 2, 2);
  feeds_.push_back({"pooled", Ramp({2, 3, 3, 3}, 1)});
  EXPECT_FALSE(IsMaskedFirst({"grad"}));
}

// The variable is read before it is written, as it was while the masked gradient held the writer
// back.
TEST_F(MaskFirstTest, WhoWaitedStillWaits) {
  AddPooledRelu(2, 2, 2);
  const OutputRef w = Variable("w", Ramp({2, 6, 6, 3}, 1));
  Float("AssignSub", "update", {w, Float("Neg", "step", {grad_})}, {grad_.node});
  EXPECT_TRUE(IsMaskedFirst({"update"}));
}

}  // namespace
}  // namespace warpbeam
