// The gradient of a convolution's input is left out where it is only waited for.
#include "graph/passes/unread_gradients.h"

#include "gtest/gtest.h"
#include "tests/passes/passes_fixture.h"

namespace warpbeam {
namespace {

class UnreadGradientsTest : public PassesTest {
 protected:
  // A convolution's two gradients, and "grad", the filter's, which waits for both.
  void AddConvolution() {
    const OutputRef x = Placeholder("x", {2, 4, 4, 1}), dy = Placeholder("dy", {2, 4, 4, 3});
    w_ = Variable("w", Ramp({3, 3, 1, 3}, 0.5f));
    const OutputRef w = Float("Identity", "w/read", {w_});
    const auto gradient = [&](const char* op, const char* name, std::vector<OutputRef> inputs) {
      return Add(op, name, std::move(inputs),
                 {{"T", DType::kFloat},
                  {"strides", std::vector<int64_t>{1, 1, 1, 1}},
                  {"padding", std::string("SAME")}});
    };
    const auto sizes = [&](const char* name, const std::vector<int32_t>& values) {
      return Const(name, Tensor::Vector<int32_t>(values));
    };
    dx_ = gradient("Conv2DBackpropInput", "dx", {sizes("x_sizes", {2, 4, 4, 1}), w, dy});
    const OutputRef dw =
        gradient("Conv2DBackpropFilter", "dw", {x, sizes("w_sizes", {3, 3, 1, 3}), dy});
    const OutputRef group = Add("NoOp", "group", {}, {}, {dx_.node, dw.node});
    grad_ = Float("Identity", "grad", {dw}, {group.node});
    feeds_ = {{"x", Ramp({2, 4, 4, 1}, 1)}, {"dy", Ramp({2, 4, 4, 3}, 0.25f)}};
  }
  // Kernels that "unread" leaves out.
  int64_t LeftOut(const std::vector<std::string>& fetches,
                  const std::vector<std::string>& targets = {}) {
    ExpectSame(feeds_, fetches, targets);
    return plain_nodes_ - Run("unread", feeds_, fetches, targets).nodes;
  }

  OutputRef w_, dx_, grad_;
  NamedTensors feeds_;
};

TEST_F(UnreadGradientsTest, WhatIsOnlyWaitedFor) {
  AddConvolution();
  EXPECT_EQ(LeftOut({"grad"}), 1);
}

TEST_F(UnreadGradientsTest, WhatIsAskedForStays) {
  AddConvolution();
  Float("Neg", "read", {dx_}, {grad_.node});
  EXPECT_EQ(LeftOut({"grad", "dx"}), 0);
  EXPECT_EQ(LeftOut({"grad", "read"}), 0);
  EXPECT_EQ(LeftOut({"grad"}, {"dx"}), 0);
}

// The variable is read before it is written, as it was while the gradient held the writer back.
TEST_F(UnreadGradientsTest, WhoWaitedWaitsForWhatItIsMadeOf) {
  AddConvolution();
  const OutputRef update = Float("AssignSub", "update", {w_, grad_});
  Float("Identity", "updated", {w_}, {update.node});
  EXPECT_EQ(LeftOut({"updated"}), 1);
}

}  // namespace
}  // namespace warpbeam
