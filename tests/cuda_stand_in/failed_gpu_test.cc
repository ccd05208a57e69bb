// A GPU on which a kernel faults: what the status says, that everything is refused from then on
// without a call of CUDA, that other GPUs and the CPU go on, and that all of it can be closed.
//
// A GPU that has failed stays so. Each test has one of its own, and opens none with a higher number
// but in its own sessions: those of later tests are lower.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "gtest/gtest.h"
#include "runtime/comm/collective_kind.h"
#include "runtime/comm/gpu_communicator.h"
#include "runtime/device/device_health.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/session.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kUnusable[] = " cannot be used any more, the process has to be restarted: ";
constexpr char kError[] = "cudaErrorIllegalAddress, made to fail";
constexpr char kHint[] = "run with cuda_blocking to find the node";

WB_OP("FedForTest").Output("y: float").Shape(shapes::Scalar);
WB_OP("PassForTest").Input("x: float").Output("y: float").Shape(shapes::Unchanged);

struct PassOnCpu final : Kernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<PassOnCpu>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape()));
    *y->data<float>() = *ctx.input(0).data<float>();
    return OkStatus();
  }
};
struct PassOnGpu final : GpuKernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<PassOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return true; }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape()));
    return stream.RunOnHost(
        [from = ctx.input(0).data<float>(), to = y->data<float>()] { *to = *from; });
  }
};
WB_KERNEL("FedForTest", PassOnCpu).Cpu();
WB_KERNEL("PassForTest", PassOnCpu).Cpu().Gpu();
WB_GPU_KERNEL("PassForTest", PassOnGpu);

// x is fed; a, b and c hand it on, on a GPU, d does on the CPU, and z on the first GPU.
std::shared_ptr<Graph> GraphOn(int gpu) {
  const auto graph = std::make_shared<Graph>();
  const auto add = [&](const char* name, const std::string& device, const char* input) {
    NodeBuilder builder(graph.get(), *input == '\0' ? "FedForTest" : "PassForTest");
    builder.Name(name).Device(device);
    if (*input != '\0') builder.Input(OutputRef{graph->Find(input)->id(), 0});
    const auto made = builder.Build();
    EXPECT_TRUE(made.ok()) << made.status();
  };
  const std::string there = absl::StrCat("/gpu:", gpu);
  add("x", "/cpu:0", "");
  add("a", there, "x");
  add("b", there, "a");
  add("c", there, "b");
  add("d", "/cpu:0", "x");
  add("z", "/gpu:0", "x");
  return graph;
}

StatusOr<std::unique_ptr<Session>> Open(int gpu, bool blocking = false) {
  cuda_stand_in::SetGpus(8);
  SessionOptions options;
  options.gpus = gpu + 1;
  options.passes = "none";
  options.cuda_blocking = blocking;
  options.operation_timeout_ms = 30000;
  return Session::Create(options, GraphOn(gpu < 0 ? 0 : gpu));
}

Status Fetch(Session& session, const std::string& fetch) {
  std::vector<Tensor> out;
  WB_RETURN_IF_ERROR(session.Run(RunOptions(), {{"x:0", Tensor::Scalar(7.0f)}}, {fetch}, {}, &out));
  EXPECT_EQ(out[0].scalar<float>(), 7);
  return OkStatus();
}

std::string Left() {
  cuda_stand_in::Leftovers left = cuda_stand_in::Left();
  left.libraries = left.descriptors = 0;
  return left.ToString();
}

// Of a session on GPU `gpu`, which has failed with `first`.
void ExpectRefused(Session& session, int gpu, const std::string& first) {
  const int64_t before = cuda_stand_in::calls();
  for (const char* fetch : {"c:0", "a:0", "c:0"}) {
    const Status again = Fetch(session, fetch);
    EXPECT_EQ(again.code(), StatusCode::kInternal);
    EXPECT_THAT(again.message(), HasSubstr(first));
  }
  EXPECT_EQ(cuda_stand_in::calls(), before);
  const Status on_cpu = Fetch(session, "d:0");
  EXPECT_TRUE(on_cpu.ok()) << on_cpu;
  EXPECT_THAT(Open(gpu).status().message(), HasSubstr(first));
  EXPECT_EQ(RegisteredGpuPlatform()->count().value_or(-1), 8);
  auto none = Open(-1);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_TRUE(Fetch(**none, "d:0").ok());
}

