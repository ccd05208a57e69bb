// cuFFT's plans: how many are kept, that recordings keep theirs, and what becomes of calls that
// fail.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ops/signal/gpu_fourier.h"
#include "runtime/device/recording.h"
#include "tests/cuda_stand_in/on_gpu.h"

namespace warpbeam {
namespace {

constexpr size_t kIn = 0, kOut = 16384, kWorkspace = 32768;

class FourierPlans : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    Put(kIn, std::vector<float>(kOut / sizeof(float), 1));
  }
  // Of so many numbers.
  static GpuFourierTransform Transform(Device& gpu, const BufferRef& memory, int64_t length) {
    const auto at = [&](size_t offset) {
      return static_cast<char*>(gpu.ToKernelAddress(memory->data())) + offset;
    };
    GpuFourierTransform transform;
    transform.lengths[0] = length;
    transform.input = at(kIn);
    transform.output = at(kOut);
    return transform;
  }
  static Status Run(Device& gpu, const BufferRef& memory, int64_t length, int64_t missing = 0) {
    GpuStream stream(gpu);
    const GpuFourierTransform transform = Transform(gpu, memory, length);
    WB_ASSIGN_OR_RETURN(GpuFourierTransforms * side, GpuFourierTransformsOf(stream));
    WB_ASSIGN_OR_RETURN(const int64_t bytes, side->WorkspaceBytes(stream, transform));
    char* const workspace = static_cast<char*>(gpu.ToKernelAddress(memory->data())) + kWorkspace;
    return side->Enqueue(stream, transform, workspace, bytes - missing);
  }
  Status Run(int64_t length, int64_t missing = 0) { return Run(*gpu_, memory_, length, missing); }
  // The sum of the input, at the output's begin.
  float First() { return Get(kOut, 1)[0]; }
};

int64_t Plans() { return cuda_stand_in::Left().descriptors; }

// Lengths are new ones each time, so that plans are.
TEST_F(FourierPlans, EachCallFailsOnce) {
  std::set<std::string> failed;
  for (int64_t call = 1, length = 1000;; ++call, ++length) {
    const int64_t before = Plans();
    cuda_stand_in::FailCall(call);
    const Status status = Run(length);
    const std::string function = cuda_stand_in::failed_call();
    cuda_stand_in::FailCall(0);
    if (function.empty()) {
      EXPECT_EQ(status, OkStatus());
      break;
    }
    SCOPED_TRACE(absl::StrCat("call ", call, ", ", function));
    failed.insert(function);
    EXPECT_EQ(status.code(), StatusCode::kInternal) << status;
    // CUDA's own errors are named by what was to be done.
    const bool of_library = absl::StartsWith(function, "cufft");
    EXPECT_TRUE(absl::StrContains(status.message(), of_library ? function : "made to fail"))
        << status;
    ASSERT_EQ(Run(length), OkStatus());
    EXPECT_EQ(Plans(), before + 1);
    EXPECT_EQ(First(), static_cast<float>(length));
  }
  const std::set<std::string> want = {"cudaStreamIsCapturing",
                                      "cufftCreate",
                                      "cufftSetAutoAllocation",
                                      "cufftXtMakePlanMany",
                                      "cufftSetStream",
                                      "cufftSetWorkArea",
                                      "cufftXtExec"};
  EXPECT_EQ(failed, want);
}

TEST_F(FourierPlans, WantTheMemoryThatTheyWorkIn) {
  EXPECT_EQ(Run(11), OkStatus());
  EXPECT_EQ(Run(11, /*missing=*/1).code(), StatusCode::kInternal);
}

TEST_F(FourierPlans, AreThoseOfAGpu) {
  ASSERT_EQ(Run(20), OkStatus());
  const int64_t before = Plans();
  const BufferRef memory = other_->allocator().Allocate(kBytes);
  EXPECT_EQ(Run(*other_, memory, 20), OkStatus());
  EXPECT_EQ(Plans(), before + 1);
  EXPECT_EQ(Run(20), OkStatus());
  EXPECT_EQ(Plans(), before + 1);
  EXPECT_EQ(other_->Synchronize(), OkStatus());
}

TEST_F(FourierPlans, SomeAreKept) {
  const auto run_all = [&](int64_t first, int64_t behind) {
    for (int64_t length = first; length < behind; ++length) {
      ASSERT_EQ(Run(length), OkStatus());
      ASSERT_FLOAT_EQ(First(), static_cast<float>(length));
    }
  };
  run_all(1, 200);
  const int64_t kept = Plans();
  EXPECT_GT(kept, 50);
  EXPECT_LT(kept, 199);
  run_all(200, 250);
  EXPECT_EQ(Plans(), kept);
  run_all(249, 250);
  run_all(1, 2);
  EXPECT_EQ(Plans(), kept);
}

TEST_F(FourierPlans, RecordingsKeepTheirs) {
  ASSERT_EQ(Run(700), OkStatus());
  auto* const recorder = dynamic_cast<RecordingStream*>(gpu_->compute_stream());
  ASSERT_NE(recorder, nullptr);
  ASSERT_EQ(recorder->BeginRecording(), OkStatus());
  ASSERT_EQ(Run(700), OkStatus());
  auto recording = recorder->EndRecording();
  ASSERT_TRUE(recording.ok()) << recording.status();
  for (int64_t length = 300; length < 600; ++length) ASSERT_EQ(Run(length), OkStatus());
  ASSERT_EQ((*recording)->Enqueue(), OkStatus());
  EXPECT_FLOAT_EQ(First(), 700);
}

}  // namespace
}  // namespace warpbeam
