// Collectives by NCCL on its stand-in, of members alone: each call that fails becomes a status and
// leaves nothing, and neither a GPU that does not come nor NCCL itself is waited for without end.
#include "tests/cuda_stand_in/nccl_members.h"

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/cuda_stand_in/latch.h"
#include "tests/cuda_stand_in/may_fail_unseen.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

TEST_F(NcclTest, MembersMeetOnTheirGpus) {
  auto world = World::Make();
  ASSERT_TRUE(world.ok()) << world.status();
  for (int time = 0; time < 3; ++time) {
    const Status ran = (*world)->Run(CallOf(kReduction));
    ASSERT_TRUE(ran.ok()) << ran;
    for (const auto& member : (*world)->members) EXPECT_EQ(member->First().value_or(0), 6);
    // Made once.
    EXPECT_EQ(cuda_stand_in::Left().communicators, kGpus);
  }
  ASSERT_TRUE((*world)->Run(CallOf(kBroadcast)).ok());
  for (const auto& member : (*world)->members) EXPECT_EQ(member->First().value_or(0), 2);
}

// One call of each kind.
Status UseAll() {
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<World> world, World::Make());
  for (const int kind : {kReduction, kReduceScatter, kBroadcast, kGather, kAllToAll}) {
    CollectiveCall call = CallOf(kind);
    if (kind == kReduction) call.divide = [](void*, int64_t, int64_t) {};
    call.shape = Shape({kGpus, kCount / kGpus});
    WB_RETURN_IF_ERROR(world->Run(call));
  }
  return OkStatus();
}

TEST_F(NcclTest, EachCallThatFailsIsAStatusAndLeavesNothing) {
  ASSERT_TRUE(UseAll().ok());
  const int64_t before = cuda_stand_in::calls();
  const Status whole = UseAll();
  ASSERT_TRUE(whole.ok()) << whole;
  const int64_t calls = cuda_stand_in::calls() - before;
  using namespace cuda_stand_in::unseen;  // NOLINT: the reasons
  const auto tolerated = MayFail({kWaiting, kClosing, kGrowth, kPeers});
  std::set<std::string> failed;
  for (int64_t i = 1; i <= calls; ++i) {
    cuda_stand_in::FailCall(i);
    const Status status = UseAll();
    const std::string function = cuda_stand_in::failed_call();
    failed.insert(function);
    EXPECT_TRUE(!status.ok() || function.empty() || tolerated.count(function) > 0)
        << i << ": " << function;
    EXPECT_FALSE(absl::StrContains(status.message(), "never told")) << i << ": " << function;
    if (absl::StrContains(function, "nccl")) {
      EXPECT_TRUE(absl::StrContains(status.message(), function)) << status;
    }
    EXPECT_EQ(Left(), "") << i << ": " << function << ": " << status;
  }
  for (const char* function : {"ncclGetUniqueId", "ncclCommInitRankConfig", "ncclGroupStart",
                               "ncclGroupEnd", "ncclAllReduce", "ncclReduceScatter",
                               "ncclBroadcast", "ncclAllGather", "ncclSend", "ncclRecv"}) {
    EXPECT_EQ(failed.count(function), 1u) << function;
  }
  cuda_stand_in::FailCall(0);
  EXPECT_TRUE(UseAll().ok());
}

class HangingNcclTest : public NcclTest {
 protected:
  // Runs a collective while the last GPU hangs; then all goes on, and members meet again.
  void Run(double timeout_seconds, const std::function<void(World&)>& meanwhile,
           const std::function<void(const Status&)>& check) {
    auto world = World::Make();
    ASSERT_TRUE(world.ok()) << world.status();
    for (int i = 0; i < kGpus; ++i) {
      ASSERT_TRUE((*world)->members[i]->SetInput(1).ok());
    }
    Latch latch;
    latch.Hang(*(*world)->gpus[kGpus - 1]->compute_stream());
    for (const auto& member : (*world)->members) {
      CollectiveCall call = CallOf(kReduction);
      call.timeout_seconds = timeout_seconds;
      member->Join(std::move(call));
    }
    meanwhile(**world);
    for (const auto& member : (*world)->members) check(member->Wait());
    latch.Open();
    auto others = World::Make();
    ASSERT_TRUE(others.ok()) << others.status();
    const Status again = (*others)->Run(CallOf(kReduction));
    EXPECT_TRUE(again.ok()) << again;
  }
};

