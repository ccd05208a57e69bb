// Training steps in which each call of CUDA and of its libraries fails once: the step ends with a
// status that names node and call, the session goes on and closes, and nothing is left.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/control.h"
#include "frontend/layers/convolution.h"
#include "frontend/layers/dense.h"
#include "frontend/math.h"
#include "frontend/nn.h"
#include "frontend/operators.h"
#include "frontend/scope.h"
#include "frontend/training/optimizer.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "tests/cuda_stand_in/may_fail_unseen.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace frontend {
namespace {

struct Program {
  std::shared_ptr<Graph> graph;
  std::string init, step, loss, images;
};

// A convolution, a dense layer and their gradients, on images in a batch of any size.
const Program& Net() {
  static const Program net = [] {
    const Scope root = Scope::NewRoot();
    root.SetRandomSeed(5);
    const Scope gpu = root.Device("/gpu:0");
    const Output images = Placeholder(gpu, DType::kFloat, PartialShape({-1, 6, 6, 2}));
    const auto options = layers::ConvOptions().padding("same").activation(nn::Relu);
    Output y = layers::Conv2D(gpu.Named("conv"), images, 3, 3, options);
    y = layers::Dense(gpu.Named("logits"), layers::Flatten(gpu, y), 4);
    const Output loss = ReduceMean(gpu, Square(gpu, y));
    train::GradientDescentOptimizer optimizer(0.01);
    const Operation step = optimizer.Minimize(gpu, loss);
    const Operation init = GlobalVariablesInitializer(root);
    EXPECT_TRUE(root.ok()) << root.status();
    return Program{root.graph(), init.name(), step.name(), loss.name(), images.name()};
  }();
  return net;
}

std::unique_ptr<Session> Open() {
  SessionOptions options;
  options.gpus = 1;
  options.operation_timeout_ms = 30000;
  auto session = Session::Create(options, Net().graph);
  EXPECT_TRUE(session.ok()) << session.status();
  if (!session.ok()) return nullptr;
  const Status status = (*session)->Run(RunOptions(), {}, {}, {Net().init}, nullptr);
  EXPECT_TRUE(status.ok()) << status;
  return *std::move(session);
}

Status Step(Session& session, int64_t batch, float* value = nullptr) {
  const std::vector<float> ones(static_cast<size_t>(batch * 6 * 6 * 2), 1.0f);
  const Tensor images = Tensor::FromValues<float>(Shape({batch, 6, 6, 2}), ones);
  std::vector<Tensor> loss;
  WB_RETURN_IF_ERROR(
      session.Run(RunOptions(), {{Net().images, images}}, {Net().loss}, {Net().step}, &loss));
  if (value != nullptr) *value = loss[0].scalar<float>();
  return OkStatus();
}

// What is there while no session is: libraries and their plans are kept for the whole process.
cuda_stand_in::Leftovers LeftWithoutLibraries() {
  cuda_stand_in::Leftovers left = cuda_stand_in::Left();
  left.libraries = left.descriptors = 0;
  return left;
}

// A recording that cannot be begun is none. No copy of a step that is planned goes into one.
std::set<std::string> MayFailWhilePlanned() {
  using namespace cuda_stand_in::unseen;  // NOLINT: the reasons
  return MayFail({kWaiting, kClosing, kCurrentGpu, kGrowth}, {"cudaStreamBeginCapture"});
}
std::set<std::string> MayFailWhileRecorded() {
  using namespace cuda_stand_in::unseen;  // NOLINT: the reasons
  return MayFail({kWaiting, kClosing, kCurrentGpu, kGrowth, kRecording});
}

// A call of a step.
struct Call {
  std::string function;
  int64_t number;

