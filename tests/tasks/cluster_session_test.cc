// Sessions whose tasks send each other the messages of a cluster: what crosses, what a failure of
// another task looks like, and what is left of a step.
#include <thread>

#include "frontend/ops/array_ops.h"
#include "frontend/ops/data_flow_ops.h"
#include "frontend/ops/math_ops.h"
#include "frontend/ops/state_ops.h"
#include "gmock/gmock.h"
#include "proto/worker.pb.h"
#include "tests/tasks/two_tasks.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kPsName[] = "/job:ps/replica:0/task:0";

class ClusterSessionTest : public ::testing::Test {
 protected:
  void Open(const Scope& root, bool is_isolated = false) {
    ASSERT_TRUE(root.status().ok()) << root.status();
    if (cluster_ == nullptr) {
      auto cluster = LocalCluster::Create(WorkerAndPs().tasks, SessionOptions());
      ASSERT_TRUE(cluster.ok()) << cluster.status();
      cluster_ = *std::move(cluster);
    }
    session_.reset();
    auto session = cluster_->NewSession(root.graph(), is_isolated);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  float Fetch(const std::string& name, const NamedTensors& feeds = {}) {
    std::vector<Tensor> out;
    const Status ran = session_->Run({}, feeds, {name}, {}, &out);
    EXPECT_TRUE(ran.ok()) << name << ": " << ran;
    return ran.ok() ? out[0].scalar<float>() : 0;
  }
  Status Run(const std::vector<std::string>& fetches, const std::vector<std::string>& targets = {},
             const RunOptions& options = {}) {
    std::vector<Tensor> out;
    return session_->Run(options, {}, fetches, targets, &out);
  }
  void ExpectNothingIsLeft() {
    EXPECT_EQ(cluster_->worker(0).steps().size(), 0);
    EXPECT_EQ(cluster_->worker(1).steps().size(), 0);
    EXPECT_EQ(cluster_->worker(0).kept_bytes(), 0);
    EXPECT_EQ(cluster_->worker(1).kept_bytes(), 0);
  }

  std::unique_ptr<LocalCluster> cluster_;
  std::unique_ptr<Session> session_;
};

TEST_F(ClusterSessionTest, AStepThatWillNotFitIntoAnotherTasksMemoryIsNotBegun) {
  SessionOptions options;
  options.simulated_gpus = 1;
  options.simulated_gpu_memory = 4 << 20;
  options.memory_forecast = MemoryForecastUse::kAdmit;
  auto cluster = LocalCluster::Create(WorkerAndPs().tasks, options);
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  cluster_ = *std::move(cluster);
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape({-1}));
  const Output y = Add(root.Device("/job:ps/task:0/gpu:0").Named("y"), x, 1.0f);
  ops::Sum(root.Named("sum"), y, 0);
  Open(root);
  const auto zeros = [](int64_t n) {
    return Tensor::FromValues<float>(Shape({n}), std::vector<float>(static_cast<size_t>(n), 0));
  };
  // An operand and a result of 256 KiB each, and of 4 MiB.
  EXPECT_EQ(Fetch("sum", {{"x", zeros(1 << 16)}}), 1 << 16);
  std::vector<Tensor> out;
  const Status s = session_->Run({}, {{"x", zeros(1 << 20)}}, {"sum"}, {}, &out);
  EXPECT_EQ(s.code(), StatusCode::kResourceExhausted) << s;
  EXPECT_THAT(std::string(s.message()),
              AllOf(HasSubstr("is predicted not to fit"), HasSubstr(kPsName),
                    HasSubstr("GPU:0' would need 8.0 MiB of 4.0 MiB"), HasSubstr("'y:0'")));
  ExpectNothingIsLeft();
}

