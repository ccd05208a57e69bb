// Collectives by NCCL between tasks, on its stand-in: which ones go so, and what becomes of members
// when calls fail, GPUs hang, steps end and tasks go.
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "runtime/comm/gpu_communicator.h"
#include "runtime/comm/gpu_endpoint.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/kernel/product/tensor_float_32.h"
#include "tests/cuda_stand_in/latch.h"
#include "tests/cuda_stand_in/stand_in.h"
#include "tests/tasks/collectives_fixture.h"
#include "tests/tasks/replicated_model.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Tasks of one process have the same GPUs: members that are to have their own have other numbers.
std::string Gpu(int task, int gpu) { return absl::StrCat(WorkerName(task), "/device:GPU:", gpu); }
std::string FullName(int task, int gpu) {
  return absl::StrCat("/job:worker/replica:0/task:", task, "/device:GPU:", gpu);
}

// What is left, once communicators have been aborted and streams have come by, which happens on
// threads of their own. The libraries of products and their plans are kept for the whole process.
std::string WhatIsLeft() {
  cuda_stand_in::Leftovers left;
  for (int wait = 0; wait < 500; ++wait) {
    left = cuda_stand_in::Left();
    left.libraries = left.descriptors = 0;
    if (left.ToString().empty()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return left.ToString();
}
int64_t Calls(const std::string& function) { return cuda_stand_in::CallsByFunction()[function]; }

class NcclTasksTest : public TaskCollectivesTest {
 protected:
  void TearDown() override {
    cuda_stand_in::FailCall(0);
    cluster_ = nullptr;
    EXPECT_EQ(WhatIsLeft(), "");
  }
  void Start(int tasks, const LocalCollectives& collectives = {}) {
    SessionOptions options;
    options.cpu_devices = 2;
    StartTasks(tasks, options, collectives);
  }
  // A member on a GPU of its own for each task, which sums up.
  Scope Members(int tasks, float timeout_seconds = 0, int group = 1) {
    const Scope root = Scope::NewRoot();
    for (int i = 0; i < tasks; ++i)
      AddMember(root.Device(Gpu(i, i)), i, tasks, timeout_seconds, group);
    return root;
  }
  void AddMember(const Scope& at, int i, int size, float timeout_seconds, int group) {
    const Output x = Placeholder(at.Named(absl::StrCat("x", i)), DType::kFloat, PartialShape({2}));
    const Output sum = ops::CollectiveReduceV2(
        at.Named(absl::StrCat("sum", i)), BuildOutput(at, "Neg", {x}), Constant(at, size),
        Constant(at, group), Constant(at, 1), {}, "Add", "Id",
        ops::CollectiveReduceV2Attrs().timeout_seconds(
            waits_for_ever_.count(i) > 0 ? 0 : timeout_seconds));
    BuildOutput(at.Named(absl::StrCat("y", i)), "Neg", {sum});
  }
  // Member i brings (i + 1, 10).
  static Status Run(Session& session, int tasks, int64_t timeout_ms = 30000) {
    NamedTensors feeds;
    std::vector<std::string> fetches;
    for (int i = 0; i < tasks; ++i) {
      feeds.emplace_back(absl::StrCat("x", i, ":0"),
                         Tensor::Vector({static_cast<float>(i + 1), 10.0f}));
      fetches.push_back(absl::StrCat("y", i, ":0"));
    }
    WB_ASSIGN_OR_RETURN(const std::vector<Tensor> sums, Fetch(session, fetches, feeds, timeout_ms));
    for (const Tensor& sum : sums) {
      EXPECT_EQ(sum.data<float>()[0], static_cast<float>(tasks * (tasks + 1) / 2));
      EXPECT_EQ(sum.data<float>()[1], static_cast<float>(10 * tasks));
    }
    return OkStatus();
  }
  Device& DeviceOf(int task, int gpu) {
    DeviceSet& devices = *cluster_->worker(task).devices();
    for (int i = 0; i < devices.size(); ++i) {
      if (devices.device(i)->name().ToString() == FullName(task, gpu)) return *devices.device(i);
    }
    ADD_FAILURE() << "no such device";
    return *devices.device(0);
  }

  std::set<int> waits_for_ever_;  // members that have no timeout
};

TEST_F(NcclTasksTest, TensorsGoFromGpuToGpu) {
  Start(3);
  const auto session = Open(Members(3));
  for (int step = 0; step < 3; ++step) {
    const int64_t before = Calls("ncclAllReduce");
    const Status ran = Run(*session, 3);
    ASSERT_TRUE(ran.ok()) << ran;
    EXPECT_EQ(Calls("ncclAllReduce") - before, 3);
    EXPECT_EQ(cuda_stand_in::Left().communicators, 3);  // made once
  }
}

TEST_F(NcclTasksTest, StepsOfSeveralMastersMeetOnTheirGpus) {
  Start(2);
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < 2; ++i) {
    const Scope root = Scope::NewRoot();
    const Scope at = root.Device(Gpu(i, i));
    const Output x = Placeholder(at.Named("x"), DType::kFloat, PartialShape({2}));
    Sum(at, "y", ops::CheckNumerics(at, x, "not finite"), 2, 1);
    sessions.push_back(Open(root, /*master=*/i));
  }
  const auto run_all = [&](float first) {
    std::vector<Status> ran(2);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < 2; ++i) {
      threads.emplace_back([&, i] {
        const float value = i == 0 ? first : 2.0f;
        const auto y = Fetch(*sessions[i], {"y:0"}, {{"x:0", Tensor::Vector({value, value})}});
        ran[i] = y.status();
        if (y.ok()) {
          EXPECT_EQ((*y)[0].data<float>()[1], first + 2);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return ran[0].ok() ? ran[1] : ran[0];
  };
  const int64_t before = Calls("ncclAllReduce");
  for (int step = 0; step < 3; ++step) {
    const Status ran = run_all(static_cast<float>(step));
    ASSERT_TRUE(ran.ok()) << ran;
  }
  EXPECT_EQ(Calls("ncclAllReduce") - before, 6);
  // A step that fails ends the group for all, and another one forms and goes by NCCL, too.
  EXPECT_FALSE(run_all(std::numeric_limits<float>::infinity()).ok());
  const Status again = run_all(3);
  ASSERT_TRUE(again.ok()) << again;
  EXPECT_EQ(Calls("ncclAllReduce") - before, 8);
}

// Members of one task need none of what is between tasks.
TEST_F(NcclTasksTest, MembersOfOneTaskOfSeveral) {
  Start(2);
  const Scope root = Scope::NewRoot();
  for (int i = 0; i < 2; ++i) AddMember(root.Device(Gpu(1, i)), i, 2, 0, 1);
  const auto session = Open(root);
  const int64_t ids = Calls("ncclGetUniqueId"), joined = Calls("ncclCommInitRankConfig");
  for (int step = 0; step < 2; ++step) {
    const Status ran = Run(*session, 2);
    ASSERT_TRUE(ran.ok()) << ran;
  }
  EXPECT_EQ(Calls("ncclGetUniqueId"), ids + 1) << "made once";
  EXPECT_EQ(Calls("ncclCommInitRankConfig"), joined + 2) << "of this task's two alone";
}

// Of two groups of the same task the one that comes second goes through host memory: what two
// groups enqueue would have to be in one order on all tasks.
TEST_F(NcclTasksTest, ATaskIsInOneGroupByNcclAtATime) {
  Start(2);
  auto first = Open(Members(2, 0, /*group=*/1));
  ASSERT_TRUE(Run(*first, 2).ok());
  const int64_t before = Calls("ncclAllReduce");
  const auto second = Open(Members(2, 0, /*group=*/2));
  for (int step = 0; step < 3; ++step) {
    const Status ran = Run(*second, 2);
    ASSERT_TRUE(ran.ok()) << ran;
    EXPECT_EQ(Calls("ncclAllReduce"), before + 2 * step);
    ASSERT_TRUE(Run(*first, 2).ok());
    EXPECT_EQ(Calls("ncclAllReduce"), before + 2 * (step + 1));
  }
  EXPECT_EQ(cuda_stand_in::Left().communicators, 2);
  // It is free again with the session.
  first = nullptr;
  const auto third = Open(Members(2, 0, /*group=*/3));
  const int64_t then = Calls("ncclAllReduce");
  for (int step = 0; step < 2; ++step) {
    const Status ran = Run(*third, 2);
    ASSERT_TRUE(ran.ok()) << ran;
  }
  EXPECT_EQ(Calls("ncclAllReduce"), then + 4);
}

// The buckets of replicas on several tasks go from GPU to GPU.
TEST_F(NcclTasksTest, ReplicasOfTasksTrainAsOnTheCpu) {
  SetTensorFloat32(false);
  Start(2);
  const int64_t before = Calls("ncclAllReduce");
  const auto by_nccl = Open(ReplicatedModel({Gpu(0, 0), Gpu(1, 1)}));
  const std::vector<float> got = LossesOf(*by_nccl);
  // Two buckets and more in each of ten steps, and each on two GPUs.
  EXPECT_GE(Calls("ncclAllReduce") - before, 40);
  const auto on_cpus = Open(ReplicatedModel({WorkerName(0), WorkerName(1)}));
  const std::vector<float> want = LossesOf(*on_cpus);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5 * want[i]) << i;
  EXPECT_LT(got.back(), got.front());
  SetTensorFloat32(true);
}

TEST_F(NcclTasksTest, WhereConnectionsAreEncryptedASessionHasToAskForIt) {
  struct Case {
    bool is_encrypted, may_use_nccl, asks_nccl, goes_by_nccl;
  };
  for (const Case& c : {Case{false, true, false, true},
                        {false, false, true, false},
                        {true, true, false, false},
                        {true, true, true, true}}) {
    LocalCollectives collectives;
    collectives.is_encrypted = c.is_encrypted;
    collectives.may_use_nccl = c.may_use_nccl;
    collectives.asks_nccl = c.asks_nccl;
    Start(2, collectives);
    const int64_t before = Calls("ncclAllReduce");
    const auto session = Open(Members(2));
    const Status ran = Run(*session, 2);
    ASSERT_TRUE(ran.ok()) << ran;
    EXPECT_EQ(Calls("ncclAllReduce") > before, c.goes_by_nccl);
  }
}

TEST_F(NcclTasksTest, EachCallThatFailsIsAStatusAndTheNextStepGoesOn) {
  const std::pair<const char*, int> functions[] = {{"ncclGetUniqueId", 1},
                                                   {"ncclCommInitRankConfig", 2},
                                                   {"ncclGroupStart", 4},
                                                   {"ncclGroupEnd", 4},
                                                   {"ncclAllReduce", 2}};
  for (const auto& [function, times] : functions) {
    for (int n = 1; n <= times; ++n) {
      SCOPED_TRACE(absl::StrCat(function, " ", n));
      Start(2);
      const auto session = Open(Members(2));
      cuda_stand_in::FailCallOf(function, n);
      const Status failed = Run(*session, 2);
      EXPECT_EQ(cuda_stand_in::failed_call(), function);
      EXPECT_EQ(failed.code(), StatusCode::kInternal) << failed;
      EXPECT_THAT(std::string(failed.message()), HasSubstr(function));
      cuda_stand_in::FailCall(0);
      const int64_t before = Calls("ncclAllReduce");
      const Status again = Run(*session, 2);
      EXPECT_TRUE(again.ok()) << again;
      EXPECT_EQ(Calls("ncclAllReduce"), before + 2);
    }
  }
  // Without a version there is no NCCL, and it is not needed.
  for (int n = 1; n <= 2; ++n) {
    Start(2);
    const auto session = Open(Members(2));
    const int64_t before = Calls("ncclAllReduce");
    cuda_stand_in::FailCallOf("ncclGetVersion", n);
    const Status ran = Run(*session, 2);
    EXPECT_TRUE(ran.ok()) << ran;
    EXPECT_EQ(Calls("ncclAllReduce"), before);
  }
}

class HangingTasksTest : public NcclTasksTest {
 protected:
  // Runs a step while the GPU of the second task does not come to it; then all goes on, and a step
  // is run again.
  Status RunHanging(float timeout_seconds, int64_t timeout_ms,
                    const std::function<void()>& meanwhile = nullptr, bool runs_again = true) {
    Start(2);
    const auto session = Open(Members(2, timeout_seconds));
    EXPECT_TRUE(Run(*session, 2).ok());
    Latch latch;
    const auto stream = GpuEndpoint::Of(&DeviceOf(1, 1))->stream();
    EXPECT_TRUE(stream.ok()) << stream.status();
    latch.Hang(**stream);
    const int64_t before = Calls("ncclAllReduce");
    Status failed;
    std::thread running([&] { failed = Run(*session, 2, timeout_ms); });
    for (int wait = 0; wait < 1000 && Calls("ncclAllReduce") < before + 2; ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (meanwhile != nullptr) meanwhile();
    running.join();
    latch.Open();
    const Status again = runs_again ? Run(*session, 2) : OkStatus();
    EXPECT_TRUE(again.ok()) << again;
    if (runs_again) {
      EXPECT_EQ(Calls("ncclAllReduce"), before + 4);
    }
    return failed;
  }
};

TEST_F(HangingTasksTest, WhoIsLateIsNamedWithTaskAndDevice) {
  const Status late = RunHanging(/*timeout_seconds=*/0.3f, 30000);
  EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded) << late;
  EXPECT_THAT(std::string(late.message()),
              AllOf(HasSubstr("From /job:worker/replica:0/task:1"),
                    HasSubstr("not ended: rank 1 'sum1' at " + FullName(1, 1))));
}

// Its own task, which has no timeout, says nothing of it.
TEST_F(HangingTasksTest, WhoIsLateIsNamedByTheOthersToo) {
  waits_for_ever_ = {1};
  const Status late = RunHanging(/*timeout_seconds=*/0.1f, 30000);
  EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded) << late;
  EXPECT_THAT(std::string(late.message()),
              AllOf(HasSubstr("these wait for them: rank 0 'sum0' at " + FullName(0, 0)),
                    HasSubstr("members of other tasks: " + FullName(1, 1))));
}

TEST_F(HangingTasksTest, AStepThatIsOverDoesNotWait) {
  const Status late = RunHanging(0, /*timeout_ms=*/500);
  EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded) << late;
}

TEST_F(HangingTasksTest, AnErrorUnderWayIsTold) {
  const Status failed = RunHanging(0, 30000, [] { cuda_stand_in::FailUnderWay(); });
  EXPECT_EQ(failed.code(), StatusCode::kInternal) << failed;
  EXPECT_THAT(std::string(failed.message()), HasSubstr("a collective under way"));
}

TEST_F(HangingTasksTest, ATaskThatGoesEndsItForTheOthers) {
  const Status gone = RunHanging(
      0, 30000, [&] { cluster_->worker(1).EndSteps(Unavailable("task 1 has been stopped")); },
      /*runs_again=*/false);
  EXPECT_EQ(gone.code(), StatusCode::kUnavailable) << gone;
  EXPECT_THAT(std::string(gone.message()), HasSubstr("task 1 has been stopped"));
}

// Communicators that tasks join, without tasks.
class JoiningTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 3; ++i) {
      auto gpu = RegisteredGpuPlatform()->create(DeviceName::Local(DeviceType::kGpu, i), i, {});
      ASSERT_TRUE(gpu.ok()) << gpu.status();
      gpus_.push_back(*std::move(gpu));
    }
  }
  void TearDown() override {
    gpus_.clear();
    EXPECT_EQ(WhatIsLeft(), "");
  }
  GpuRanks RanksOf(const std::string& id, int size, int first, std::vector<int> gpus) {
    GpuRanks ranks;
    ranks.id = id;
    ranks.size = size;
    ranks.first = first;
    for (const int gpu : gpus) ranks.devices.push_back(gpus_[static_cast<size_t>(gpu)].get());
    ranks.is_over = [] { return false; };
    return ranks;
  }
  // All join at the same time.
  static std::vector<Status> Join(const std::vector<GpuRanks>& all) {
    std::vector<Status> joined(all.size());
    std::vector<std::thread> threads;
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    for (size_t i = 0; i < all.size(); ++i) {
      threads.emplace_back([&, i] {
        joined[i] = JoinGpuCommunicator(all[i], [&] {
                      return std::chrono::steady_clock::now() > until;
                    }).status();
      });
    }
    for (std::thread& thread : threads) thread.join();
    return joined;
  }

  std::vector<std::unique_ptr<Device>> gpus_;
};

TEST_F(JoiningTest, RanksThatDoNotFitAreRefusedAndMissingOnesNotWaitedForLonger) {
  const auto id = [] { return NewGpuCommunicatorId().value_or(""); };
  const std::string fits = id(), other_size = id(), same_rank = id(), missing = id();
  for (const Status& s : Join({RanksOf(fits, 3, 0, {0, 1}), RanksOf(fits, 3, 2, {2})})) {
    EXPECT_TRUE(s.ok()) << s;
  }
  for (const auto& all :
       {std::vector<GpuRanks>{RanksOf(other_size, 2, 0, {0}), RanksOf(other_size, 3, 1, {1})},
        {RanksOf(same_rank, 2, 0, {0}), RanksOf(same_rank, 2, 0, {1})}}) {
    for (const Status& s : Join(all)) {
      EXPECT_EQ(s.code(), StatusCode::kInternal) << s;
      EXPECT_TRUE(absl::StrContains(s.message(), "ncclCommInitRankConfig")) << s;
    }
  }
  EXPECT_EQ(Join({RanksOf(missing, 2, 0, {0})})[0].code(), StatusCode::kAborted);
  EXPECT_EQ(Join({RanksOf("no id", 1, 0, {0})})[0].code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
