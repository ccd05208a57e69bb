// The cuda device on CUDA's stand-in: memory is given back, recordings can be replayed, and each
// call of CUDA that fails becomes a status, and leaves nothing behind.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/device/device.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/device/local/device_set.h"
#include "runtime/device/recording.h"
#include "tests/cuda_stand_in/may_fail_unseen.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

StatusOr<std::unique_ptr<Device>> NewGpu(int id, const GpuMemoryLimit& memory = {}, int gpu = 0) {
  return RegisteredGpuPlatform()->create(DeviceName::Local(DeviceType::kGpu, id), gpu, memory);
}

TEST(CudaDevice, IsTheStandIn) {
  ASSERT_NE(RegisteredGpuPlatform(), nullptr);
  EXPECT_STREQ(RegisteredGpuPlatform()->name, "CUDA");
  auto gpu = NewGpu(0);
  ASSERT_TRUE(gpu.ok()) << gpu.status();
  EXPECT_EQ((*gpu)->Description(), "stand-in, 1024 MiB");
  EXPECT_TRUE((*gpu)->runs_host_code());
  EXPECT_TRUE((*gpu)->runs_gpu_kernels());
}

// How many GPUs there are, and what is said of it.
int CountSaying(std::string* said) {
  ::testing::internal::CaptureStderr();
  const StatusOr<int> count = RegisteredGpuPlatform()->count();
  *said = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(count.ok()) << count.status();
  return count.ok() ? *count : -1;
}

TEST(CudaDevice, AGpuWithoutCodeIsNotThereWhichIsSaidOnce) {
  cuda_stand_in::SetGpus(2);
  cuda_stand_in::SetArchitecture(52);
  std::string said;
  EXPECT_EQ(CountSaying(&said), 0);
  EXPECT_TRUE(absl::StrContains(said, "the GPU 0 (stand-in, sm_52) is not used: this build has"))
      << said;
  EXPECT_TRUE(absl::StrContains(said, "and newer; to use it build with WARPBEAM_CUDA_ARCH=52"))
      << said;
  EXPECT_TRUE(absl::StrContains(said, "the GPU 1 (")) << said;
  EXPECT_EQ(CountSaying(&said), 0);
  EXPECT_EQ(said, "");
  EXPECT_EQ(NewGpu(0).status().code(), StatusCode::kInvalidArgument);
  cuda_stand_in::SetArchitecture(999);
  EXPECT_EQ(CountSaying(&said), 2);
  EXPECT_EQ(said, "");
  cuda_stand_in::SetArchitecture(0);
  cuda_stand_in::SetGpus(1);
}

// Whoever asks for a GPU all the same gets the line as a status.
void ExpectALineAndNoGpus(const std::string& line) {
  std::string said;
  EXPECT_EQ(CountSaying(&said), 0);
  EXPECT_TRUE(absl::StrContains(said, line)) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  const Status refused = NewGpu(0).status();
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable) << refused;
  EXPECT_TRUE(absl::StrContains(refused.message(), line)) << refused;
  EXPECT_EQ(CountSaying(&said), 0);
  EXPECT_EQ(said, "") << "it was said before";
}

TEST(CudaDevice, AnOldDriverIsALineAndNoGpus) {
  cuda_stand_in::SetDriver(11040);
  ExpectALineAndNoGpus("their driver is of CUDA 11.4, this build needs that of 1");
  cuda_stand_in::SetDriver(cuda_stand_in::kFittingDriver);
  std::string said;
  EXPECT_EQ(CountSaying(&said), 1);
}

TEST(CudaDevice, AMissingDriverIsALineAndNoGpus) {
  cuda_stand_in::SetDriver(0);
  ExpectALineAndNoGpus("driver is not installed (there is no libcuda.so.1)");
  cuda_stand_in::SetDriver(cuda_stand_in::kFittingDriver);
}

TEST(CudaDevice, ADriverWithoutGpusIsALine) {
  cuda_stand_in::SetGpus(0);
  ExpectALineAndNoGpus("no GPU is used: the driver shows none");
  cuda_stand_in::SetGpus(1);
}