TEST_F(ClusterSessionTest, APartialRunIsFedAndFetchedWhileBothTasksRunIt) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Scope ps = root.Device(kPs);
  const Output a = Placeholder(ps.Named("a"), DType::kFloat, PartialShape(Shape()));
  const Output b = Placeholder(root.Named("b"), DType::kFloat, PartialShape(Shape()));
  const Output doubled = Multiply(ps.Named("doubled"), a, 2.0f);
  const Output sum = Add(root.Named("sum"), doubled, b);
  Add(ps.Named("more"), sum, 1.0f);
  const Output bad = Placeholder(ps.Named("bad"), DType::kFloat, PartialShape::Unknown());
  Reshape(ps.Named("shaped"), bad, {2});
  Open(root);
  for (int round = 0; round < 3; ++round) {
    const auto run = session_->PartialRunSetup({"a", "b"}, {"doubled", "more"}, {});
    ASSERT_TRUE(run.ok()) << run.status();
    std::vector<Tensor> out;
    Status part = session_->PartialRun(*run, {{"a", Tensor::Scalar(3.0f)}}, {"doubled"}, &out);
    ASSERT_TRUE(part.ok()) << part;
    EXPECT_EQ(out[0].scalar<float>(), 6);
    part = session_->PartialRun(*run, {{"b", Tensor::Scalar(0.5f)}}, {"more"}, &out);
    ASSERT_TRUE(part.ok()) << part;
    EXPECT_EQ(out[0].scalar<float>(), 7.5f);
    ExpectNothingIsLeft();
  }
  // An error of the other task ends it here, and one that is never finished does not keep the
  // session.
  const auto failing = session_->PartialRunSetup({"bad", "a", "b"}, {"shaped", "more"}, {});
  ASSERT_TRUE(failing.ok()) << failing.status();
  const Status failed =
      session_->PartialRun(*failing, {{"bad", Tensor::Scalar(3.0f)}}, {"shaped"}, nullptr);
  EXPECT_EQ(failed.code(), StatusCode::kInvalidArgument) << failed;
  EXPECT_THAT(std::string(failed.message()), AllOf(HasSubstr(kPsName), HasSubstr("shaped")));
  ASSERT_TRUE(session_->PartialRunSetup({"a", "b"}, {"more"}, {}).ok());
  session_.reset();
  ExpectNothingIsLeft();
}

TEST_F(ClusterSessionTest, FeedsAndFetchesOfTheOtherTaskAreTheCallers) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Scope ps = root.Device(kPs);
  const Output x = Placeholder(ps.Named("x"), DType::kFloat, PartialShape(Shape()));
  const Output doubled = Multiply(ps.Named("doubled"), x, 2.0f);
  Add(root.Named("sum"), doubled, x);
  Open(root);
  EXPECT_EQ(Fetch("doubled:0", {{"x:0", Tensor::Scalar(3.0f)}}), 6);
  EXPECT_EQ(Fetch("sum:0", {{"x:0", Tensor::Scalar(4.0f)}}), 12);
  // What is computed may be fed, too.
  EXPECT_EQ(Fetch("sum:0", {{"doubled:0", Tensor::Scalar(1.0f)}, {"x:0", Tensor::Scalar(4.0f)}}),
            5);
  ExpectNothingIsLeft();
}

TEST_F(ClusterSessionTest, SessionsShareVariablesUnlessTheyAreIsolated) {
  const Scope root = Scope::NewRoot().Device(kPs);
  const Variable v(root.Named("v"), Constant(root, 5.0f));
  Identity(root.Device(kWorker).Named("read"), v.read());
  GlobalVariablesInitializer(root.Named("init"));
  Open(root);
  ASSERT_TRUE(Run({}, {"init"}).ok());
  EXPECT_EQ(Fetch("read:0"), 5);
  Open(root);
  EXPECT_EQ(Fetch("read:0"), 5);
  Open(root, /*is_isolated=*/true);
  const Status unset = Run({"read:0"});
  EXPECT_EQ(unset.code(), StatusCode::kFailedPrecondition) << unset;
  EXPECT_THAT(std::string(unset.message()), HasSubstr("v"));
}

