// Kernels that do not end when they are told to, in steps of one client, and other clients' steps
// on the same devices.
#include <atomic>
#include <chrono>
#include <deque>
#include <thread>

#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "graph/op/op_registry.h"
#include "gtest/gtest.h"
#include "runtime/kernel/cancellation.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;
using Code = StatusCode;

std::atomic<int> begun{0};
std::atomic<bool> release{false};

void AwaitRelease() {
  ++begun;
  while (!release) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// By itself, or in a loop that other threads share.
template <bool kShares>
class DeafKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<DeafKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    if (kShares) {
      ctx.ParallelFor(64, 10'000'000, [](int64_t, int64_t) { AwaitRelease(); });
    } else {
      AwaitRelease();
    }
    ctx.set_output(0, Tensor::Scalar(0.0f));
    return OkStatus();
  }
};
WB_OP("TestDeaf").Output("y: float").Stateful();
WB_KERNEL("TestDeaf", DeafKernel<false>).Cpu();
WB_OP("TestDeafLoop").Output("y: float").Stateful();
WB_KERNEL("TestDeafLoop", DeafKernel<true>).Cpu();

class LostKernels : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    release = false;
    begun = 0;
    SessionOptions options;
    options.intra_op_threads = 2;
    auto devices = CreateDevices(options);
    ASSERT_TRUE(devices.ok()) << devices.status();
    options_.devices = *devices;
    bad_ = Open([](Graph* graph) { return NodeBuilder(graph, GetParam()).Name("y").Build(); });
    good_ = Open([](Graph* graph) -> StatusOr<const Node*> {
      const Node* shape = *AddConstant(graph, "shape", Tensor::Vector<int32_t>({1 << 20}));
      WB_ASSIGN_OR_RETURN(const OutputRef x, NodeBuilder(graph, "RandomUniform")
                                                 .Input(shape)
                                                 .Attr("dtype", DType::kFloat)
                                                 .BuildOutput());
      WB_ASSIGN_OR_RETURN(const OutputRef squares,
                          NodeBuilder(graph, "Square").Input(x).BuildOutput());
      const Node* axis = *AddConstant(graph, "axis", Tensor::Vector<int32_t>({0}));
      return NodeBuilder(graph, "Sum").Name("y").Input(squares).Input(axis).Build();
    });
  }
  void TearDown() override { release = true; }

  template <class Build>
  std::unique_ptr<Session> Open(const Build& build) {
    auto graph = std::make_shared<Graph>();
    const auto built = build(graph.get());
    EXPECT_TRUE(built.ok()) << built.status();
    auto session = Session::Create(options_, std::move(graph));
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }
  void ExpectOthersRun() {
    for (const int64_t timeout_ms : {60'000, 0, 60'000}) {
      RunOptions options;
      options.timeout_ms = timeout_ms;
      std::vector<Tensor> out;
      const Status s = good_->Run(options, {}, {"y:0"}, {}, &out, nullptr);
      ASSERT_TRUE(s.ok()) << s;
    }
  }

  SessionOptions options_;
  std::unique_ptr<Session> bad_, good_;
};

TEST_P(LostKernels, OfStepsWithDeadlinesLeaveTheThreadsToOthers) {
  for (int i = 0; i < 4; ++i) {
    RunOptions options;
    options.timeout_ms = 60;
    const Status late = bad_->Run(options, {}, {"y:0"}, {}, nullptr, nullptr);
    EXPECT_EQ(late.code(), Code::kDeadlineExceeded) << late;
    EXPECT_THAT(std::string(late.message()), HasSubstr("left behind"));
    ExpectOthersRun();
  }
}

// Their callers are lost, but not the devices' threads.
TEST_P(LostKernels, OfCancelledStepsWithoutDeadlinesToo) {
  std::vector<std::thread> callers;
  std::deque<Cancellation> cancellations;
  for (int i = 0; i < 4; ++i) {
    Cancellation& cancellation = cancellations.emplace_back();
    const int before = begun;
    callers.emplace_back([&] {
      RunOptions options;
      options.cancellation = &cancellation;
      const Status gone = bad_->Run(options, {}, {"y:0"}, {}, nullptr, nullptr);
      EXPECT_EQ(gone.code(), Code::kCancelled) << gone;
    });
    while (begun == before) std::this_thread::yield();
    cancellation.Cancel(Cancelled("the client has gone"));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ExpectOthersRun();
  }
  release = true;
  for (std::thread& caller : callers) caller.join();
}

// A session of which it is known that it has lost kernels is not waited for once more.
TEST_P(LostKernels, AreWaitedForOnce) {
  RunOptions options;
  options.timeout_ms = 60;
  EXPECT_FALSE(bad_->Run(options, {}, {"y:0"}, {}, nullptr, nullptr).ok());
  EXPECT_EQ(bad_->Close(100).code(), Code::kDeadlineExceeded);
  const auto begin = std::chrono::steady_clock::now();
  bad_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

INSTANTIATE_TEST_SUITE_P(Kinds, LostKernels, ::testing::Values("TestDeaf", "TestDeafLoop"));

}  // namespace
}  // namespace warpbeam
