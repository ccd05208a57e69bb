#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

class SessionTensor : public ::testing::Test {
 protected:
  void SetUp() override {
    const OutputRef value = {(*AddConstant(graph_.get(), "c", Tensor::Vector<float>({1, 2})))->id(),
                             0};
    Build(NodeBuilder(graph_.get(), "GetSessionHandle").Name("keep").Input(value));
    Build(NodeBuilder(graph_.get(), "GetSessionHandleV2").Name("keep2").Input(value));
    const OutputRef handle = {
        Build(
            NodeBuilder(graph_.get(), "Placeholder").Name("handle").Attr("dtype", DType::kString)),
        0};
    Build(NodeBuilder(graph_.get(), "GetSessionTensor")
              .Name("get")
              .Attr("dtype", DType::kFloat)
              .Input(handle));
    Build(NodeBuilder(graph_.get(), "GetSessionTensor")
              .Name("get_ints")
              .Attr("dtype", DType::kInt32)
              .Input(handle));
    Build(NodeBuilder(graph_.get(), "DeleteSessionTensor").Name("delete").Input(handle));
    session_ = *Session::Create({}, graph_);
  }
  NodeId Build(NodeBuilder& builder) {
    auto made = builder.Build();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? (*made)->id() : kNoNode;
  }
  Tensor Fetch(const std::string& name) {
    std::vector<Tensor> out;
    const Status s = session_->Run({}, {}, {name}, {}, &out, nullptr);
    EXPECT_TRUE(s.ok()) << s;
    return s.ok() ? out[0] : Tensor();
  }
  StatusOr<Tensor> Get(const std::string& fetch, Tensor handle) {
    std::vector<Tensor> out;
    WB_RETURN_IF_ERROR(session_->Run({}, {{"handle", handle}}, {fetch}, {}, &out, nullptr));
    return out[0];
  }
  Status Delete(Tensor handle) {
    return session_->Run({}, {{"handle", handle}}, {}, {"delete"}, nullptr, nullptr);
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
};

// TensorFlow's clients find the device behind the second semicolon.
TEST_F(SessionTensor, StaysUntilItIsDeleted) {
  const Tensor handle = Fetch("keep");
  EXPECT_EQ(handle.scalar<std::string>(), "keep;0;/job:localhost/replica:0/task:0/device:CPU:0");
  const Tensor second = Fetch("keep2");
  EXPECT_EQ(second.scalar<ResourceHandle>().name,
            "keep2;1;/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(second.scalar<ResourceHandle>().container, "TensorHandle");
  for (int i = 0; i < 2; ++i) {
    const auto value = Get("get", handle);
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(value->shape(), Shape({2}));
    EXPECT_EQ(value->data<float>()[1], 2);
  }
  EXPECT_TRUE(Get("get", Tensor::Scalar(second.scalar<ResourceHandle>().name)).ok());
  ASSERT_TRUE(Delete(handle).ok());
  EXPECT_EQ(Delete(handle).code(), Code::kInvalidArgument);
  EXPECT_EQ(Get("get", handle).status().code(), Code::kInvalidArgument);
}

// TensorFlow's client feeds the handle itself in the place of the tensor.
TEST_F(SessionTensor, AFedHandleIsTheTensorThatItNames) {
  const OutputRef x = {
      Build(NodeBuilder(graph_.get(), "Placeholder").Name("x").Attr("dtype", DType::kFloat)), 0};
  Build(NodeBuilder(graph_.get(), "Identity").Name("y").Input(x));
  SessionOptions options;
  options.resources = std::make_shared<ResourceStore>();
  const auto first = *Session::Create(options, graph_), second = *Session::Create(options, graph_);
  std::vector<Tensor> out;
  ASSERT_TRUE(first->Run({}, {}, {"keep2"}, {}, &out, nullptr).ok());
  const Tensor handle = out[0];
  for (const auto* session : {&first, &second}) {
    const Status s = (*session)->Run({}, {{"x", handle}}, {"y"}, {}, &out, nullptr);
    ASSERT_TRUE(s.ok()) << s;
    EXPECT_EQ(out[0].data<float>()[1], 2);
    const auto run = (*session)->PartialRunSetup({"x"}, {"y"}, {});
    ASSERT_TRUE(run.ok()) << run.status();
    ASSERT_TRUE((*session)->PartialRun(*run, {{"x", handle}}, {"y"}, &out).ok());
    EXPECT_EQ(out[0].data<float>()[1], 2);
  }
  ResourceHandle unknown = handle.scalar<ResourceHandle>();
  unknown.name = "keep2;99;";
  const Status s = first->Run({}, {{"x", Tensor::Scalar(unknown)}}, {"y"}, {}, &out, nullptr);
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_NE(s.message().find("not in the session store"), absl::string_view::npos) << s;
}

TEST_F(SessionTensor, Refusals) {
  const Tensor handle = Fetch("keep");
  EXPECT_EQ(Get("get", Tensor::Scalar<std::string>("keep;7;")).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(Get("get", Tensor::Vector<std::string>({handle.scalar<std::string>()})).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(Get("get_ints", handle).status().code(), Code::kInternal);
  EXPECT_EQ(Delete(Tensor::Vector<std::string>({})).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
