// Stacks in a session: both kinds of handles, and how long a stack lives.
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;

class StackTest : public ::testing::TestWithParam<bool> {
 protected:
  std::string Op(const char* op) const { return GetParam() ? absl::StrCat(op, "V2") : op; }
  OutputRef Const(Tensor value) {
    return {(*AddConstant(graph_.get(), "c", std::move(value)))->id(), 0};
  }
  OutputRef NewStack(int32_t max_size) {
    NodeBuilder builder(graph_.get(), Op("Stack"));
    builder.Name("stack").Attr("elem_type", DType::kFloat);
    if (GetParam()) builder.Input(Const(Tensor::Scalar<int32_t>(max_size)));
    return Built(builder);
  }
  // Each op follows the one before.
  OutputRef Built(NodeBuilder& builder) {
    if (last_ != nullptr) builder.ControlInput(last_->id());
    auto made = builder.Build();
    EXPECT_TRUE(made.ok()) << made.status();
    if (!made.ok()) return OutputRef();
    last_ = *made;
    return {last_->id(), 0};
  }
  void Push(OutputRef stack, float value) {
    const OutputRef elem = Const(Tensor::Vector<float>({value}));
    Built(NodeBuilder(graph_.get(), Op("StackPush")).Name("push").Input(stack).Input(elem));
  }
  void Pop(OutputRef stack, const char* name, DType type = DType::kFloat) {
    Built(
        NodeBuilder(graph_.get(), Op("StackPop")).Name(name).Input(stack).Attr("elem_type", type));
  }
  Status Run(const std::vector<std::string>& fetches, const NamedTensors& feeds = {}) {
    if (session_ == nullptr) session_ = *Session::Create({}, graph_);
    out_.clear();
    return session_->Run({}, feeds, fetches, {last_->name()}, &out_, nullptr);
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
  std::vector<Tensor> out_;
  const Node* last_ = nullptr;
};

TEST_P(StackTest, GivesBackTheLastOneFirst) {
  const OutputRef stack = NewStack(2);
  for (float x : {1.0f, 2.0f}) Push(stack, x);
  Pop(stack, "a");
  Pop(stack, "b");
  for (int step = 0; step < 3; ++step) {
    const Status s = Run({"a", "b"});
    ASSERT_TRUE(s.ok()) << s;
    EXPECT_THAT(out_[0].flat<float>(), ElementsAre(2));
    EXPECT_THAT(out_[1].flat<float>(), ElementsAre(1));
  }
}

TEST_P(StackTest, RefusesWhatItCannotGive) {
  const OutputRef stack = NewStack(2);
  Push(stack, 1);
  Pop(stack, "int", DType::kInt32);
  EXPECT_EQ(Run({"int"}).code(), Code::kInvalidArgument);
}

TEST_P(StackTest, IsEmptyInTheNextStep) {
  const OutputRef stack = NewStack(2);
  Push(stack, 1);
  ASSERT_TRUE(Run({}).ok());
  last_ = graph_->Find("stack");
  Pop(stack, "a");
  const Status s = Run({"a"});
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()), HasSubstr("is empty"));
}

TEST_P(StackTest, ClosedIsClosed) {
  const OutputRef stack = NewStack(2);
  Push(stack, 1);
  Built(NodeBuilder(graph_.get(), Op("StackClose")).Name("close").Input(stack));
  ASSERT_TRUE(Run({}).ok());
  Pop(stack, "a");
  const Status s = Run({"a"});
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(s.message()), HasSubstr("closed"));
}
INSTANTIATE_TEST_SUITE_P(Handles, StackTest, ::testing::Bool());

using NewStackTest = StackTest;

TEST_P(NewStackTest, HoldsNoMoreThanItsSize) {
  const OutputRef stack = NewStack(1);
  Push(stack, 1);
  Push(stack, 2);
  EXPECT_EQ(Run({}).code(), Code::kInvalidArgument);
}

TEST_P(NewStackTest, AHandleIsGoodForItsStepOnly) {
  const OutputRef stack = NewStack(1);
  Pop(stack, "a");
  auto session = *Session::Create({}, graph_);
  std::vector<Tensor> handle;
  ASSERT_TRUE(session->Run({}, {}, {"stack"}, {}, &handle, nullptr).ok());
  EXPECT_EQ(handle[0].dtype(), DType::kResource);
  std::vector<Tensor> out;
  EXPECT_EQ(session->Run({}, {{"stack", handle[0]}}, {"a"}, {}, &out, nullptr).code(),
            Code::kNotFound);
}
INSTANTIATE_TEST_SUITE_P(Resources, NewStackTest, ::testing::Values(true));

}  // namespace
}  // namespace warpbeam
