// Sessions of two GPUs in which each call fails once: while they are opened, and in steps whose
// tensors go from one GPU to the other. What comes is a status that names the call, the next try
// succeeds, and nothing is left.
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"
#include "tests/cuda_stand_in/may_fail_unseen.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

// The square of the square of what is fed, from GPU to GPU.
StatusOr<std::unique_ptr<Session>> Open() {
  const auto graph = std::make_shared<Graph>();
  const auto op = [&](const std::string& name, const char* device) {
    return NodeBuilder(graph.get(), name).Device(device);
  };
  WB_ASSIGN_OR_RETURN(
      OutputRef x,
      op("Placeholder", "/gpu:0").Name("x").Attr("dtype", DType::kFloat).BuildOutput());
  WB_ASSIGN_OR_RETURN(x, op("Square", "/gpu:0").Name("first").Input(x).BuildOutput());
  WB_RETURN_IF_ERROR(op("Square", "/gpu:1").Name("second").Input(x).BuildOutput().status());
  SessionOptions options;
  options.gpus = 2;
  options.operation_timeout_ms = 30000;
  return Session::Create(options, graph);
}

Status Step(Session& session) {
  std::vector<Tensor> out;
  const Tensor x = Tensor::Vector<float>({2, 3});
  WB_RETURN_IF_ERROR(session.Run(RunOptions(), {{"x:0", x}}, {"second:0"}, {}, &out));
  EXPECT_EQ(out[0].data<float>()[0], 16);
  EXPECT_EQ(out[0].data<float>()[1], 81);
  return OkStatus();
}

std::string Left() {
  cuda_stand_in::Leftovers left = cuda_stand_in::Left();
  left.libraries = left.descriptors = 0;  // kept for the whole process
  return left.ToString();
}

class FailingSessions : public ::testing::Test {
 protected:
  void SetUp() override { cuda_stand_in::SetGpus(2); }
  void TearDown() override {
    cuda_stand_in::FailCall(0);
    cuda_stand_in::SetGpus(1);
    EXPECT_EQ(Left(), "");
  }
  // How many calls of each function something makes.
  template <class Something>
  static std::map<std::string, int64_t> CallsOf(const Something& something) {
    std::map<std::string, int64_t> before = cuda_stand_in::CallsByFunction();
    EXPECT_EQ(something(), OkStatus());
    std::map<std::string, int64_t> made = cuda_stand_in::CallsByFunction();
    for (auto& [function, calls] : made) calls -= before[function];
    return made;
  }
  // What a call that fails gives. `may_pass`: it need not matter.
  static void Check(const Status& status, const std::string& function, bool may_pass) {
    const bool has_failed = cuda_stand_in::failed_call() == function;
    if (status.ok()) {
      EXPECT_TRUE(may_pass || !has_failed);
      return;
    }
    EXPECT_TRUE(absl::StrContains(status.message(), function)) << status;
    const bool of_driver =
        function == "cuDeviceGetAttribute" || absl::StartsWith(function, "cuMem");
    EXPECT_TRUE(of_driver || absl::StrContains(status.message(), "made to fail")) << status;
  }
};

// First in the process: the driver's functions are looked up once, by the first that succeeds.
TEST_F(FailingSessions, WhileTheDriverIsAskedForItsFunctions) {
  const std::string function = "cudaGetDriverEntryPointByVersion";
  int64_t failures = 0;
  for (;; ++failures) {
    cuda_stand_in::FailCallOf(function, failures + 1);
    const auto session = Open();
    if (cuda_stand_in::failed_call().empty()) {
      EXPECT_TRUE(session.ok()) << session.status();
      break;
    }
    ASSERT_FALSE(session.ok());
    EXPECT_TRUE(absl::StrContains(session.status().message(), function)) << session.status();
  }
  EXPECT_EQ(failures, 9);
}

// Which GPUs there are is known by now.
TEST_F(FailingSessions, WhileTheyAreOpened) {
  using namespace cuda_stand_in::unseen;  // NOLINT: the reasons
  const auto may_pass = MayFail({kClosing, kCurrentGpu, kPeers});
  const auto open = [] { return Open().status(); };
  ASSERT_EQ(open(), OkStatus());
  std::set<std::string> failed;
  for (const auto& [function, calls] : CallsOf(open)) {
    for (int64_t i = 1; i <= calls; ++i) {
      SCOPED_TRACE(absl::StrCat(function, ", call ", i));
      cuda_stand_in::FailCallOf(function, i);
      const Status status = open();
      Check(status, function, may_pass.count(function) > 0);
      failed.insert(cuda_stand_in::failed_call());
      cuda_stand_in::FailCall(0);
      EXPECT_EQ(Left(), "") << status;
      ASSERT_EQ(open(), OkStatus());
    }
  }
  for (const char* function :
       {"cudaGetDeviceCount", "cudaGetDeviceProperties", "cudaSetDevice", "cudaFree",
        "cudaPointerGetAttributes", "cudaDeviceCanAccessPeer", "cudaStreamCreateWithFlags",
        "cudaEventCreateWithFlags", "cuDeviceGetAttribute", "cuMemGetAllocationGranularity",
        "cuMemAddressReserve", "cudaDeviceSynchronize"}) {
    EXPECT_EQ(failed.count(function), 1u) << function;
  }
}

// The step that is planned, the one that is recorded, and one that is played. Each session goes on,
// and closes.
TEST_F(FailingSessions, WhileTensorsGoFromGpuToGpu) {
  using namespace cuda_stand_in::unseen;  // NOLINT: the reasons
  const auto may_pass = MayFail({kWaiting, kClosing, kCurrentGpu, kGrowth, kRecording});
  std::set<std::string> failed;
  for (int before = 0; before < 4; ++before) {
    const auto open = [before]() -> StatusOr<std::unique_ptr<Session>> {
      WB_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Open());
      for (int i = 0; i < before; ++i) WB_RETURN_IF_ERROR(Step(*session));
      return session;
    };
    auto counted = open();
    ASSERT_TRUE(counted.ok()) << counted.status();
    const auto all = CallsOf([&] { return Step(**counted); });
    counted->reset();
    for (const auto& [function, calls] : all) {
      for (int64_t i = 1; i <= calls; ++i) {
        SCOPED_TRACE(absl::StrCat(before, " steps before, ", function, ", call ", i));
        const auto session = open();
        ASSERT_TRUE(session.ok()) << session.status();
        cuda_stand_in::FailCallOf(function, i);
        const Status status = Step(**session);
        Check(status, function, may_pass.count(function) > 0);
        failed.insert(cuda_stand_in::failed_call());
        cuda_stand_in::FailCall(0);
        if (!status.ok()) {
          EXPECT_TRUE(absl::StrContains(status.message(), "device:GPU:")) << status;
        }
        EXPECT_EQ(Step(**session), OkStatus());
        EXPECT_EQ((*session)->Close(), OkStatus());
      }
    }
    EXPECT_EQ(Left(), "");
  }
  for (const char* function : {"cudaMemcpyAsync", "cudaStreamWaitEvent", "cudaEventRecord",
                               "cudaLaunchHostFunc", "cudaGraphLaunch", "cudaSetDevice"}) {
    EXPECT_EQ(failed.count(function), 1u) << function;
  }
}

// Of all that sessions like these call; others are in the tests of each library. Whether a stream
// is done is asked only behind a call that has failed, of which there is one.
TEST_F(FailingSessions, NoFunctionWasLeftOut) {
  for (const std::string& function : cuda_stand_in::NeverFailed()) {
    EXPECT_EQ(function, "cudaStreamQuery");
  }
}

}  // namespace
}  // namespace warpbeam