TEST_F(ClusterSessionTest, AnErrorNamesTaskAndNode) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape(Shape()));
  const Output checked = ops::CheckNumerics(root.Device(kPs).Named("checked"), x, "not finite");
  Add(root.Named("sum"), checked, 1.0f);
  Open(root);
  std::vector<Tensor> out;
  for (int i = 0; i < 10; ++i) {
    const Status failed = session_->Run(
        {}, {{"x:0", Tensor::Scalar(std::numeric_limits<float>::infinity())}}, {"sum:0"}, {}, &out);
    EXPECT_EQ(failed.code(), StatusCode::kInvalidArgument) << failed;
    EXPECT_THAT(std::string(failed.message()),
                AllOf(HasSubstr(absl::StrCat("From ", kPsName, ":")), HasSubstr("not finite"),
                      HasSubstr("[[{{node checked}}]]")));
    EXPECT_EQ(Fetch("sum:0", {{"x:0", Tensor::Scalar(1.0f)}}), 2);
  }
  ExpectNothingIsLeft();
}

TEST_F(ClusterSessionTest, RequestsThatComeAgainChangeNothing) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Scope ps = root.Device(kPs);
  const Variable v(ps.Named("v"), Constant(ps, 1.0f));
  const Output sum = ops::AssignAdd(ps.Named("add"), v.ref(), Square(root, Constant(root, 2.0f)));
  Square(root.Named("here"), sum);
  GlobalVariablesInitializer(root.Named("init"));
  Open(root);
  cluster_->RepeatRequests();
  ASSERT_TRUE(Run({}, {"init"}).ok());
  EXPECT_EQ(Fetch("here:0"), 25);
  EXPECT_EQ(Fetch("here:0"), 81);
  ExpectNothingIsLeft();
}

TEST_F(ClusterSessionTest, ATaskTellsWhatItHasReceivedWhereAMasterWantsToKnow) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape(Shape()));
  Square(root.Device(kPs).Named("there"), x);
  Open(root);
  Worker& ps = cluster_->worker(1);
  std::vector<int64_t> steps;
  const auto log = [&](bool on) {
    tensorflow::LoggingRequest request;
    tensorflow::LoggingResponse response;
    request.set_enable_rpc_logging(on);
    for (const int64_t step : steps) request.add_fetch_step_id(step);
    EXPECT_TRUE(ps.Logging(request, &response).ok());
    return response;
  };
  cluster_->Script(kPsName, [&](absl::string_view) {
    for (const auto& step : ps.steps().Ids()) steps.push_back(step);
    return OkStatus();
  });
  EXPECT_EQ(Fetch("there:0", {{"x:0", Tensor::Scalar(3.0f)}}), 9);
  EXPECT_EQ(log(/*on=*/true).step_size(), 0);
  EXPECT_EQ(Fetch("there:0", {{"x:0", Tensor::Scalar(3.0f)}}), 9);
  ASSERT_FALSE(steps.empty());
  const tensorflow::LoggingResponse told = log(/*on=*/false);
  ASSERT_EQ(told.step_size(), 1);
  ASSERT_EQ(told.step(0).step_stats().dev_stats_size(), 1);
  const tensorflow::DeviceStepStats& device = told.step(0).step_stats().dev_stats(0);
  EXPECT_EQ(device.device(), absl::StrCat(kPsName, "/device:CPU:0"));
  EXPECT_EQ(device.node_stats(0).node_name(), "RecvTensor");
  EXPECT_THAT(device.node_stats(0).timeline_label(), AllOf(HasSubstr("[4B]"), HasSubstr("x")));
  EXPECT_EQ(log(/*on=*/false).step_size(), 0);  // told once
  tensorflow::TracingResponse nothing;
  EXPECT_TRUE(IsUnimplemented(ps.Tracing({}, &nothing)));
}

