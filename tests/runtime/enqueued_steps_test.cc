// Steps on a GPU whose kernels only enqueue: what runs when, and what becomes of errors, deadlines
// and memory.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "gtest/gtest.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

std::mutex names_mutex;
std::vector<std::string> thread_names;  // of those in which Probe has computed
std::atomic<bool> let_go{true};

WB_OP("ProbeForTest").Input("x: float").Output("y: float").Shape(shapes::Unchanged);
WB_OP("RefuseForTest").Input("x: float").Output("y: float").Shape(shapes::Unchanged);
WB_OP("WaitForTest").Input("x: float").Output("y: float").Shape(shapes::Unchanged);
// Its shape function is wrong.
WB_OP("MisshapenForTest").Input("x: float").Output("y: float").Shape(shapes::Unchanged);

Status CopyInput(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
  for (int64_t i = 0; i < x.num_elements(); ++i) y->data<float>()[i] = x.data<float>()[i];
  return OkStatus();
}

struct Probe final : Kernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) { return std::make_unique<Probe>(); }
  Status Compute(KernelContext& ctx) override {
    char name[32] = {};
    pthread_getname_np(pthread_self(), name, sizeof(name));
    {
      std::lock_guard<std::mutex> lock(names_mutex);
      thread_names.emplace_back(name);
    }
    return CopyInput(ctx);
  }
};
struct Refuse final : Kernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<Refuse>();
  }
  Status Compute(KernelContext&) override { return OutOfRange("it is refused"); }
};
struct Wait final : Kernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) { return std::make_unique<Wait>(); }
  Status Compute(KernelContext& ctx) override {
    while (!let_go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return CopyInput(ctx);
  }
};
struct Misshapen final : Kernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<Misshapen>();
  }
  Status Compute(KernelContext& ctx) override { return ctx.Allocate(0, Shape({7})).status(); }
};
WB_KERNEL("ProbeForTest", Probe).Cpu().Gpu();
WB_KERNEL("RefuseForTest", Refuse).Cpu().Gpu();
WB_KERNEL("WaitForTest", Wait).Cpu().Gpu();
WB_KERNEL("MisshapenForTest", Misshapen).Cpu().Gpu();