TEST(FailedGpu, TheNodeIsFoundWhereLaunchesAreWaitedFor) {
  constexpr int kGpu = 6;
  auto session = Open(kGpu, /*blocking=*/true);
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE(Fetch(**session, "c:0").ok());
  cuda_stand_in::FaultAt(kGpu, 2);
  const Status status = Fetch(**session, "c:0");
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  const std::string node = "node 'b' (PassForTest) on /job:localhost/replica:0/task:0/device:GPU:6";
  // Who waits for the copy before may be the first to find the error, and still names the node.
  const std::string message(status.message());
  const std::string cause = absl::StrCat("the GPU 6", kUnusable);
  EXPECT_THAT(message, AllOf(HasSubstr(cause), HasSubstr(absl::StrCat(kError, " (in ", node, ")")),
                             Not(HasSubstr(kHint))));
  ExpectRefused(**session, kGpu, message.substr(message.find(cause)));
  EXPECT_TRUE(Fetch(**session, "z:0").ok());
  EXPECT_TRUE((*session)->Close().ok());
  session->reset();
  EXPECT_EQ(Left(), "");
}

TEST(FailedGpu, ElseItIsSaidHowToFindIt) {
  constexpr int kGpu = 5;
  auto session = Open(kGpu);
  auto other = Open(kGpu - 1);
  ASSERT_TRUE(session.ok() && other.ok());
  ASSERT_TRUE(Fetch(**session, "c:0").ok());
  cuda_stand_in::FaultAt(kGpu, 2);
  const Status status = Fetch(**session, "c:0");
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  const std::string cause = absl::StrCat("the GPU 5", kUnusable);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("/device:GPU:5"), HasSubstr(cause),
                                      HasSubstr(kError), HasSubstr(kHint)));
  const std::string message(status.message());
  ExpectRefused(**session, kGpu, message.substr(message.find(cause)));
  for (const char* fetch : {"c:0", "z:0", "d:0"}) EXPECT_TRUE(Fetch(**other, fetch).ok());
  EXPECT_TRUE((*session)->Close().ok());
  EXPECT_TRUE(Fetch(**other, "c:0").ok());
  session->reset();
  other->reset();
  EXPECT_EQ(Left(), "");
}

// The fault comes in the copy to the host: what was enqueued to write there is let go of.
TEST(FailedGpu, WhatIsEnqueuedBehindIsLetGoOf) {
  constexpr int kGpu = 4;
  auto session = Open(kGpu);
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE(Fetch(**session, "c:0").ok());
  cuda_stand_in::FaultAt(kGpu, 4);
  const Status status = Fetch(**session, "c:0");
  EXPECT_THAT(status.message(), AllOf(HasSubstr(kUnusable), HasSubstr(kHint)));
  session->reset();
  EXPECT_EQ(Left(), "");
}

TEST(FailedGpu, OtherErrorsBreakNothing) {
  constexpr int kGpu = 3;
  for (const bool blocking : {false, true}) {
    auto session = Open(kGpu, blocking);
    ASSERT_TRUE(session.ok()) << session.status();
    ASSERT_TRUE(Fetch(**session, "c:0").ok());
    for (const char* function : {"cudaLaunchHostFunc", "cudaMemcpyAsync", "cudaEventRecord"}) {
      cuda_stand_in::FailCallOf(function, 1);
      const Status status = Fetch(**session, "c:0");
      EXPECT_FALSE(status.ok()) << function;
      EXPECT_THAT(status.message(), Not(HasSubstr(kUnusable))) << function;
      const Status again = Fetch(**session, "c:0");
      EXPECT_TRUE(again.ok()) << again;
    }
  }
  // A GPU without as much memory.
  auto gpu = RegisteredGpuPlatform()->create(DeviceName::Local(DeviceType::kGpu, 0), kGpu, {});
  ASSERT_TRUE(gpu.ok()) << gpu.status();
  EXPECT_FALSE((*gpu)->allocator().Allocate(2 * cuda_stand_in::kMemoryBytes));
  EXPECT_TRUE(dynamic_cast<DeviceHealth&>(**gpu).status().ok());
  EXPECT_TRUE((*gpu)->allocator().Allocate(1 << 20));
}

