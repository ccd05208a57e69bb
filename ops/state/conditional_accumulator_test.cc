#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {
namespace {

// With handles of both kinds: the ops' names begin with "" or "Resource".
class ConditionalAccumulator : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string& kind = GetParam();
    const OutputRef handle = Built(NodeBuilder(graph_.get(), kind + "ConditionalAccumulator")
                                       .Name("acc")
                                       .Attr("dtype", DType::kFloat)
                                       .Attr("shape", PartialShape({2})));
    const OutputRef gradient = Built(
        NodeBuilder(graph_.get(), "Placeholder").Name("gradient").Attr("dtype", DType::kFloat));
    const OutputRef step = Const(Tensor::Scalar<int64_t>(0));
    ASSERT_TRUE(NodeBuilder(graph_.get(), kind + "AccumulatorApplyGradient")
                    .Name("apply")
                    .Input(handle)
                    .Input(step)
                    .Input(gradient)
                    .Build()
                    .ok());
    ASSERT_TRUE(NodeBuilder(graph_.get(), kind + "AccumulatorSetGlobalStep")
                    .Name("set_step")
                    .Input(handle)
                    .Input(Const(Tensor::Scalar<int64_t>(1)))
                    .Build()
                    .ok());
    Built(
        NodeBuilder(graph_.get(), kind + "AccumulatorNumAccumulated").Name("count").Input(handle));
    AddTaker("take", DType::kFloat, 2, handle);
    AddTaker("take_none", DType::kFloat, 0, handle);
    AddTaker("take_double", DType::kDouble, 1, handle);
    session_ = *Session::Create({}, graph_);
  }
  static OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  void AddTaker(const char* name, DType dtype, int32_t count, OutputRef handle) {
    Built(NodeBuilder(graph_.get(), GetParam() + "AccumulatorTakeGradient")
              .Name(name)
              .Attr("dtype", dtype)
              .Input(handle)
              .Input(Const(Tensor::Scalar<int32_t>(count))));
  }
  StatusCode CodeOf(const char* fetch) {
    std::vector<Tensor> out;
    return session_->Run({}, {}, {fetch}, {}, &out, nullptr).code();
  }
  OutputRef Const(Tensor value) {
    return {(*AddConstant(graph_.get(), "c", std::move(value)))->id(), 0};
  }
  Status Apply(std::initializer_list<float> gradient) {
    return session_->Run({}, {{"gradient", Tensor::Vector<float>(gradient)}}, {}, {"apply"},
                         nullptr, nullptr);
  }
  Tensor Fetch(const std::string& name) {
    std::vector<Tensor> out;
    const Status s = session_->Run({}, {}, {name}, {}, &out, nullptr);
    EXPECT_TRUE(s.ok()) << s;
    return s.ok() ? out[0] : Tensor();
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
};

TEST_P(ConditionalAccumulator, GivesTheMeanAndDropsStaleGradients) {
  ASSERT_TRUE(Apply({1, 2}).ok());
  ASSERT_TRUE(Apply({3, 6}).ok());
  EXPECT_EQ(Apply({1, 2, 3}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Fetch("count").scalar<int32_t>(), 2);
  const Tensor mean = Fetch("take");
  EXPECT_EQ(mean.data<float>()[0], 2);
  EXPECT_EQ(mean.data<float>()[1], 4);
  ASSERT_TRUE(Apply({5, 5}).ok());  // of step 0, while the accumulator is at step 1
  EXPECT_EQ(Fetch("count").scalar<int32_t>(), 0);
}

TEST_P(ConditionalAccumulator, AWaitingTakerEndsAtItsDeadline) {
  ASSERT_TRUE(Apply({1, 2}).ok());
  RunOptions options;
  options.timeout_ms = 50;
  std::vector<Tensor> out;
  EXPECT_EQ(session_->Run(options, {}, {"take"}, {}, &out, nullptr).code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Fetch("count").scalar<int32_t>(), 1);
}

TEST_P(ConditionalAccumulator, RefusesWhatItCannotGive) {
  EXPECT_EQ(CodeOf("take_none"), StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf("take_double"), StatusCode::kInvalidArgument);
}

TEST_P(ConditionalAccumulator, DropsGradientsBeforeTheStepThatIsSet) {
  ASSERT_TRUE(session_->Run({}, {}, {}, {"set_step"}, nullptr, nullptr).ok());
  ASSERT_TRUE(Apply({1, 2}).ok());
  EXPECT_EQ(Fetch("count").scalar<int32_t>(), 0);
}

// As on a server, where sessions share what has a name: without one each has its own, and leaves
// nothing behind.
TEST_P(ConditionalAccumulator, WithoutANameItIsItsSessions) {
  SessionOptions options;
  options.resources = std::make_shared<ResourceStore>();
  session_ = *Session::Create(options, graph_);
  std::unique_ptr<Session> other = *Session::Create(options, graph_);
  ASSERT_TRUE(Apply({1, 2}).ok());
  std::vector<Tensor> out;
  ASSERT_TRUE(other->Run({}, {}, {"count"}, {}, &out, nullptr).ok());
  EXPECT_EQ(out[0].scalar<int32_t>(), 0);
  EXPECT_EQ(Fetch("count").scalar<int32_t>(), 1);
  EXPECT_EQ(options.resources->Names().size(), 2);
  other.reset();
  EXPECT_EQ(options.resources->Names().size(), 1);
  session_.reset();
  EXPECT_EQ(options.resources->Names().size(), 0);
}

INSTANTIATE_TEST_SUITE_P(Handles, ConditionalAccumulator, ::testing::Values("", "Resource"));

// A handle that names something else, or nothing.
TEST(ResourceAccumulator, RefusesOtherHandles) {
  auto graph = std::make_shared<Graph>();
  const auto build = [](NodeBuilder& builder) { return builder.BuildOutput(); };
  const auto variable = build(NodeBuilder(graph.get(), "VarHandleOp")
                                  .Name("v")
                                  .Attr("dtype", DType::kFloat)
                                  .Attr("shape", PartialShape({2})));
  ASSERT_TRUE(variable.ok()) << variable.status();
  ASSERT_TRUE(build(NodeBuilder(graph.get(), "ResourceAccumulatorNumAccumulated")
                        .Name("count")
                        .Input(*variable))
                  .ok());
  std::unique_ptr<Session> session = *Session::Create({}, graph);
  std::vector<Tensor> out;
  EXPECT_EQ(session->Run({}, {}, {"count"}, {}, &out, nullptr).code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