TEST(CudaDevice, ADriverThatDoesNotWorkIsALineThatNamesTheErrorAndWhatToDo) {
  cuda_stand_in::SetCountingError(cudaErrorSystemNotReady);
  ExpectALineAndNoGpus("counting them gave cudaErrorSystemNotReady, made to fail; wait until");
  cuda_stand_in::SetCountingError(cudaErrorStubLibrary);
  ExpectALineAndNoGpus(
      "gave cudaErrorStubLibrary, made to fail; take the toolkit's folder `stubs`");
  for (const cudaError_t error : {cudaErrorSystemDriverMismatch, cudaErrorInitializationError,
                                  cudaErrorUnknown, cudaErrorCompatNotSupportedOnDevice}) {
    cuda_stand_in::SetCountingError(error);
    std::string said;
    EXPECT_EQ(CountSaying(&said), 0) << error;
    EXPECT_TRUE(absl::StrContains(said, "the GPUs of this machine are not used")) << said;
  }
  cuda_stand_in::SetCountingError(0);
}

TEST(CudaDevice, WhatAFailedGpuLeavesBehindIsAStatus) {
  cuda_stand_in::SetCountingError(cudaErrorIllegalAddress);
  const Status failed = RegisteredGpuPlatform()->count().status();
  EXPECT_EQ(failed.code(), StatusCode::kInternal) << failed;
  EXPECT_TRUE(absl::StrContains(failed.message(), "cudaErrorIllegalAddress")) << failed;
  cuda_stand_in::SetCountingError(0);
}

TEST(CudaDevice, AGpuThatDoesNotAnswerIsNotThere) {
  cuda_stand_in::SetGpus(2);
  cuda_stand_in::FailCallOf("cudaGetDeviceProperties", 1);
  std::string said;
  EXPECT_EQ(CountSaying(&said), 1);
  EXPECT_TRUE(absl::StrContains(said, "the GPU 0 is not used: asking what it is gave")) << said;
  cuda_stand_in::FailCall(0);
  EXPECT_EQ(CountSaying(&said), 1) << "GPU 1 has the number 0 by now";
  cuda_stand_in::SetGpus(1);
}

// Nobody is asked a second time which GPUs there are.
TEST(CudaDevice, AGpuThatStopsAnsweringKeepsItsNumber) {
  cuda_stand_in::SetGpus(2);
  EXPECT_EQ(RegisteredGpuPlatform()->count().value_or(-1), 2);
  cuda_stand_in::FailCallOf("cudaGetDeviceProperties", 1);
  EXPECT_EQ(RegisteredGpuPlatform()->count().value_or(-1), 2);
  const Status refused = NewGpu(0).status();
  EXPECT_EQ(cuda_stand_in::failed_call(), "cudaGetDeviceProperties");
  EXPECT_TRUE(absl::StrContains(refused.message(), "opening GPU 0")) << refused;
  cuda_stand_in::FailCallOf("cudaGetDeviceCount", 1);
  EXPECT_EQ(RegisteredGpuPlatform()->count().value_or(-1), 2);
  EXPECT_EQ(cuda_stand_in::failed_call(), "");
  cuda_stand_in::FailCall(0);
  cuda_stand_in::SetGpus(1);
}

TEST(CudaDevice, WhoHidesAllGpusIsToldNothing) {
  cuda_stand_in::SetDriver(12000);
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  std::string said;
  EXPECT_EQ(CountSaying(&said), 0);
  EXPECT_EQ(said, "");
  unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(CountSaying(&said), 0);
  EXPECT_TRUE(absl::StrContains(said, "their driver is of CUDA 12.0")) << said;
  cuda_stand_in::SetDriver(cuda_stand_in::kFittingDriver);
}

