// Deadlines and cancellation while a step is still being compiled.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "gmock/gmock.h"
#include "graph/abandonment.h"
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
using Clock = std::chrono::steady_clock;
using Code = StatusCode;

std::atomic<int> being_made{0}, ended{0};
std::atomic<bool> release{false};

// Its kernel is not made before it is released, or nobody wants it any more.
class SlowToMakeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    ++being_made;
    while (!release && !IsAbandoned()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++ended;
    return std::make_unique<SlowToMakeKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    ctx.set_output(0, Tensor::Scalar(1.0f));
    return OkStatus();
  }
};
WB_OP("TestSlowToMake").Output("y: float").Stateful();
WB_KERNEL("TestSlowToMake", SlowToMakeKernel).Cpu();

// Does not end before the step does. It has no state, so it is folded.
class UntilCancelledKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<UntilCancelledKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    ctx.ParallelFor(4, 10'000'000, [&](int64_t, int64_t) {
      while (!ctx.IsCancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    ++ended;
    return Cancelled("told to stop");
  }
};
WB_OP("TestUntilCancelled").Input("x: float").Output("y: float");
WB_KERNEL("TestUntilCancelled", UntilCancelledKernel).Cpu();

class CompileDeadline : public ::testing::Test {
 protected:
  void SetUp() override {
    being_made = 0;
    ended = 0;
    release = false;
  }
  void TearDown() override { release = true; }

  void Open(const char* op, std::vector<OutputRef> inputs = {}) {
    NodeBuilder builder(graph_.get(), op);
    builder.Name("y");
    for (const OutputRef in : inputs) builder.Input(in);
    ASSERT_TRUE(builder.Build().ok());
    Open();
  }
  void Open() {
    auto session = Session::Create(SessionOptions(), graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  Status Run(int64_t timeout_ms, Cancellation* cancellation = nullptr) {
    RunOptions options;
    options.timeout_ms = timeout_ms;
    options.cancellation = cancellation;
    return session_->Run(options, {}, {"y:0"}, {}, nullptr, nullptr);
  }
  // In another thread, until the kernel is being made.
  std::thread Begin(const std::function<void()>& run) {
    std::thread thread(run);
    while (being_made == 0) std::this_thread::yield();
    return thread;
  }
  OutputRef Constant(Tensor value) {
    return {(*AddConstant(graph_.get(), "c", std::move(value)))->id(), 0};
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
};

TEST_F(CompileDeadline, EndsAStepWhoseKernelIsStillBeingMade) {
  Open("TestSlowToMake");
  const Status late = Run(50);
  EXPECT_EQ(late.code(), Code::kDeadlineExceeded) << late;
  EXPECT_THAT(std::string(late.message()),
              HasSubstr("did not end within 50 ms; it was still being compiled"));
  // Nobody waits any more.
  while (ended == 0) std::this_thread::yield();
  release = true;
  EXPECT_TRUE(Run(60'000).ok());
  EXPECT_TRUE(Run(0).ok());
}

TEST_F(CompileDeadline, EndsAStepThatWaitsForTheCompilationOfAnother) {
  Open("TestSlowToMake");
  std::thread other = Begin([&] { EXPECT_TRUE(Run(0).ok()); });
  EXPECT_EQ(Run(50).code(), Code::kDeadlineExceeded);
  EXPECT_EQ(ended, 0);  // the other waits
  release = true;
  other.join();
  EXPECT_EQ(being_made, 1);
}

TEST_F(CompileDeadline, HoldsForCancellation) {
  Open("TestSlowToMake");
  Cancellation cancellation;
  std::thread gone = Begin([&] {
    const Status s = Run(0, &cancellation);
    EXPECT_EQ(s.code(), Code::kCancelled) << s;
    EXPECT_THAT(std::string(s.message()), HasSubstr("the client has gone"));
  });
  cancellation.Cancel(Cancelled("the client has gone"));
  gone.join();
  while (ended == 0) std::this_thread::yield();
}

TEST_F(CompileDeadline, HoldsForTheEndOfTheSession) {
  Open("TestSlowToMake");
  std::thread closed = Begin([&] { EXPECT_EQ(Run(0).code(), Code::kCancelled); });
  EXPECT_TRUE(session_->Close(60'000).ok());
  closed.join();
}

TEST_F(CompileDeadline, HoldsForCallables) {
  Open("TestSlowToMake");
  CallableOptions options;
  options.fetches = {"y:0"};
  options.run.timeout_ms = 50;
  EXPECT_EQ(session_->MakeCallable(options).status().code(), Code::kDeadlineExceeded);
  release = true;
  options.run.timeout_ms = 60'000;
  EXPECT_TRUE(session_->MakeCallable(options).ok());
}

TEST_F(CompileDeadline, IsOneForCompilingAndRunning) {
  Open("TestSlowToMake");
  std::thread releases([] {
    while (being_made == 0) std::this_thread::yield();
    release = true;
  });
  EXPECT_TRUE(Run(60'000).ok());
  releases.join();
}

// A kernel that is evaluated looks at whether anyone waits, as one that runs does.
TEST_F(CompileDeadline, EndsFolding) {
  Open("TestUntilCancelled", {Constant(Tensor::Scalar(1.0f))});
  EXPECT_EQ(Run(50).code(), Code::kDeadlineExceeded);
  EXPECT_TRUE(session_->Close(60'000).ok());
  EXPECT_EQ(ended, 1);
}

// What blocks in the system is not done while a step is compiled.
TEST_F(CompileDeadline, NothingThatReadsAPipeIsFolded) {
  const std::string pipe = ::testing::TempDir() + "pipe";
  remove(pipe.c_str());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  ASSERT_TRUE(NodeBuilder(graph_.get(), "GenerateVocabRemapping")
                  .Name("y")
                  .Input(Constant(Tensor::Scalar(pipe)))
                  .Input(Constant(Tensor::Scalar(pipe)))
                  .Attr("new_vocab_offset", int64_t{0})
                  .Attr("num_new_vocab", int64_t{1})
                  .Build()
                  .ok());
  Open();
  const Status late = Run(100);
  EXPECT_EQ(late.code(), Code::kDeadlineExceeded) << late;
  EXPECT_THAT(std::string(late.message()), HasSubstr("'y' (GenerateVocabRemapping)"));
  // Lets the kernel end.
  while (!session_->Close(50).ok()) {
    const int to = open(pipe.c_str(), O_WRONLY | O_NONBLOCK);
    if (to < 0) continue;  // nobody reads now
    EXPECT_EQ(write(to, "word\n", 5), 5);
    close(to);
  }
}

TEST_F(CompileDeadline, EndsAGraphOfManyNodes) {
  const OutputRef shape = Constant(Tensor::Vector<int32_t>({1}));
  auto x = NodeBuilder(graph_.get(), "RandomUniform")
               .Input(shape)
               .Attr("dtype", DType::kFloat)
               .BuildOutput();
  for (int i = 0; x.ok() && i < 100'000; ++i) {
    x = NodeBuilder(graph_.get(), "Tanh").Input(*x).BuildOutput();
  }
  ASSERT_TRUE(x.ok()) << x.status();
  Open("Neg", {*x});
  const auto begin = Clock::now();
  EXPECT_EQ(Run(20).code(), Code::kDeadlineExceeded);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
  EXPECT_TRUE(session_->Close(60'000).ok());
}

}  // namespace
}  // namespace warpbeam
