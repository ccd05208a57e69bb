// What happens on one task when another fails, is late, or is asked for more; and what a step tells
// of both.
#include <set>

#include "absl/strings/match.h"
#include "frontend/ops/array_ops.h"
#include "frontend/ops/data_flow_ops.h"
#include "gmock/gmock.h"
#include "tests/tasks/two_tasks.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::unique_ptr<Session> Open(const Scope& root) {
  auto session = NewTaskGroupSession(WorkerAndPs(), root.graph());
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *std::move(session) : nullptr;
}

TEST(TaskErrorsTest, AFailureOnTheOtherTaskEndsTheStepByItsName) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape(Shape({2})));
  const Output checked = ops::CheckNumerics(root.Device(kPs).Named("checked"), x, "not finite");
  Add(root.Named("sum"), checked, 1.0f);
  const std::unique_ptr<Session> session = Open(root);
  ASSERT_NE(session, nullptr);
  Tensor bad = *Tensor::Allocate(DType::kFloat, Shape({2}));
  bad.data<float>()[0] = bad.data<float>()[1] = std::numeric_limits<float>::infinity();
  Tensor good = *Tensor::Allocate(DType::kFloat, Shape({2}));
  good.data<float>()[0] = good.data<float>()[1] = 1;
  std::vector<Tensor> out;
  for (int i = 0; i < 10; ++i) {
    const Status failed = session->Run({}, {{"x:0", bad}}, {"sum:0"}, {}, &out);
    EXPECT_EQ(failed.code(), StatusCode::kInvalidArgument) << failed;
    EXPECT_THAT(std::string(failed.message()), AllOf(HasSubstr("checked"), HasSubstr("job:ps")));
    const Status ran = session->Run({}, {{"x:0", good}}, {"sum:0"}, {}, &out);
    ASSERT_TRUE(ran.ok()) << ran;
    EXPECT_EQ(out[0].data<float>()[1], 2);
  }
}

TEST(TaskErrorsTest, ADeadlineNamesWhatTheOtherTaskWaitsFor) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Scope ps = root.Device(kPs);
  const Output queue = ops::FIFOQueueV2(ps.Named("queue"), {DType::kFloat});
  const Output taken = ops::QueueDequeueV2(ps.Named("taken"), queue, {DType::kFloat})[0];
  Add(root.Named("sum"), taken, 1.0f);
  ops::QueueEnqueueV2(ps.Named("fill"), queue, {Constant(root, 2.0f)});
  const std::unique_ptr<Session> session = Open(root);
  ASSERT_NE(session, nullptr);
  RunOptions run;
  run.timeout_ms = 200;
  std::vector<Tensor> out;
  const Status late = session->Run(run, {}, {"sum:0"}, {}, &out);
  EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded) << late;
  EXPECT_THAT(std::string(late.message()), HasSubstr("running"));
  // Nothing is lost, and the queue still works.
  ASSERT_TRUE(session->Run({}, {}, {}, {"fill"}, nullptr).ok());
  const Status ran = session->Run({}, {}, {"sum:0"}, {}, &out);
  ASSERT_TRUE(ran.ok()) << ran;
  EXPECT_EQ(out[0].scalar<float>(), 3);
}

TEST(TaskErrorsTest, AStepTellsOfAllTasks) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape(Shape()));
  const Output there = Square(root.Device(kPs).Named("there"), x);
  Add(root.Named("here"), there, x);
  const std::unique_ptr<Session> session = Open(root);
  ASSERT_NE(session, nullptr);
  RunOptions run;
  run.trace = TraceLevel::kFull;
  run.partition_graphs = true;
  RunMetadata metadata;
  std::vector<Tensor> out;
  const Status ran =
      session->Run(run, {{"x:0", Tensor::Scalar(3.0f)}}, {"here:0"}, {}, &out, &metadata);
  ASSERT_TRUE(ran.ok()) << ran;
  EXPECT_EQ(out[0].scalar<float>(), 12);
  std::set<std::string> devices;
  for (const NodeStats& node : metadata.step_stats.nodes) {
    for (const int32_t before : node.predecessors) {
      EXPECT_LT(static_cast<size_t>(before), metadata.step_stats.nodes.size());
    }
    devices.insert(std::string(node.device));
  }
  EXPECT_EQ(devices.size(), 2u);
  EXPECT_EQ(metadata.partition_graphs.size(), 2u);
  // "x" goes there, and its square comes back.
  EXPECT_EQ(metadata.nodes_executed, 6);
}

TEST(TaskErrorsTest, WhatIsAddedLaterRunsToo) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Output x = Constant(root.Named("x"), 2.0f);
  const std::unique_ptr<Session> session = Open(root);
  ASSERT_NE(session, nullptr);
  const Status extended = session->Extend([&](Graph&) {
    Square(root.Device(kPs).Named("later"), x);
    return root.status();
  });
  ASSERT_TRUE(extended.ok()) << extended;
  std::vector<Tensor> out;
  const Status ran = session->Run({}, {}, {"later:0"}, {}, &out);
  ASSERT_TRUE(ran.ok()) << ran;
  EXPECT_EQ(out[0].scalar<float>(), 4);
}

TEST(TaskErrorsTest, ATaskTwiceAndNoneAreRefused) {
  const Scope root = Scope::NewRoot();
  TaskGroupOptions options;
  EXPECT_EQ(NewTaskGroupSession(options, root.graph()).status().code(),
            StatusCode::kInvalidArgument);
  options.tasks = {{"worker", 0}, {"worker", 0}};
  EXPECT_EQ(NewTaskGroupSession(options, root.graph()).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