  std::string ToString() const { return absl::StrCat(function, ", call ", number); }
};

// Which GPU is the current one every launch asks: of these calls some fail.
constexpr int64_t kOfEachLaunch = 5;

// All that the step makes; where threads race, one of the orders.
template <class Step>
std::vector<Call> CallsOf(Step step) {
  const std::map<std::string, int64_t> before = cuda_stand_in::CallsByFunction();
  EXPECT_TRUE(step().ok());
  std::vector<Call> calls;
  for (const auto& [function, count] : cuda_stand_in::CallsByFunction()) {
    const auto found = before.find(function);
    int64_t made = count - (found == before.end() ? 0 : found->second);
    if (absl::EndsWith(function, "etDevice")) made = std::min(made, kOfEachLaunch);
    for (int64_t i = 1; i <= made; ++i) calls.push_back({function, i});
  }
  return calls;
}

// Of `tolerated` functions a call may fail and the step be OK; its loss is then the one that it has
// if none fails.
void FailStep(Session& session, int64_t batch, const Call& call, const float* want,
              const std::set<std::string>& tolerated) {
  cuda_stand_in::FailCallOf(call.function, call.number);
  float loss = 0;
  const Status status = Step(session, batch, &loss);
  const bool failed = !cuda_stand_in::failed_call().empty();
  cuda_stand_in::FailCall(0);
  if (status.ok()) {
    EXPECT_TRUE(!failed || tolerated.count(call.function) > 0);
    EXPECT_EQ(loss, want == nullptr ? loss : *want);
    return;
  }
  EXPECT_TRUE(status.code() == StatusCode::kInternal ||
              status.code() == StatusCode::kResourceExhausted)
      << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "device:GPU:0")) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "made to fail")) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), call.function)) << status;
  if (!absl::StartsWith(call.function, "cuda") && !absl::StartsWith(call.function, "cuMem")) {
    EXPECT_TRUE(absl::StartsWith(status.message(), "node '")) << status;
  }
}

// Of a step that plans its products and convolutions: each batch is of a new size. One session goes
// on all the while.
TEST(FailingSteps, WhileTheyArePlanned) {
  {
    const auto session = Open();
    ASSERT_NE(session, nullptr);
    int64_t batch = 1;
    ASSERT_TRUE(Step(*session, batch++).ok());
    const int64_t none = cuda_stand_in::Left().descriptors;
    const std::vector<Call> calls = CallsOf([&] { return Step(*session, batch++); });
    const int64_t per_step = cuda_stand_in::Left().descriptors - none;
    EXPECT_GT(per_step, 0);
    EXPECT_GT(calls.size(), 200u);
    ASSERT_LT(calls.size(), 500u);  // of as many sizes all plans are kept
    for (const Call& call : calls) {
      SCOPED_TRACE(call.ToString());
      const int64_t before = cuda_stand_in::Left().descriptors;
      FailStep(*session, batch, call, /*want=*/nullptr, MayFailWhilePlanned());
      const Status again = Step(*session, batch++);
      ASSERT_TRUE(again.ok()) << again;
      // All plans of the step, once.
      EXPECT_EQ(cuda_stand_in::Left().descriptors - before, per_step);
    }
    EXPECT_TRUE(session->Close().ok());
  }
  EXPECT_EQ(LeftWithoutLibraries().ToString(), "");
}

// Of the step behind `before` others. Each session is closed behind the step that failed.
void FailSessions(int before, const std::set<std::string>& must_call) {
  constexpr int64_t kBatch = 1000;
  const auto open = [&] {
    auto session = Open();
    for (int i = 0; session != nullptr && i < before; ++i) {
      EXPECT_TRUE(Step(*session, kBatch).ok());
    }
    return session;
  };
  float want = 0;
  std::vector<Call> calls;
  {
    const auto session = open();
    ASSERT_NE(session, nullptr);
    calls = CallsOf([&] { return Step(*session, kBatch, &want); });
  }
  std::set<std::string> called;
  for (const Call& call : calls) called.insert(call.function);
  for (const std::string& function : must_call) EXPECT_EQ(called.count(function), 1u) << function;
  for (const Call& call : calls) {
    SCOPED_TRACE(call.ToString());
    const auto session = open();
    ASSERT_NE(session, nullptr);
    const int64_t planned = cuda_stand_in::Left().descriptors;
    FailStep(*session, kBatch, call, &want, MayFailWhileRecorded());
    const Status closed = session->Close();
    EXPECT_TRUE(closed.ok()) << closed;
    EXPECT_EQ(cuda_stand_in::Left().descriptors, planned);
  }
  EXPECT_EQ(LeftWithoutLibraries().ToString(), "");
}

TEST(FailingSteps, WhileTheyAreRecorded) {
  FailSessions(1, {"cudaStreamBeginCapture", "cudaStreamEndCapture", "cudaGraphInstantiate",
                   "cudaGraphLaunch", "cublasLtMatmul", "cudnnBackendExecute"});
}

TEST(FailingSteps, WhileTheyAreReplayed) { FailSessions(3, {"cudaGraphLaunch"}); }

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