TEST(CudaDevice, TheCpuGoesOnWithoutADriverAndWhoWantsNoGpusDoesNotAskIt) {
  cuda_stand_in::SetCountingError(cudaErrorSystemNotReady);
  const int64_t calls = cuda_stand_in::calls();
  DeviceSetOptions options;
  options.gpus = 0;
  auto devices = DeviceSet::Create(options);
  ASSERT_TRUE(devices.ok()) << devices.status();
  EXPECT_EQ(cuda_stand_in::calls(), calls);
  for (const int gpus : {-1, 2}) {
    options.gpus = gpus;
    devices = DeviceSet::Create(options);
    ASSERT_TRUE(devices.ok()) << devices.status();
    EXPECT_EQ((*devices)->size(), 1);
  }
  EXPECT_GT(cuda_stand_in::calls(), calls);
  // Whose GPU 1 is to be /gpu:0 cannot mean the CPU.
  options.visible_gpus = {1};
  EXPECT_EQ(DeviceSet::Create(options).status().code(), StatusCode::kInvalidArgument);
  cuda_stand_in::SetCountingError(0);
}

TEST(CudaDevice, ErrorsOfLaunchesHaveNames) {
  ASSERT_NE(RegisteredGpuPlatform()->error_text, nullptr);
  EXPECT_EQ(RegisteredGpuPlatform()->error_text(cudaErrorIllegalAddress),
            "cudaErrorIllegalAddress, made to fail");
}

TEST(CudaDevice, TheVersionsOfAnOldDriverMayNotBeKnown) {
  cuda_stand_in::SetDriver(11050);
  for (const char* function : {"cudaDriverGetVersion", "cudaRuntimeGetVersion"}) {
    cuda_stand_in::FailCallOf(function, 1);
    std::string said;
    EXPECT_EQ(CountSaying(&said), 0);
    EXPECT_EQ(cuda_stand_in::failed_call(), function);
  }
  cuda_stand_in::FailCall(0);
  ExpectALineAndNoGpus("their driver is of CUDA 11.5");
  cuda_stand_in::SetDriver(cuda_stand_in::kFittingDriver);
}

TEST(CudaDevice, HostCodeThatTouchesDeviceMemoryFaults) {
  auto gpu = NewGpu(0);
  ASSERT_TRUE(gpu.ok()) << gpu.status();
  BufferRef b = (*gpu)->allocator().Allocate(64);
  EXPECT_DEATH(*static_cast<volatile char*>(b->data()) = 1, "");
}

TEST(CudaDevice, LimitsHold) {
  auto gpu = NewGpu(0, {0.25});
  ASSERT_TRUE(gpu.ok()) << gpu.status();
  EXPECT_EQ((*gpu)->memory_limit(), 256 << 20);
  BufferRef most = (*gpu)->allocator().Allocate(255 << 20);
  EXPECT_TRUE(most);
  EXPECT_FALSE((*gpu)->allocator().Allocate(2 << 20));
  most = BufferRef();
  EXPECT_TRUE((*gpu)->allocator().Allocate(2 << 20));
}

// Several devices on one GPU, each with as many bytes as were said.
TEST(CudaDevice, TakesAsMuchAsItIsGiven) {
  auto whole = NewGpu(0), first = NewGpu(1, {1, 64 << 20}), second = NewGpu(2, {1, 128 << 20});
  ASSERT_TRUE(whole.ok() && first.ok() && second.ok());
  EXPECT_EQ((*first)->memory_limit(), 64 << 20);
  EXPECT_EQ((*second)->memory_limit(), 128 << 20);
  EXPECT_FALSE((*first)->allocator().Allocate(65 << 20));
  EXPECT_TRUE((*second)->allocator().Allocate(65 << 20));
  auto more = NewGpu(3, {1, (*whole)->memory_limit() + 1});
  ASSERT_TRUE(more.ok()) << more.status();
  EXPECT_EQ((*more)->memory_limit(), (*whole)->memory_limit()) << "than there is";
}

TEST(CudaDevice, WhatAnotherDeviceHoldsIsNotThere) {
  auto first = NewGpu(0);
  auto second = NewGpu(1);
  ASSERT_TRUE(first.ok() && second.ok());
  BufferRef most = (*first)->allocator().Allocate(900 << 20);
  EXPECT_TRUE(most);
  EXPECT_FALSE((*second)->allocator().Allocate(300 << 20));
  EXPECT_TRUE((*second)->allocator().Allocate(1 << 20));
}

