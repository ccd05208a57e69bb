#include "runtime/dist/cluster/transfer_log.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/step_stats.pb.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::StartsWith;

constexpr char kKey[] = "/job:ps/task:0;1;/job:worker/task:0;v/read;0:0";

tensorflow::StepStats Take(TransferLog& log, int64_t step) {
  tensorflow::StepStats stats;
  log.Take(step, &stats);
  return stats;
}

TEST(TransferLogTest, TellsOfAStepOnce) {
  TransferLog log;
  EXPECT_EQ(log.Begin(), 0);
  log.SetOn(true);
  const int64_t begin = log.Begin();
  EXPECT_GT(begin, 0);
  log.Record(7, kKey, begin - 1000, 300);
  log.Record(7, kKey, begin - 1000, 3 << 20);
  const tensorflow::StepStats stats = Take(log, 7);
  ASSERT_EQ(stats.dev_stats_size(), 1);
  EXPECT_EQ(stats.dev_stats(0).device(), "/job:worker/task:0");
  ASSERT_EQ(stats.dev_stats(0).node_stats_size(), 2);
  const auto& small = stats.dev_stats(0).node_stats(0);
  EXPECT_EQ(small.node_name(), "RecvTensor");
  EXPECT_EQ(small.all_start_micros(), begin - 1000);
  EXPECT_GE(small.all_end_rel_micros(), 1000);
  EXPECT_THAT(small.timeline_label(),
              AllOf(StartsWith("[300B] ["),
                    EndsWith("] v/read from /job:ps/task:0 to /job:worker/task:0")));
  EXPECT_THAT(stats.dev_stats(0).node_stats(1).timeline_label(), StartsWith("[3.0MB] ["));
  EXPECT_EQ(Take(log, 7).dev_stats_size(), 0);
}

TEST(TransferLogTest, ForgetsWhenItIsToldOrHasTooMuch) {
  TransferLog log;
  log.Record(1, kKey, 1, 1);
  log.Clear();
  EXPECT_EQ(Take(log, 1).dev_stats_size(), 0);
  for (size_t step = 1; step <= TransferLog::kMostSteps + 1; ++step) {
    log.Record(static_cast<int64_t>(step), kKey, 1, 1);
  }
  EXPECT_EQ(Take(log, 1).dev_stats_size(), 0);
  EXPECT_EQ(Take(log, TransferLog::kMostSteps + 1).dev_stats_size(), 1);
  for (size_t i = 0; i <= TransferLog::kMostTransfers; ++i) log.Record(1, kKey, 1, 1);
  EXPECT_LE(Take(log, 1).dev_stats(0).node_stats_size(), 1);
}

}  // namespace
}  // namespace warpbeam