TEST_F(ClusterSessionTest, ADeadlineEndsWhatTheOtherTaskWaitsFor) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Scope ps = root.Device(kPs);
  const Output queue = ops::FIFOQueueV2(ps.Named("queue"), {DType::kFloat});
  const Output taken = ops::QueueDequeueV2(ps.Named("taken"), queue, {DType::kFloat})[0];
  Add(root.Named("sum"), taken, 1.0f);
  ops::QueueEnqueueV2(ps.Named("fill"), queue, {Constant(root, 2.0f)});
  Open(root);
  RunOptions options;
  options.timeout_ms = 200;
  const Status late = Run({"sum:0"}, {}, options);
  EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded) << late;
  ExpectNothingIsLeft();
  ASSERT_TRUE(Run({}, {"fill"}).ok());
  EXPECT_EQ(Fetch("sum:0"), 3);
}

TEST_F(ClusterSessionTest, CloseEndsAStepThatWaitsElsewhere) {
  const Scope root = Scope::NewRoot().Device(kPs);
  const Output queue = ops::FIFOQueueV2(root.Named("queue"), {DType::kFloat});
  Identity(root.Named("taken"), ops::QueueDequeueV2(root, queue, {DType::kFloat})[0]);
  ops::QueueEnqueueV2(root.Named("fill"), queue, {Constant(root, 2.0f)});
  Open(root);
  Status ended;
  std::thread waits([&] { ended = Run({"taken:0"}); });
  while (cluster_->worker(1).steps().size() == 0) std::this_thread::yield();
  EXPECT_TRUE(session_->Close(5000).ok());
  waits.join();
  EXPECT_EQ(ended.code(), StatusCode::kCancelled) << ended;
  ExpectNothingIsLeft();
}

TEST_F(ClusterSessionTest, ATaskThatGoesAwayIsNamed) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Output x = Placeholder(root.Device(kPs).Named("x"), DType::kFloat, PartialShape(Shape()));
  Square(root.Device(kPs).Named("there"), x);
  Square(root.Named("here"), Constant(root, 3.0f));
  Open(root);
  const NamedTensors fed = {{"x:0", Tensor::Scalar(3.0f)}};
  const auto refuse = [&](absl::string_view which) {
    cluster_->Script(kPsName, [which = std::string(which)](absl::string_view call) {
      return call == which ? Unavailable("connection refused") : OkStatus();
    });
  };
  for (const char* call : {"RegisterGraph", "RunGraph", "RecvTensor"}) {
    refuse(call);
    std::vector<Tensor> out;
    const Status gone = session_->Run({}, fed, {"there:0"}, {}, &out);
    EXPECT_EQ(gone.code(), StatusCode::kUnavailable) << call << ": " << gone;
    EXPECT_THAT(std::string(gone.message()), HasSubstr("connection refused")) << call;
    // A step that does not touch the task does not notice.
    EXPECT_EQ(Fetch("here:0"), 9) << call;
    ExpectNothingIsLeft();
  }
  refuse("GetStatus");
  const auto session = cluster_->NewSession(root.graph());
  EXPECT_EQ(session.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(session.status().message()), HasSubstr(kPsName));
}

TEST_F(ClusterSessionTest, AStepRegistersOnceAndLeavesNothing) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape(Shape()));
  Add(root.Named("sum"), Square(root.Device(kPs), x), 1.0f);
  Open(root);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(Fetch("sum:0", {{"x:0", Tensor::Scalar(static_cast<float>(i))}}),
              static_cast<float>(i * i + 1));
  }
  EXPECT_EQ(cluster_->calls(kPsName, "RegisterGraph"), 1);
  EXPECT_EQ(cluster_->calls(kPsName, "RunGraph"), 20);
  EXPECT_EQ(cluster_->calls(kPsName, "CleanupGraph"), 20);
  session_.reset();
  EXPECT_EQ(cluster_->calls(kPsName, "DeregisterGraph"), 1);
  EXPECT_EQ(cluster_->calls(kPsName, "DeleteWorkerSession"), 1);
}

TEST_F(ClusterSessionTest, WhatIsAddedLaterRunsToo) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Output x = Constant(root.Named("x"), 2.0f);
  Open(root);
  const Status extended = session_->Extend([&](Graph&) {
    Square(root.Device(kPs).Named("later"), x);
    return root.status();
  });
  ASSERT_TRUE(extended.ok()) << extended;
  EXPECT_EQ(Fetch("later:0"), 4);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
