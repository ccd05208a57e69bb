#include "runtime/step/replay_trial.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

// Of the times of playing and running, in turn.
ReplayTrial Tried(int64_t play1, int64_t run1, int64_t play2, int64_t run2) {
  ReplayTrial trial;
  for (const int64_t time : {play1, run1, play2, run2}) {
    EXPECT_FALSE(trial.is_over());
    trial.Note(trial.PlaysNext(), time);
  }
  EXPECT_TRUE(trial.is_over());
  return trial;
}

TEST(ReplayTrialTest, TheFasterOneStays) {
  EXPECT_TRUE(Tried(10, 30, 10, 30).stays());
  EXPECT_FALSE(Tried(30, 10, 30, 10).stays());
  EXPECT_FALSE(Tried(10, 10, 10, 10).stays());
}

TEST(ReplayTrialTest, WhatWasHeldUpOnceIsNotTheSlower) {
  EXPECT_TRUE(Tried(1000, 30, 10, 30).stays());
  EXPECT_FALSE(Tried(30, 1000, 30, 10).stays());
}

TEST(ReplayTrialTest, WhatWentOtherwiseDoesNotCount) {
  ReplayTrial trial;
  EXPECT_TRUE(trial.PlaysNext());
  trial.Note(/*played=*/false, 1);
  EXPECT_TRUE(trial.PlaysNext());
  trial.Note(/*played=*/true, 10);
  EXPECT_FALSE(trial.PlaysNext());
  for (const int64_t time : {20, 10, 20}) trial.Note(trial.PlaysNext(), time);
  EXPECT_TRUE(trial.is_over());
  EXPECT_TRUE(trial.stays());
  trial.Note(/*played=*/true, 0);
  trial.Note(/*played=*/false, 0);
  EXPECT_TRUE(trial.stays()) << "it is over";
}

}  // namespace
}  // namespace warpbeam