class EnqueuedSteps : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.simulated_gpus = 2;
    options_.simulated_gpus_enqueue = true;
    options_.passes = "none";
    let_go = true;
    thread_names.clear();
  }
  void TearDown() override { let_go = true; }

  OutputRef Add(const std::string& op, const std::string& name, std::vector<OutputRef> inputs,
                const std::string& device) {
    NodeBuilder builder(graph_.get(), op);
    builder.Name(name).Device(device);
    for (const OutputRef input : inputs) builder.Input(input);
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  OutputRef Constant(const std::string& name, Tensor value, const std::string& device) {
    auto made = AddConstant(graph_.get(), name, std::move(value), device);
    EXPECT_TRUE(made.ok()) << made.status();
    return {(*made)->id(), 0};
  }
  void Open() {
    auto session = Session::Create(options_, graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  Status Run(const std::vector<std::string>& fetches, int64_t timeout_ms = 0) {
    RunOptions run;
    run.timeout_ms = timeout_ms;
    return session_->Run(run, {}, fetches, {}, &out_);
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  SessionOptions options_;
  std::unique_ptr<Session> session_;
  std::vector<Tensor> out_;
};

TEST_F(EnqueuedSteps, KernelsComputeOnTheStreamAndNotWhereTheyAreLaunched) {
  const OutputRef c = Constant("c", Tensor::Vector<float>({1, 2, 3}), "/gpu:0");
  Add("ProbeForTest", "y", {Add("ProbeForTest", "x", {c}, "/gpu:0")}, "/gpu:1");
  Open();
  ASSERT_TRUE(Run({"y"}).ok());
  EXPECT_EQ(out_[0].ToString(), Tensor::Vector<float>({1, 2, 3}).ToString());
  EXPECT_THAT(thread_names, ::testing::ElementsAre("gpu:0/compute", "gpu:1/compute"));
}

TEST_F(EnqueuedSteps, AnErrorOfAnEnqueuedKernelNamesItsNodeAndTheSessionGoesOn) {
  const OutputRef c = Constant("c", Tensor::Vector<float>({1, 2, 3}), "/gpu:0");
  Add("ProbeForTest", "bad", {Add("RefuseForTest", "refuser", {c}, "/gpu:0")}, "/gpu:1");
  Add("ProbeForTest", "good", {c}, "/gpu:0");
  Open();
  for (int i = 0; i < 10; ++i) {
    const Status s = Run({"bad"});
    EXPECT_EQ(s.code(), StatusCode::kOutOfRange) << s;
    EXPECT_THAT(std::string(s.message()), HasSubstr("node 'refuser' (RefuseForTest)"));
    EXPECT_THAT(std::string(s.message()), HasSubstr("it is refused"));
    EXPECT_TRUE(Run({"good"}).ok());
  }
}

TEST_F(EnqueuedSteps, AShapeThatTheShapeFunctionDoesNotForeseeIsAnError) {
  Add("MisshapenForTest", "y", {Constant("c", Tensor::Vector<float>({1, 2}), "/gpu:0")}, "/gpu:0");
  Open();
  const Status s = Run({"y"});
  EXPECT_EQ(s.code(), StatusCode::kInternal) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr("[7]"));
}

TEST_F(EnqueuedSteps, ADeadlineEndsAStepWhoseWorkIsEnqueuedAndTellsWhatIsLeft) {
  const OutputRef c = Constant("c", Tensor::Scalar(1.0f), "/gpu:0");
  Add("WaitForTest", "waits", {c}, "/gpu:0");
  Open();
  let_go = false;
  RunOptions run;
  run.timeout_ms = 50;
  const Status s = session_->Run(run, {}, {}, {"waits"}, &out_);
  EXPECT_EQ(s.code(), StatusCode::kDeadlineExceeded) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr("what was enqueued on"));
  EXPECT_THAT(std::string(s.message()), HasSubstr("GPU:0"));
  EXPECT_EQ(Run({"waits"}, 50).code(), StatusCode::kDeadlineExceeded);
  let_go = true;
  EXPECT_TRUE(Run({"waits"}).ok());
  EXPECT_TRUE(session_->Close(10000).ok());
}

// Where each node is waited for it is known which one takes so long.
TEST_F(EnqueuedSteps, WhereLaunchesAreWaitedForTheNodeIsNamedThatDoesNotEnd) {
  const OutputRef c = Constant("c", Tensor::Scalar(1.0f), "/gpu:0");
  Add("ProbeForTest", "last", {Add("WaitForTest", "waits", {c}, "/gpu:0")}, "/gpu:0");
  options_.cuda_blocking = true;
  Open();
  ASSERT_TRUE(Run({"last"}).ok());
  let_go = false;
  const Status s = Run({"last"}, 50);
  EXPECT_EQ(s.code(), StatusCode::kDeadlineExceeded) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr("node 'waits' (WaitForTest)"));
  EXPECT_THAT(std::string(s.message()), ::testing::Not(HasSubstr("what was enqueued on")));
  let_go = true;
  EXPECT_TRUE(Run({"last"}).ok());
  EXPECT_TRUE(session_->Close(10000).ok());
}

// Each link's value is let go, and its memory given out again, as soon as the next is launched,
// while copies of all of them to the other GPU and to the host are under way.
TEST_F(EnqueuedSteps, MemoryIsUsedAgainInTheOrderOfTheStreamWhileCopiesReadIt) {
  constexpr int kLinks = 40, kElements = 20'000;
  std::vector<float> ones(kElements, 1.0f);
  OutputRef x = Constant("c", Tensor::FromValues<float>(Shape({kElements}), ones), "/gpu:0");
  const OutputRef one = x;
  std::vector<std::string> fetches;
  for (int i = 0; i < kLinks; ++i) {
    x = Add("AddV2", absl::StrCat("link", i), {x, one}, "/gpu:0");
    Add("AddV2", absl::StrCat("other", i), {x, x}, "/gpu:1");
    fetches.push_back(absl::StrCat("link", i));
    fetches.push_back(absl::StrCat("other", i));
  }
  options_.simulated_gpu_memory = int64_t{24} << 20;
  Open();
  for (int step = 0; step < 20; ++step) {
    ASSERT_TRUE(Run(fetches).ok());
    for (int i = 0; i < kLinks; ++i) {
      for (const int64_t at : {0, kElements / 2, kElements - 1}) {
        ASSERT_EQ(out_[2 * i].data<float>()[at], i + 2) << "link " << i;
        ASSERT_EQ(out_[2 * i + 1].data<float>()[at], 2 * (i + 2)) << "other " << i;
      }
    }
  }
}

}  // namespace
}  // namespace warpbeam
