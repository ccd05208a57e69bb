#include "runtime/dist/collective/step_numbers.h"

#include <atomic>
#include <thread>

#include "gtest/gtest.h"
#include "proto/worker.pb.h"

namespace warpbeam {
namespace {

bool Never() { return false; }

int64_t Asked(StepNumbers& numbers, int64_t key) {
  tensorflow::GetStepSequenceRequest request;
  tensorflow::GetStepSequenceResponse response;
  request.add_graph_key(key);
  numbers.Answer(request, &response);
  EXPECT_EQ(response.step_sequence(0).graph_key(), key);
  return response.step_sequence(0).next_step_id();
}

TEST(StepNumbersTest, TasksCountOnFromTheLeadersNumber) {
  StepNumbers leader, other;
  int asked = 0;
  const auto ask = [&]() -> StatusOr<int64_t> {
    ++asked;
    return Asked(leader, 5);
  };
  const int64_t first = *leader.Begin(5, nullptr, Never);
  EXPECT_GT(first, 0);
  EXPECT_EQ(*other.Begin(5, ask, Never), first);
  // One that fails leaves its number to the next.
  leader.End(5, first, false);
  other.End(5, first, false);
  for (int64_t step = first; step < first + 3; ++step) {
    EXPECT_EQ(*leader.Begin(5, nullptr, Never), step);
    EXPECT_EQ(*other.Begin(5, ask, Never), step);
    leader.End(5, step, true);
    other.End(5, step, true);
  }
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(Asked(leader, 5), first + 3);
  EXPECT_NE(Asked(leader, 6), first + 3);
}

TEST(StepNumbersTest, StepsOfAKeyComeOneAfterTheOther) {
  StepNumbers numbers;
  const int64_t first = *numbers.Begin(1, nullptr, Never);
  EXPECT_TRUE(numbers.Begin(2, nullptr, Never).ok());
  EXPECT_EQ(numbers.Begin(1, nullptr, [] { return true; }).status().code(), StatusCode::kCancelled);
  std::atomic<int64_t> second{0};
  std::thread waits([&] { second = *numbers.Begin(1, nullptr, Never); });
  numbers.End(1, first, true);
  waits.join();
  EXPECT_EQ(second, first + 1);
}

TEST(StepNumbersTest, TheLeadersErrorLeavesTheKeyFree) {
  StepNumbers numbers;
  const auto fails = []() -> StatusOr<int64_t> { return Unavailable("gone"); };
  EXPECT_EQ(numbers.Begin(1, fails, Never).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(*numbers.Begin(
                1, [] { return StatusOr<int64_t>(9); }, Never),
            9);
}

TEST(StepNumbersTest, TheDefaultKeyIsTensorFlows) {
  EXPECT_EQ(static_cast<uint64_t>(DefaultGraphKey({})), 0x8774aa605c729c72);
  EXPECT_NE(DefaultGraphKey({1}), DefaultGraphKey({2}));
}

}  // namespace
}  // namespace warpbeam
