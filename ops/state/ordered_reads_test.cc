// What reads of reference variables see when updates are ordered before their use.
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

class OrderedReads : public ::testing::Test {
 protected:
  OrderedReads() {
    variable_ = Built(NodeBuilder(&graph(), "VariableV2")
                          .Name("v")
                          .Attr("dtype", DType::kFloat)
                          .Attr("shape", PartialShape({})));
    Built(NodeBuilder(&graph(), "Assign").Name("init").Input(variable_).Input(Const(1)));
    read_ = Built(NodeBuilder(&graph(), "Identity").Name("read").Input(variable_));
    add_ = Built(NodeBuilder(&graph(), "AssignAdd").Name("add").Input(variable_).Input(Const(10)));
  }
  Graph& graph() { return *graph_; }
  static OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  OutputRef Const(float value) {
    return {(*AddConstant(&graph(), "c", Tensor::Scalar(value)))->id(), 0};
  }
  float Run(const std::string& fetch) {
    if (session_ == nullptr) {
      session_ = *Session::Create({}, graph_);
      EXPECT_TRUE(session_->Run({}, {}, {}, {"init"}, nullptr, nullptr).ok());
    }
    std::vector<Tensor> out;
    const Status s = session_->Run({}, {}, {fetch}, {}, &out, nullptr);
    EXPECT_TRUE(s.ok()) << s;
    return s.ok() ? out[0].scalar<float>() : -1;
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
  OutputRef variable_, read_, add_;
};

TEST_F(OrderedReads, AnIdentityAfterAnUpdateSeesIt) {
  const OutputRef late =
      Built(NodeBuilder(&graph(), "Identity").Name("late").Input(read_).ControlInput(add_.node));
  Built(NodeBuilder(&graph(), "Neg").Name("neg").Input(late));
  EXPECT_EQ(Run("neg"), -11);
  EXPECT_EQ(Run("late"), 21);
}

TEST_F(OrderedReads, AnyNodeAfterAnUpdateSeesIt) {
  const OutputRef other = Built(NodeBuilder(&graph(), "Identity").Name("other").Input(add_));
  Built(NodeBuilder(&graph(), "Sub").Name("difference").Input(other).Input(read_));
  EXPECT_EQ(Run("difference"), 0);
}

TEST_F(OrderedReads, AReadBeforeTheUpdateKeepsItsValue) {
  const OutputRef copy = Built(NodeBuilder(&graph(), "Neg").Name("neg").Input(read_));
  const OutputRef add = Built(NodeBuilder(&graph(), "AssignAdd")
                                  .Name("add_after")
                                  .Input(variable_)
                                  .Input(Const(5))
                                  .ControlInput(copy.node));
  Built(NodeBuilder(&graph(), "Neg").Name("result").Input(copy).ControlInput(add.node));
  EXPECT_EQ(Run("result"), 1);
  EXPECT_EQ(Run("result"), 6);
}

}  // namespace
}  // namespace warpbeam
