#include "runtime/session/plan_cache.h"

#include <atomic>
#include <thread>

#include "graph/abandonment.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using PlanOr = StatusOr<std::unique_ptr<StepRunner>>;

PlanOr EmptyPlan() { return std::make_unique<LocalStep>(std::make_unique<Plan>()); }
PlanOr NoPlan() { return FailedPrecondition("not now"); }

TEST(PlanCache, WhatWasCompiledIsFound) {
  PlanCache cache(2);
  EXPECT_EQ(cache.Find("a"), nullptr);
  const auto runner = cache.FindOrCompile("a", EmptyPlan);
  ASSERT_TRUE(runner.ok());
  EXPECT_EQ(cache.Find("a"), *runner);
  EXPECT_EQ(*cache.FindOrCompile("a", NoPlan), *runner);
}

TEST(PlanCache, ThreadsThatAskAtTheSameTimeGetOnePlan) {
  PlanCache cache(2);
  std::atomic<int> asking{0}, compiled{0};
  std::vector<PlanCache::Runner> runners(4);
  std::vector<std::thread> threads;
  for (PlanCache::Runner& runner : runners) {
    threads.emplace_back([&] {
      ++asking;
      runner = *cache.FindOrCompile("a", [&] {
        while (asking < 4) std::this_thread::yield();
        ++compiled;
        return EmptyPlan();
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(compiled, 1);
  for (const PlanCache::Runner& runner : runners) EXPECT_EQ(runner, runners[0]);
}

TEST(PlanCache, OneThatWaitedForAFailureCompilesItself) {
  PlanCache cache(2);
  std::atomic<bool> failing{false}, waiting{false};
  std::thread first([&] {
    const auto failed = cache.FindOrCompile("a", [&] {
      failing = true;
      while (!waiting) std::this_thread::yield();
      return NoPlan();
    });
    EXPECT_EQ(failed.status().code(), StatusCode::kFailedPrecondition);
  });
  while (!failing) std::this_thread::yield();
  waiting = true;
  EXPECT_TRUE(cache.FindOrCompile("a", EmptyPlan).ok());
  first.join();
}

TEST(PlanCache, WhoWaitsForACompilationHasHisOwnPatience) {
  PlanCache cache(2);
  std::atomic<bool> compiling{false}, release{false};
  std::thread patient([&] {
    EXPECT_TRUE(cache
                    .FindOrCompile("a",
                                   [&] {
                                     compiling = true;
                                     while (!release) std::this_thread::yield();
                                     return EmptyPlan();
                                   })
                    .ok());
  });
  while (!compiling) std::this_thread::yield();
  const auto late = cache.FindOrCompile("a", NoPlan, Patience::For(20, nullptr, false));
  EXPECT_EQ(late.status().code(), StatusCode::kDeadlineExceeded) << late.status();
  StepContext step(1, nullptr, nullptr);
  std::thread cancels([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    step.Cancel(Cancelled("told to stop"));
  });
  const auto cancelled = cache.FindOrCompile("a", NoPlan, Patience::For(0, &step, true));
  EXPECT_EQ(cancelled.status().message(), "told to stop");
  cancels.join();
  release = true;
  patient.join();
  EXPECT_NE(cache.Find("a"), nullptr);
}

// What nobody waits for any more ends, and whoever asks after that begins anew.
TEST(PlanCache, AnAbandonedCompilationEnds) {
  PlanCache cache(2);
  const auto until_abandoned = []() -> PlanOr {
    while (!IsAbandoned()) std::this_thread::yield();
    return CheckStillWanted();
  };
  const auto late = cache.FindOrCompile("a", until_abandoned, Patience::For(20, nullptr, false));
  EXPECT_EQ(late.status().code(), StatusCode::kDeadlineExceeded) << late.status();
  EXPECT_TRUE(cache.FindOrCompile("a", EmptyPlan, Patience::For(60'000, nullptr, false)).ok());
  StepContext step(1, nullptr, nullptr);
  step.Cancel(Cancelled("told to stop"));
  EXPECT_FALSE(cache.Compile(until_abandoned, Patience::For(0, &step, false)).ok());
  EXPECT_EQ(cache.AwaitCompilations(Patience::Clock::now() + std::chrono::seconds(60)), 0);
}

TEST(PlanCache, TheLeastRecentlyUsedPlanGoesWhenItsLastUserHasGone) {
  PlanCache cache(2);
  PlanCache::Runner b = *cache.FindOrCompile("b", EmptyPlan);
  ASSERT_TRUE(cache.FindOrCompile("a", EmptyPlan).ok());
  ASSERT_NE(cache.Find("b"), nullptr);
  ASSERT_TRUE(cache.FindOrCompile("c", EmptyPlan).ok());
  EXPECT_EQ(cache.Find("a"), nullptr);
  EXPECT_EQ(cache.Find("b"), b);
  ASSERT_NE(cache.Find("c"), nullptr);
  ASSERT_TRUE(cache.FindOrCompile("d", EmptyPlan).ok());  // in the place of "b"
  EXPECT_EQ(cache.Find("b"), nullptr);
  EXPECT_EQ(cache.All().size(), 3u);
  b.reset();
  cache.Drop(*cache.FindOrCompile("d", EmptyPlan));
  EXPECT_EQ(cache.All().size(), 3u);  // "d", which is kept by its key as well, for "b"
  cache.Clear();
  EXPECT_TRUE(cache.All().empty());
}

}  // namespace
}  // namespace warpbeam