TEST_F(HangingNcclTest, AGpuThatDoesNotComeIsNotWaitedForLonger) {
  Run(
      0.1, [](World&) {},
      [](const Status& told) {
        EXPECT_EQ(told.code(), StatusCode::kDeadlineExceeded) << told;
        EXPECT_TRUE(absl::StrContains(told.message(), "not ended: rank 2 'member' at")) << told;
        EXPECT_TRUE(absl::StrContains(told.message(), "these wait for them: rank 0 'member' at"))
            << told;
      });
}

TEST_F(HangingNcclTest, AStepThatIsOverDoesNotWait) {
  Run(
      0, [](World& world) { world.step.Cancel(Cancelled("enough")); },
      [](const Status& told) { EXPECT_EQ(told.code(), StatusCode::kCancelled) << told; });
}

TEST_F(HangingNcclTest, AnErrorUnderWayIsTold) {
  Run(
      0, [](World&) { cuda_stand_in::FailUnderWay(); },
      [](const Status& told) {
        EXPECT_EQ(told.code(), StatusCode::kInternal) << told;
        EXPECT_TRUE(absl::StrContains(told.message(), "a collective under way")) << told;
      });
}

TEST_F(HangingNcclTest, ACallThatAsksForErrorsMayFail) {
  Run(
      0, [](World&) { cuda_stand_in::FailCallOf("ncclCommGetAsyncError", 1); },
      [](const Status& told) {
        EXPECT_EQ(told.code(), StatusCode::kInternal) << told;
        EXPECT_TRUE(absl::StrContains(told.message(), "ncclCommGetAsyncError")) << told;
      });
}

// NCCL itself hangs: it never says that the last GPU's rank has done what it was asked for.
class HangingInNcclTest : public NcclTest {
 protected:
  void TearDown() override {
    unsetenv("NCCL_STAND_IN_HANGS");
    NcclTest::TearDown();
  }
  static void Hang() { setenv("NCCL_STAND_IN_HANGS", std::to_string(kGpus - 1).c_str(), 1); }

  // A collective with a tenth of a second; members meet again once NCCL goes on.
  static void ExpectToBeLate(World& world, const std::string& said) {
    const auto begin = std::chrono::steady_clock::now();
    CollectiveCall call = CallOf(kReduction);
    call.timeout_seconds = 0.1;
    const Status late = world.Run(call);
    EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded) << late;
    EXPECT_TRUE(absl::StrContains(late.message(), said)) << late;
    EXPECT_TRUE(absl::StrContains(late.message(), "rank 2 'member' at")) << late;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
    unsetenv("NCCL_STAND_IN_HANGS");
    auto others = World::Make();
    ASSERT_TRUE(others.ok()) << others.status();
    const Status again = (*others)->Run(CallOf(kReduction));
    EXPECT_TRUE(again.ok()) << again;
  }
};

TEST_F(HangingInNcclTest, GpusThatDoNotConnectAreNotWaitedForLonger) {
  auto world = World::Make();
  ASSERT_TRUE(world.ok()) << world.status();
  Hang();
  ExpectToBeLate(**world,
                 "connecting GPUs by NCCL. In 0.1 s these have not been connected: rank 0");
  EXPECT_TRUE(absl::StrContains((*world)->step.first_error().message(), "on GPU 2 (NCCL)"));
}

TEST_F(HangingInNcclTest, ACollectiveThatDoesNotStartIsNotWaitedForLonger) {
  auto world = World::Make();
  ASSERT_TRUE(world.ok()) << world.status();
  ASSERT_TRUE((*world)->Run(CallOf(kReduction)).ok()) << "they are connected";
  Hang();
  ExpectToBeLate(**world, "has timed out waiting for GPUs");
}

TEST_F(HangingInNcclTest, AStepThatIsOverDoesNotWaitForGpusToConnect) {
  auto world = World::Make();
  ASSERT_TRUE(world.ok()) << world.status();
  Hang();
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    (*world)->step.Cancel(Cancelled("enough"));
  });
  const Status told = (*world)->Run(CallOf(kReduction));
  ends.join();
  EXPECT_EQ(told.code(), StatusCode::kCancelled) << told;
}

}  // namespace
}  // namespace warpbeam
