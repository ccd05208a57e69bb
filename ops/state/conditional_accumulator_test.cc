#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

class ConditionalAccumulator : public ::testing::Test {
 protected:
  void SetUp() override {
    const OutputRef handle = Built(NodeBuilder(graph_.get(), "ConditionalAccumulator")
                                       .Name("acc")
                                       .Attr("dtype", DType::kFloat)
                                       .Attr("shape", PartialShape({2})));
    const OutputRef gradient = Built(
        NodeBuilder(graph_.get(), "Placeholder").Name("gradient").Attr("dtype", DType::kFloat));
    const OutputRef step = Const(Tensor::Scalar<int64_t>(0));
    ASSERT_TRUE(NodeBuilder(graph_.get(), "AccumulatorApplyGradient")
                    .Name("apply")
                    .Input(handle)
                    .Input(step)
                    .Input(gradient)
                    .Build()
                    .ok());
    Built(NodeBuilder(graph_.get(), "AccumulatorNumAccumulated").Name("count").Input(handle));
    Built(NodeBuilder(graph_.get(), "AccumulatorTakeGradient")
              .Name("take")
              .Attr("dtype", DType::kFloat)
              .Input(handle)
              .Input(Const(Tensor::Scalar<int32_t>(2))));
    session_ = *Session::Create({}, graph_);
  }
  static OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  OutputRef Const(Tensor value) {
    return {(*AddConstant(graph_.get(), "c", std::move(value)))->id(), 0};
  }
  absl::Status Apply(std::initializer_list<float> gradient) {
    return session_->Run({}, {{"gradient", Tensor::Vector<float>(gradient)}}, {}, {"apply"},
                         nullptr, nullptr);
  }
  Tensor Fetch(const std::string& name) {
    std::vector<Tensor> out;
    const absl::Status s = session_->Run({}, {}, {name}, {}, &out, nullptr);
    EXPECT_TRUE(s.ok()) << s;
    return s.ok() ? out[0] : Tensor();
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
};

TEST_F(ConditionalAccumulator, GivesTheMeanAndDropsStaleGradients) {
  ASSERT_TRUE(Apply({1, 2}).ok());
  ASSERT_TRUE(Apply({3, 6}).ok());
  EXPECT_EQ(Apply({1, 2, 3}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Fetch("count").scalar<int32_t>(), 2);
  const Tensor mean = Fetch("take");
  EXPECT_EQ(mean.data<float>()[0], 2);
  EXPECT_EQ(mean.data<float>()[1], 4);
  ASSERT_TRUE(Apply({5, 5}).ok());  // of step 0, while the accumulator is at step 1
  EXPECT_EQ(Fetch("count").scalar<int32_t>(), 0);
}

TEST_F(ConditionalAccumulator, AWaitingTakerEndsAtItsDeadline) {
  ASSERT_TRUE(Apply({1, 2}).ok());
  RunOptions options;
  options.timeout_ms = 50;
  std::vector<Tensor> out;
  EXPECT_EQ(session_->Run(options, {}, {"take"}, {}, &out, nullptr).code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Fetch("count").scalar<int32_t>(), 1);
}

}  // namespace
}  // namespace warpbeam
