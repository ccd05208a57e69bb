#include "runtime/comm/rendezvous.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/comm/transfer_kernel.h"

namespace warpbeam {
namespace {

using Value = Rendezvous::Value;

Value Of(int32_t n) { return {Tensor::Scalar<int32_t>(n), false}; }
int32_t NumberIn(const StatusOr<Value>& value) {
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? value->tensor.scalar<int32_t>() : -1;
}

TEST(Rendezvous, EitherSideMayComeFirstAndEachKeyIsUsedAgain) {
  Rendezvous meeting;
  std::vector<int32_t> received;
  const auto receive = [&](StatusOr<Value> value) { received.push_back(NumberIn(value)); };
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(meeting.Send("a", Of(1)).ok());
    EXPECT_EQ(received.size(), 2u * round);
    meeting.Receive("a", receive);
    meeting.Receive("b", receive);
    ASSERT_TRUE(meeting.Send("b", Of(2)).ok());
  }
  EXPECT_EQ(received, (std::vector<int32_t>{1, 2, 1, 2, 1, 2}));
}

TEST(Rendezvous, DeadValuesArriveAsSuch) {
  Rendezvous meeting;
  ASSERT_TRUE(meeting.Send("a", {Tensor(), true}).ok());
  const auto value = meeting.ReceiveWithin("a", 0);
  ASSERT_TRUE(value.ok());
  EXPECT_TRUE(value->is_dead);
}

TEST(Rendezvous, ASecondOneOfAKindIsRefusedAndTheFirstStays) {
  Rendezvous meeting;
  ASSERT_TRUE(meeting.Send("a", Of(1)).ok());
  EXPECT_EQ(meeting.Send("a", Of(2)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(NumberIn(meeting.ReceiveWithin("a", 0)), 1);

  int32_t first = 0;
  meeting.Receive("a", [&](StatusOr<Value> value) { first = NumberIn(value); });
  EXPECT_EQ(meeting.ReceiveWithin("a", 0).status().code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(meeting.Send("a", Of(3)).ok());
  EXPECT_EQ(first, 3);
}

TEST(Rendezvous, AReceiverThatHasWaitedLongEnoughLeavesTheKeyFree) {
  Rendezvous meeting;
  EXPECT_EQ(meeting.ReceiveWithin("a", 5).status().code(), StatusCode::kDeadlineExceeded);
  ASSERT_TRUE(meeting.Send("a", Of(1)).ok());
  EXPECT_EQ(NumberIn(meeting.ReceiveWithin("a", 5)), 1);
}

TEST(Rendezvous, AbortLetsAllGoThoseThatWaitAndThoseThatCome) {
  Rendezvous meeting;
  Status told;
  meeting.Receive("a", [&](StatusOr<Value> value) { told = value.status(); });
  std::thread blocked(
      [&] { EXPECT_EQ(meeting.ReceiveWithin("b", 0).status().code(), StatusCode::kAborted); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  meeting.Abort(Aborted("why"));
  meeting.Abort(Internal("another reason"));
  blocked.join();
  EXPECT_EQ(told, Aborted("why"));
  EXPECT_EQ(meeting.Send("c", Of(1)), Aborted("why"));
  EXPECT_EQ(meeting.ReceiveWithin("c", 0).status(), Aborted("why"));
}

TEST(Rendezvous, ItsEndLetsReceiversGo) {
  Status told;
  {
    Rendezvous meeting;
    meeting.Receive("a", [&](StatusOr<Value> value) { told = value.status(); });
  }
  EXPECT_EQ(told.code(), StatusCode::kCancelled);
}

TEST(Rendezvous, ReceiversMaySendAndReceiveThemselves) {
  Rendezvous meeting;
  int32_t last = 0;
  std::function<void(int)> chain = [&](int n) {
    meeting.Receive(absl::StrCat("k", n), [&, n](StatusOr<Value> value) {
      last = NumberIn(value);
      if (n == 100) return;
      chain(n + 1);
      EXPECT_TRUE(meeting.Send(absl::StrCat("k", n + 1), Of(n + 1)).ok());
    });
  };
  chain(0);
  ASSERT_TRUE(meeting.Send("k0", Of(0)).ok());
  EXPECT_EQ(last, 100);
}

TEST(Rendezvous, ManyThreadsMeetInPairs) {
  constexpr int kThreads = 4, kValues = 2000;
  Rendezvous meeting;
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kValues; ++i) {
        EXPECT_TRUE(meeting.Send(absl::StrCat(t, ";", i), Of(i)).ok());
      }
    });
    threads.emplace_back([&, t] {
      for (int i = 0; i < kValues; ++i) {
        const auto value = meeting.ReceiveWithin(absl::StrCat(t, ";", i), i % 2 == 0 ? 0 : 60'000);
        sum += NumberIn(value);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, int64_t{kThreads} * kValues * (kValues - 1) / 2);
}

// The number that TensorFlow's tasks put into their keys for this loop.
TEST(TransferTest, LoopsHaveTensorFlowsNumbers) {
  const uint64_t loop = EnterLoop("while/while_context", 0, 0);
  EXPECT_EQ(loop, 18186195969791715286u);
  EXPECT_NE(EnterLoop("while/while_context", 1, 0), loop);
  EXPECT_NE(EnterLoop("while/while_context", 0, loop), loop);
}

}  // namespace
}  // namespace warpbeam