TEST(CudaDevice, KernelsRunAgainWithTheirRecording) {
  auto gpu = NewGpu(0);
  ASSERT_TRUE(gpu.ok()) << gpu.status();
  Stream* const stream = (*gpu)->compute_stream();
  auto* const recording = dynamic_cast<RecordingStream*>(stream);
  ASSERT_NE(recording, nullptr);
  BufferRef b = (*gpu)->allocator().Allocate(sizeof(int));
  int* const value = static_cast<int*>((*gpu)->ToKernelAddress(b->data()));
  ASSERT_TRUE(stream->Fill(b->data(), 0, sizeof(int)).ok());
  ASSERT_TRUE(recording->BeginRecording().ok());
  ASSERT_TRUE(stream->RunOnHost([value] { ++*value; }).ok());
  ASSERT_TRUE(stream->RunOnHost([value] { *value *= 2; }).ok());
  auto recorded = recording->EndRecording();
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE((*recorded)->Enqueue().ok());
  recorded->reset();  // while the stream may be at it
  int seen = -1;
  ASSERT_TRUE(stream->Copy(&seen, b->data(), sizeof(int)).ok());
  ASSERT_TRUE(stream->Synchronize().ok());
  EXPECT_EQ(seen, 14);  // ((0 + 1) * 2 + 1) * 2 + 1) * 2
}

TEST(CudaDevice, WhatCannotBeRecordedIsRefused) {
  auto gpu = NewGpu(0);
  ASSERT_TRUE(gpu.ok()) << gpu.status();
  Stream* const stream = (*gpu)->compute_stream();
  auto* const recording = dynamic_cast<RecordingStream*>(stream);
  int host = 0;
  BufferRef b = (*gpu)->allocator().Allocate(sizeof(int));
  ASSERT_TRUE(recording->BeginRecording().ok());
  EXPECT_EQ(stream->Copy(&host, b->data(), sizeof(int)).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(stream->Synchronize().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(stream->WhenDone([](const Status&) {}).code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(recording->EndRecording().ok());
  EXPECT_TRUE(stream->Synchronize().ok());
}

// What a step does with a device and another GPU's; the first status that is not OK. `finished`
// counts the calls of functions that were accepted for when the stream is done.
Status UseAll(std::atomic<int>* accepted, std::atomic<int>* finished) {
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<Device> gpu, NewGpu(0));
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<Device> peer, NewGpu(1, {}, 1));
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> copies, gpu->NewStream());
  Stream* const compute = gpu->compute_stream();
  const BufferRef a = gpu->allocator().Allocate(3 << 20);
  const BufferRef b = peer->allocator().Allocate(3 << 20);
  if (!a || !b) return ResourceExhausted("there is no memory");
  std::vector<char> host(3 << 20, 7), back(3 << 20);
  WB_RETURN_IF_ERROR(copies->Copy(a->data(), host.data(), host.size()));
  WB_RETURN_IF_ERROR(compute->WaitFor(*copies));
  auto* const recording = dynamic_cast<RecordingStream*>(compute);
  WB_RETURN_IF_ERROR(recording->BeginRecording());
  char* const first = static_cast<char*>(gpu->ToKernelAddress(a->data()));
  const Status enqueued = compute->RunOnHost([first] { ++*first; });
  const Status filled = compute->Fill(static_cast<char*>(a->data()) + 1, 9, 10);
  auto recorded = recording->EndRecording();
  WB_RETURN_IF_ERROR(enqueued);
  WB_RETURN_IF_ERROR(filled);
  WB_RETURN_IF_ERROR(recorded.status());
  WB_RETURN_IF_ERROR((*recorded)->Enqueue());
  WB_RETURN_IF_ERROR(compute->Copy(b->data(), a->data(), host.size()));
  WB_RETURN_IF_ERROR(compute->Copy(back.data(), b->data(), host.size()));
  const Status asked = compute->WhenDone([finished](const Status&) { ++*finished; });
  if (asked.ok()) ++*accepted;
  const Status done = gpu->Synchronize();  // before `back` goes
  WB_RETURN_IF_ERROR(asked);
  WB_RETURN_IF_ERROR(done);
  if (back[0] != 8 || back[1] != 9 || back[11] != 7) return Internal("other bytes came back");
  return OkStatus();
}

