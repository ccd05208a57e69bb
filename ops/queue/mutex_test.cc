// Mutexes: what a lock keeps out, and every way in which it ends.
#include <gtest/gtest.h>

#include <thread>

#include "graph/build/node_builder.h"
#include "ops/launch/op_record.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

class MutexTest : public ::testing::Test {
 protected:
  void SetUp() override {
    mutex_ = Built(
        NodeBuilder(graph_.get(), "MutexV2").Name("mutex").Attr("shared_name", std::string("m")));
    lock_ = Lock("lock", kNoNode);
  }
  static OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  // A lock that is asked for after `after` has run.
  OutputRef Lock(const char* name, NodeId after) {
    NodeBuilder builder(graph_.get(), "MutexLock");
    builder.Name(name).Input(mutex_);
    if (after != kNoNode) builder.ControlInput(after);
    return Built(builder);
  }
  void Consume(const char* name, OutputRef lock, NodeId after) {
    const auto made = NodeBuilder(graph_.get(), "ConsumeMutexLock")
                          .Name(name)
                          .Input(lock)
                          .ControlInput(after)
                          .Build();
    ASSERT_TRUE(made.ok()) << made.status();
  }
  OutputRef Const(Tensor value, NodeId after) {
    auto made = NodeBuilder(graph_.get(), "Const")
                    .Attr("dtype", value.dtype())
                    .Attr("value", value)
                    .ControlInput(after)
                    .BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return *made;
  }
  Status Run(const char* target, int64_t timeout_ms = 20000) {
    if (session_ == nullptr) session_ = *Session::Create({}, graph_);
    RunOptions options;
    options.timeout_ms = timeout_ms;
    return session_->Run(options, {}, {}, {target}, nullptr, nullptr);
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
  OutputRef mutex_, lock_;
};

// A variable is read and written; without the lock, steps would undo what others did.
TEST_F(MutexTest, OneStepAtATime) {
  const auto variable = [&] {
    return Built(NodeBuilder(graph_.get(), "VarHandleOp")
                     .Name("v")
                     .Attr("dtype", DType::kInt64)
                     .Attr("shape", PartialShape(Shape())));
  }();
  const auto assign = [&](const char* name, OutputRef value) {
    const auto made = NodeBuilder(graph_.get(), "AssignVariableOp")
                          .Name(name)
                          .Input(variable)
                          .Input(value)
                          .Build();
    EXPECT_TRUE(made.ok()) << made.status();
    return (*made)->id();
  };
  assign("init", Const(Tensor::Scalar<int64_t>(0), variable.node));
  const OutputRef read = Built(NodeBuilder(graph_.get(), "ReadVariableOp")
                                   .Name("read")
                                   .Attr("dtype", DType::kInt64)
                                   .Input(variable)
                                   .ControlInput(lock_.node));
  const OutputRef sum = Built(NodeBuilder(graph_.get(), "AddV2")
                                  .Input(read)
                                  .Input(Const(Tensor::Scalar<int64_t>(1), lock_.node)));
  Consume("step", lock_, assign("assign", sum));
  Built(NodeBuilder(graph_.get(), "ReadVariableOp")
            .Name("result")
            .Attr("dtype", DType::kInt64)
            .Input(variable));
  ASSERT_TRUE(Run("init").ok());
  constexpr int kThreads = 4, kSteps = 100;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < kSteps; ++i) EXPECT_TRUE(Run("step").ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Tensor> out;
  ASSERT_TRUE(session_->Run({}, {}, {"result"}, {}, &out, nullptr).ok());
  EXPECT_EQ(out[0].scalar<int64_t>(), kThreads * kSteps);
}

TEST_F(MutexTest, ALockThatNobodyKeepsIsGivenBack) {
  Lock("again", lock_.node);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Run("again").ok());
}

TEST_F(MutexTest, AStepThatWaitsForItselfEndsAtItsDeadline) {
  const OutputRef second = Lock("second", lock_.node);
  Consume("stuck", lock_, second.node);
  Consume("fine", Lock("third", mutex_.node), mutex_.node);
  EXPECT_EQ(Run("stuck", 50).code(), Code::kDeadlineExceeded);
  EXPECT_TRUE(Run("fine").ok());
}

TEST_F(MutexTest, AStepThatFailsGivesItBack) {
  const OutputRef bad = Built(NodeBuilder(graph_.get(), "CheckNumerics")
                                  .Attr("message", std::string("on purpose"))
                                  .Input(Const(Tensor::Scalar<float>(NAN), lock_.node)));
  Consume("fails", lock_, bad.node);
  Consume("fine", Lock("other", mutex_.node), mutex_.node);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Run("fails").code(), Code::kInvalidArgument);
    EXPECT_TRUE(Run("fine").ok());
  }
}

// Two steps at once that fail with the lock, so that it goes from one to the other outside a
// kernel.
TEST_F(MutexTest, FailingStepsWakeThoseWhoWait) {
  const OutputRef bad = Built(NodeBuilder(graph_.get(), "CheckNumerics")
                                  .Attr("message", std::string("on purpose"))
                                  .Input(Const(Tensor::Scalar<float>(NAN), lock_.node)));
  Consume("fails", lock_, bad.node);
  ASSERT_EQ(Run("fails").code(), Code::kInvalidArgument);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < 20; ++i) EXPECT_EQ(Run("fails").code(), Code::kInvalidArgument);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(ConsumeMutexLock, RefusesWhatIsNoLock) {
  OpTest("ConsumeMutexLock")
      .Input(Tensor::Scalar(Variant::Of(3)))
      .ExpectError(Code::kInvalidArgument, "SharedLockReleaser");
  OpTest("ConsumeMutexLock")
      .Input(*Tensor::Allocate(DType::kVariant, Shape({2})))
      .ExpectError(Code::kInvalidArgument, "scalar");
}

}  // namespace
}  // namespace warpbeam
