#include "runtime/device/local/launch_thread.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

struct Log {
  std::vector<int64_t> order;
  std::thread::id thread;
};

void Note(void* object, int64_t argument) {
  auto* const log = static_cast<Log*>(object);
  log->order.push_back(argument);
  log->thread = std::this_thread::get_id();
}

TEST(LaunchThread, RunsWhatItIsGivenInOrderAndAllOfItBeforeItEnds) {
  Log log;
  auto started = LaunchThread::Start("a name that is longer than the system takes");
  ASSERT_TRUE(started.ok()) << started.status();
  std::unique_ptr<LaunchThread> launches = *std::move(started);
  for (int64_t i = 0; i < 1000; ++i) launches->Schedule({&Note, &log, i});
  launches.reset();
  ASSERT_EQ(log.order.size(), 1000u);
  for (int64_t i = 0; i < 1000; ++i) EXPECT_EQ(log.order[i], i);
  EXPECT_NE(log.thread, std::this_thread::get_id());
}

TEST(LaunchThread, WhatRunsMayScheduleMore) {
  struct Chain {
    LaunchThread* launches;
    int left;
    std::atomic<bool>* ended;
    static void Step(void* object, int64_t) {
      auto* const chain = static_cast<Chain*>(object);
      if (--chain->left == 0) {
        *chain->ended = true;
      } else {
        chain->launches->Schedule({&Chain::Step, chain, 0});
      }
    }
  };
  std::atomic<bool> ended{false};
  auto started = LaunchThread::Start("launch");
  ASSERT_TRUE(started.ok()) << started.status();
  std::unique_ptr<LaunchThread> launches = *std::move(started);
  Chain chain{launches.get(), 100, &ended};
  launches->Schedule({&Chain::Step, &chain, 0});
  while (!ended) std::this_thread::yield();
  launches.reset();
  EXPECT_EQ(chain.left, 0);
}

}  // namespace
}  // namespace warpbeam
