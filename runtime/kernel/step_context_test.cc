#include "runtime/kernel/step_context.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/kernel/cancellation.h"
#include "runtime/kernel/running_step.h"
#include "runtime/kernel/takings.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Code = StatusCode;

TEST(StepContextTest, CallbacksRunOnceAndOnlyThoseThatAreThere) {
  StepContext step(7, nullptr, nullptr);
  EXPECT_EQ(step.step_id(), 7);
  std::vector<int> told;
  step.OnCancel([&] { told.push_back(1); });
  const StepContext::Token removed = step.OnCancel([&] { told.push_back(2); });
  step.OnCancel([&] { told.push_back(3); });
  EXPECT_TRUE(step.RemoveCallback(removed));
  EXPECT_FALSE(step.RemoveCallback(removed));
  EXPECT_FALSE(step.IsCancelled());
  step.Cancel(Cancelled("first"));
  step.Cancel(Cancelled("second"));
  EXPECT_TRUE(step.IsCancelled());
  EXPECT_THAT(told, ElementsAre(1, 3));
  EXPECT_EQ(step.cancel_reason(), Cancelled("first"));
  EXPECT_EQ(step.OnCancel([&] { told.push_back(4); }), StepContext::kAlreadyCancelled);
  EXPECT_EQ(told.size(), 2u);
}

// Whoever takes a callback back may destroy what it uses.
TEST(StepContextTest, RemovingWaitsForARunningCallback) {
  StepContext step(1, nullptr, nullptr);
  std::atomic<bool> began{false}, ended{false};
  const StepContext::Token token = step.OnCancel([&] {
    began = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    ended = true;
  });
  std::thread cancels([&] { step.Cancel(Cancelled("now")); });
  while (!began) std::this_thread::yield();
  EXPECT_FALSE(step.RemoveCallback(token));
  EXPECT_TRUE(ended);
  cancels.join();
}

TEST(StepContextTest, TheFirstErrorIsWhatAllReport) {
  StepContext step(1, nullptr, nullptr);
  int told = 0;
  step.OnCancel([&] { ++told; });
  const Status first = DataLoss("the first");
  EXPECT_EQ(step.Fail(first), first);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(step.first_error(), first);
  EXPECT_EQ(step.cancel_reason().code(), Code::kCancelled);
  EXPECT_THAT(std::string(step.cancel_reason().message()), HasSubstr("the first"));
  // What was only cancelled because of it reports it.
  EXPECT_EQ(step.Fail(step.cancel_reason()), first);
  EXPECT_EQ(step.Fail(Cancelled("told to stop")), first);
  // Another error of its own stays what it is, and does not become the first.
  const Status other = OutOfRange("another");
  EXPECT_EQ(step.Fail(other), other);
  EXPECT_EQ(step.first_error(), first);
}

// A kernel that waited knows that it was cancelled, but not why.
TEST(StepContextTest, ACancelledStepSaysWhy) {
  StepContext step(1, nullptr, nullptr);
  step.Cancel(DeadlineExceeded("too late"));
  const Status s = step.Fail(Cancelled("the dequeue was told to stop"));
  EXPECT_EQ(s.code(), Code::kCancelled);
  EXPECT_EQ(s.message(), "the dequeue was told to stop: too late");
  EXPECT_TRUE(step.first_error().ok());
}

// Many threads that fail, cancel, register and take back: each callback runs at most once, and
// none after it was taken back.
TEST(StepContextTest, AnyThreadMayDoAnything) {
  for (int round = 0; round < 50; ++round) {
    StepContext step(1, nullptr, nullptr);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          std::atomic<int> runs{0};
          const StepContext::Token token = step.OnCancel([&] { ++runs; });
          if (t == 0 && i == 25 && step.Fail(Internal("round ", round)).ok()) ++wrong;
          const bool removed =
              token != StepContext::kAlreadyCancelled && step.RemoveCallback(token);
          const int expected = removed || token == StepContext::kAlreadyCancelled ? 0 : 1;
          if (runs != expected) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(step.first_error().code(), Code::kInternal);
  }
}

TEST(TakingsTest, AStepHasThoseOfItsScope) {
  StepContext step(1, nullptr, nullptr), other(2, nullptr, nullptr);
  EXPECT_EQ(Takings::Of(&step), nullptr);
  const auto takings = std::make_shared<Takings>(), others = std::make_shared<Takings>();
  {
    const Takings::Scope scope(&step, takings);
    EXPECT_EQ(Takings::Of(&step), takings);
    EXPECT_EQ(Takings::Of(&other), nullptr);
    const Takings::Scope second(&other, others);
    EXPECT_EQ(Takings::Of(&other), others);
  }
  EXPECT_EQ(Takings::Of(&step), nullptr);
  EXPECT_EQ(takings.use_count(), 1);
}

TEST(TakingsTest, TheLastTakenGoesBackFirst) {
  std::vector<int> back;
  Takings takings;
  for (int i = 0; i < 3; ++i) takings.Add([&back, i] { back.push_back(i); });
  EXPECT_THAT(back, IsEmpty());
  takings.GiveBack();
  EXPECT_THAT(back, ElementsAre(2, 1, 0));
  takings.GiveBack();
  EXPECT_EQ(back.size(), 3u);
  // A kernel of a step that was left behind takes something yet.
  takings.Add([&] { back.push_back(9); });
  EXPECT_EQ(back.back(), 9);
}

TEST(TakingsTest, WhatWasHandedOnStays) {
  std::vector<int> back;
  Takings takings;
  takings.Add([&] { back.push_back(1); });
  takings.HandOn();
  takings.Add([&] { back.push_back(2); });
  takings.GiveBack();
  EXPECT_THAT(back, ElementsAre(2));
}

TEST(TakingsTest, WithoutAnEndNothingGoesBack) {
  int back = 0;
  {
    Takings takings;
    takings.Add([&] { ++back; });
  }
  EXPECT_EQ(back, 0);
}

// Until whoever asked has heard of a step's end, it may still be undone.
TEST(CancellationTest, WhatEndedStepsTookGoesBack) {
  int back = 0;
  const auto taken = [&] {
    auto takings = std::make_shared<Takings>();
    takings->Add([&] { ++back; });
    return takings;
  };
  {
    Cancellation heard;
    heard.Keep(taken());
  }
  EXPECT_EQ(back, 0);
  Cancellation cancellation;
  cancellation.Keep(taken());
  cancellation.Keep(taken());
  EXPECT_EQ(back, 0);
  cancellation.Cancel(Cancelled("the client has gone"));
  EXPECT_EQ(back, 2);
  cancellation.Keep(taken());
  EXPECT_EQ(back, 3);
}

TEST(RunningStepTest, IsThatOfTheThread) {
  StepContext outer(1, nullptr, nullptr), inner(2, nullptr, nullptr);
  EXPECT_FALSE(RunningStep::IsOver());
  const RunningStep runs(&outer);
  {
    const RunningStep calls(&inner);
    inner.Cancel(Cancelled("inner"));
    EXPECT_TRUE(RunningStep::IsOver());
    std::thread([] { EXPECT_FALSE(RunningStep::IsOver()) << "of another thread"; }).join();
  }
  EXPECT_FALSE(RunningStep::IsOver());
  outer.Cancel(Cancelled("outer"));
  EXPECT_TRUE(RunningStep::IsOver());
}

}  // namespace
}  // namespace warpbeam