TEST(CudaDevice, EachCallThatFailsIsAStatusAndLeavesNothing) {
  using namespace cuda_stand_in::unseen;  // NOLINT: the reasons
  const auto may_pass = MayFail({kWaiting, kClosing, kCurrentGpu, kGrowth, kPeers});
  cuda_stand_in::SetGpus(2);
  std::atomic<int> accepted{0}, finished{0};
  ASSERT_TRUE(UseAll(&accepted, &finished).ok());  // the driver's functions are looked up once
  ASSERT_EQ(cuda_stand_in::Left().ToString(), "");
  const std::map<std::string, int64_t> before = cuda_stand_in::CallsByFunction();
  const Status whole = UseAll(&accepted, &finished);
  ASSERT_TRUE(whole.ok()) << whole;
  std::set<std::string> failed, told;
  for (const auto& [function, count] : cuda_stand_in::CallsByFunction()) {
    const auto was = before.find(function);
    const int64_t calls = count - (was == before.end() ? 0 : was->second);
    for (int64_t i = 1; i <= calls; ++i) {
      SCOPED_TRACE(absl::StrCat(function, ", call ", i));
      accepted = finished = 0;
      cuda_stand_in::FailCallOf(function, i);
      const Status status = UseAll(&accepted, &finished);
      // How often it is asked whether something is done is a matter of time.
      const bool has_failed = cuda_stand_in::failed_call() == function;
      if (has_failed) failed.insert(function);
      EXPECT_TRUE(!status.ok() || !has_failed || may_pass.count(function) > 0);
      if (!status.ok()) {
        told.insert(function);
        const bool in_words = absl::StrContains(status.message(), "there is no memory");
        EXPECT_TRUE(in_words || absl::StrContains(status.message(), function)) << status;
      }
      EXPECT_FALSE(absl::StrContains(status.message(), "other bytes"));
      EXPECT_EQ(finished, accepted);
      EXPECT_EQ(cuda_stand_in::Left().ToString(), "") << status;
    }
  }
  cuda_stand_in::FailCall(0);
  EXPECT_GE(failed.size(), 20u);
  EXPECT_EQ(told.count("cudaSetDevice"), 1u);
  EXPECT_TRUE(UseAll(&accepted, &finished).ok());
  cuda_stand_in::SetGpus(1);
}

// What a copy has taken of the pinned memory is given back where no event can say when: there is
// room for the next ones, of which a dozen would fill it.
TEST(CudaDevice, CopiesThatFailLeaveTheirPinnedMemory) {
  auto gpu = NewGpu(0);
  ASSERT_TRUE(gpu.ok()) << gpu.status();
  Stream* const stream = (*gpu)->compute_stream();
  const std::vector<char> host(3 << 20, 7);
  std::vector<char> back(3 << 20);
  const BufferRef b = (*gpu)->allocator().Allocate(host.size());
  ASSERT_TRUE(b);
  // Events are made while there are none, and recorded each time.
  for (const char* function : {"cudaEventCreateWithFlags", "cudaEventRecord"}) {
    for (int i = 0; i < 12; ++i) {
      cuda_stand_in::FailCallOf(function, 1);
      const Status failed = stream->Copy(b->data(), host.data(), host.size());
      EXPECT_EQ(cuda_stand_in::failed_call(), function);
      EXPECT_TRUE(absl::StrContains(failed.message(), function)) << failed;
    }
  }
  cuda_stand_in::FailCall(0);
  ASSERT_EQ(stream->Copy(b->data(), host.data(), host.size()), OkStatus());
  ASSERT_EQ(stream->Copy(back.data(), b->data(), back.size()), OkStatus());
  ASSERT_EQ(stream->Synchronize(), OkStatus());
  EXPECT_EQ(back, host);
}

}  // namespace
}  // namespace warpbeam