// A library says only that it failed; the device is asked. Nobody else has noticed yet.
TEST(FailedGpu, IsTheReasonWhyALibraryFails) {
  constexpr int kGpu = 2;
  auto made = RegisteredGpuPlatform()->create(DeviceName::Local(DeviceType::kGpu, 0), kGpu, {});
  ASSERT_TRUE(made.ok()) << made.status();
  Device& gpu = **made;
  auto& health = dynamic_cast<DeviceHealth&>(gpu);
  const Status failed = Internal("launching a product of matrices: CUBLAS_STATUS_EXECUTION_FAILED");
  EXPECT_EQ(health.Explain(failed), failed);
  bool is_held = true;
  std::shared_ptr<bool> held(&is_held, [](bool* p) { *p = false; });
  cuda_stand_in::FaultAt(kGpu, 1);
  ASSERT_TRUE(gpu.compute_stream()->RunOnHost([] {}).ok());
  while (!cuda_stand_in::HasFaulted(kGpu)) std::this_thread::yield();
  EXPECT_TRUE(health.status().ok());
  const Status explained = health.Explain(failed);
  EXPECT_THAT(explained.message(),
              AllOf(HasSubstr(kUnusable), HasSubstr(failed.message()), HasSubstr(kError)));
  EXPECT_EQ(health.status(), explained);
  EXPECT_EQ(health.Explain(InvalidArgument("something else")), explained);
  EXPECT_FALSE(gpu.allocator().Allocate(1));
  Stream& stream = *gpu.compute_stream();
  int host = 0;
  EXPECT_EQ(stream.Copy(&host, &host, sizeof(host)), explained);
  EXPECT_EQ(stream.Fill(&host, 0, sizeof(host)), explained);
  EXPECT_EQ(stream.RunOnHost([held] {}), explained);
  EXPECT_EQ(stream.WhenDone([held](const Status&) {}), explained);
  EXPECT_EQ(stream.Synchronize(), explained);
  EXPECT_EQ(gpu.NewStream().status(), explained);
  held = nullptr;
  EXPECT_FALSE(is_held);
}

// NCCL would wait for such a GPU, at the communicator's end as well.
TEST(FailedGpu, EndsCommunicators) {
  constexpr int kGpu = 7;
  cuda_stand_in::SetGpus(8);
  std::vector<std::unique_ptr<Device>> gpus;
  for (const int ordinal : {0, kGpu}) {
    auto gpu =
        RegisteredGpuPlatform()->create(DeviceName::Local(DeviceType::kGpu, ordinal), ordinal, {});
    ASSERT_TRUE(gpu.ok()) << gpu.status();
    gpus.push_back(*std::move(gpu));
  }
  const auto never = [] { return false; };
  auto made = NewGpuCommunicator({gpus[0].get(), gpus[1].get()}, never);
  ASSERT_TRUE(made.ok()) << made.status();
  std::shared_ptr<GpuCommunicator> communicator = *std::move(made);
  EXPECT_TRUE(communicator->status().ok());
  cuda_stand_in::FaultAt(kGpu, 1);
  ASSERT_TRUE(gpus[1]->compute_stream()->RunOnHost([] {}).ok());
  const Status failed = gpus[1]->Synchronize();
  EXPECT_THAT(failed.message(), HasSubstr(kUnusable));
  const int64_t before = cuda_stand_in::calls();
  GpuCall call;
  call.kind = kReduction;
  call.dtype = DType::kFloat;
  EXPECT_EQ(communicator->Enqueue(call), failed);
  EXPECT_EQ(communicator->status(), failed);
  EXPECT_EQ(NewGpuCommunicator({gpus[0].get(), gpus[1].get()}, never).status(), failed);
  EXPECT_EQ(cuda_stand_in::calls(), before);
  EXPECT_TRUE(gpus[0]->Synchronize().ok());
  communicator = nullptr;
  gpus.clear();
  EXPECT_EQ(Left(), "");
}

// Recorded kernels fault where the recording is played.
TEST(FailedGpu, InARecording) {
  constexpr int kGpu = 1;
  auto session = Open(kGpu);
  ASSERT_TRUE(session.ok()) << session.status();
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(Fetch(**session, "c:0").ok());
  cuda_stand_in::FaultAt(kGpu, 2);
  const Status status = Fetch(**session, "c:0");
  EXPECT_THAT(status.message(), AllOf(HasSubstr("the GPU 1"), HasSubstr(kUnusable)));
  ExpectRefused(**session, kGpu, std::string(kUnusable));
  EXPECT_TRUE(Fetch(**session, "z:0").ok());
  EXPECT_TRUE((*session)->Close().ok());
  session->reset();
  EXPECT_EQ(Left(), "");
}

}  // namespace
}  // namespace warpbeam
