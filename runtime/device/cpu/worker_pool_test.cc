#include "runtime/device/cpu/worker_pool.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

TEST(WorkerPool, LoopsCoverEveryItemOnce) {
  WorkerPool pool("test", 3);
  for (int64_t count : {1, 2, 7, 1000, 100001}) {
    std::vector<std::atomic<int>> seen(count);
    pool.ParallelFor(count, 1000, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) seen[i].fetch_add(1);
    });
    for (auto& s : seen) ASSERT_EQ(s.load(), 1);
  }
}

TEST(WorkerPool, LoopsMayNest) {
  WorkerPool pool("test", 2);
  std::atomic<int64_t> sum{0};
  pool.ParallelFor(8, 100000, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      pool.ParallelFor(100, 10000, [&](int64_t b2, int64_t e2) { sum += e2 - b2; });
    }
  });
  EXPECT_EQ(sum.load(), 800);
}

// Both chunks wait for each other, so two threads must run them.
TEST(WorkerPool, IdleWorkersOfATeamShareLoops) {
  const auto team = std::make_shared<WorkerTeam>();
  WorkerPool first("first", 1, team), second("second", 1, team);
  WorkerPool::Participant self(&first);
  EXPECT_EQ(first.loop_width(), 2);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> arrived{0};
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    first.ParallelFor(2, 1'000'000, [&](int64_t, int64_t) {
      ++arrived;
      while (arrived.load() < 2 && std::chrono::steady_clock::now() < give_up) {
        std::this_thread::yield();
      }
    });
    ASSERT_EQ(arrived.load(), 2);
  }
  WorkerPool::Participant busy(&second);
  EXPECT_EQ(first.loop_width(), 1);
  first.ParallelFor(100, 200, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 100);
  });
}

// The loop begins while the other thread of the team is in a task of its own, and two of its chunks
// wait for each other: the thread must come when its task is over.
TEST(WorkerPool, WhoeverBecomesIdleJoinsALoopThatRuns) {
  const auto team = std::make_shared<WorkerTeam>();
  WorkerPool first("first", 1, team), second("second", 1, team);
  WorkerPool::Participant self(&first);
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> in_task{false}, in_loop{false};
    struct Flags {
      std::atomic<bool>* in_task;
      std::atomic<bool>* in_loop;
    } flags{&in_task, &in_loop};
    const auto task = [](void* p, int64_t) {
      const Flags& f = *static_cast<Flags*>(p);
      f.in_task->store(true);
      while (!f.in_loop->load()) std::this_thread::yield();
    };
    second.Schedule({task, &flags, 0});
    while (!in_task.load()) std::this_thread::yield();
    EXPECT_EQ(first.loop_width(), 1);
    std::atomic<int> arrived{0};
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    first.ParallelFor(2, 1'000'000, [&](int64_t, int64_t) {
      in_loop.store(true);
      ++arrived;
      while (arrived.load() < 2 && std::chrono::steady_clock::now() < give_up) {
        std::this_thread::yield();
      }
    });
    ASSERT_EQ(arrived.load(), 2);
  }
}

TEST(WorkerPool, GuestsOnAllCoresKeepTheirShortLoops) {
  WorkerPool pool("test", 2);
  const WorkerPool::Guest first(&pool), nobodys(nullptr);
  EXPECT_EQ(pool.loop_width(), 2);
  {
    const WorkerPool::Guest again(&pool);  // in a call of the first one's
    EXPECT_EQ(pool.loop_width(), 2);
  }
  std::thread second([&] {
    const WorkerPool::Guest guest(&pool);
    EXPECT_EQ(pool.loop_width(), 1);
    pool.ParallelFor(100, 200, [&](int64_t begin, int64_t end) {
      EXPECT_EQ(begin, 0);
      EXPECT_EQ(end, 100);
    });
  });
  second.join();
  EXPECT_EQ(pool.loop_width(), 2);
}

TEST(WorkerPool, ScheduledTasksRunBeforeThePoolGoes) {
  std::atomic<int> ran{0};
  {
    WorkerPool pool("test", 2);
    for (int i = 0; i < 100; ++i) {
      pool.Schedule({[](void* p, int64_t) { ++*static_cast<std::atomic<int>*>(p); }, &ran, 0});
    }
  }
  EXPECT_EQ(ran.load(), 100);
}

TEST(WorkerPool, ParticipantTakesTheOnlyPlace) {
  WorkerPool pool("test", 1);
  std::atomic<int> ran{0};
  {
    WorkerPool::Participant self(&pool);
    pool.Schedule({[](void* p, int64_t) { ++*static_cast<std::atomic<int>*>(p); }, &ran, 0});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(ran.load(), 0);
  }
  while (ran.load() < 1) std::this_thread::yield();  // the worker has the place again
}

// Tasks that wait for each other, and a loop whose chunks do: both threads take part, also after
// both have slept.
TEST(WorkerPool, HelpersTakeTasksAndShareLoops) {
  struct Meeting {
    WorkerPool* pool;
    std::atomic<int> arrived{0};
    std::atomic<int> in_loop{0};
    std::atomic<bool> done{false};
  };
  WorkerPool pool("test", 2);
  for (int round = 0; round < 50; ++round) {
    Meeting meeting{&pool};
    const auto run = [](void* p, int64_t) {
      auto* m = static_cast<Meeting*>(p);
      const bool last = m->arrived.fetch_add(1) == 1;
      while (m->arrived.load() < 2) std::this_thread::yield();
      if (!last) return;
      m->pool->ParallelFor(2, 1'000'000, [m](int64_t, int64_t) {
        ++m->in_loop;
        while (m->in_loop.load() < 2) std::this_thread::yield();
      });
      WorkerPool* const pool = m->pool;
      const std::atomic<bool>* const done = &m->done;
      m->done.store(true);  // the meeting may be over from here on
      pool->WakeHelper(done);
    };
    WorkerPool::Participant self(&pool);
    if (round % 5 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::thread later([&] {
      if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      for (int i = 0; i < 2; ++i) pool.Schedule({run, &meeting, 0});
    });
    self.HelpUntil(meeting.done);
    EXPECT_EQ(meeting.in_loop.load(), 2);
    later.join();
  }
}

// Helpers that wait for different things at once, most of the time asleep.
TEST(WorkerPool, EveryHelperWakesForItsOwn) {
  WorkerPool pool("test", 2);
  constexpr int kHelpers = 4, kRounds = 3000;
  std::vector<std::thread> threads;
  for (int h = 0; h < kHelpers; ++h) {
    threads.emplace_back([&pool, h] {
      for (int round = 0; round < kRounds; ++round) {
        struct Call {
          WorkerPool* pool;
          int pause_us;
          std::atomic<bool> done{false};
        };
        Call call{&pool, (h * 7 + round) % 5 * 60};
        WorkerPool::Participant self(&pool);
        pool.Schedule({[](void* p, int64_t) {
                         auto* c = static_cast<Call*>(p);
                         std::this_thread::sleep_for(std::chrono::microseconds(c->pause_us));
                         WorkerPool* const pool = c->pool;
                         const std::atomic<bool>* const done = &c->done;
                         c->done.store(true);  // the call may be over from here on
                         pool->WakeHelper(done);
                       },
                       &call, 0, nullptr, round % 3 == 0});
        self.HelpUntil(call.done);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A loop that does not end: who shares it is lost with it, and nobody joins it any more.
TEST(WorkerPool, NewWorkersReplaceThoseThatShareALoopThatIsStuck) {
  struct Stuck {
    WorkerPool* pool;
    std::atomic<int> in_loop{0};
    std::atomic<bool> release{false};
  };
  WorkerPool pool("test", 3);
  Stuck stuck{&pool};
  std::atomic<bool> done{false};
  std::thread helper([&] {
    WorkerPool::Participant self(&pool);
    self.HelpUntil(done);  // joins no loop of work for workers only
  });
  pool.Schedule({[](void* p, int64_t) {
                   auto* self = static_cast<Stuck*>(p);
                   self->pool->ParallelFor(1000, 1'000'000, [self](int64_t, int64_t) {
                     ++self->in_loop;
                     while (!self->release) std::this_thread::yield();
                   });
                 },
                 &stuck, 0, &stuck, true});
  while (stuck.in_loop < 2) std::this_thread::yield();
  EXPECT_EQ(pool.ReplaceStuck(&stuck), 2);
  std::atomic<int> ran{0};
  for (int i = 0; i < 10; ++i) {
    pool.Schedule(
        {[](void* p, int64_t) { ++*static_cast<std::atomic<int>*>(p); }, &ran, 0, nullptr, true});
  }
  while (ran < 10) std::this_thread::yield();
  std::atomic<int> items{0};
  pool.ParallelFor(1000, 1'000'000, [&](int64_t begin, int64_t end) {
    items += static_cast<int>(end - begin);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  EXPECT_EQ(items, 1000);
  EXPECT_EQ(stuck.in_loop, 2);
  stuck.release = true;
  done.store(true);
  pool.WakeHelper(&done);
  helper.join();
}

TEST(WorkerPool, AParticipantThatIsGivenUpHasNoPlace) {
  WorkerPool pool("test", 1);
  const int owner = 0;
  std::atomic<bool> begun{false}, release{false};
  std::atomic<int> ran{0};
  const WorkerPool::Work work = {[](void* p, int64_t) { ++*static_cast<std::atomic<int>*>(p); },
                                 &ran, 0};
  std::thread lost([&] {
    const WorkerPool::Owner of(&owner);
    WorkerPool::Participant self(&pool);
    begun = true;
    while (!release) std::this_thread::yield();
  });
  while (!begun) std::this_thread::yield();
  pool.Schedule(work);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(pool.ReplaceStuck(&owner), 1);
  EXPECT_EQ(pool.ReplaceStuck(&owner), 0);
  while (ran < 1) std::this_thread::yield();
  release = true;
  lost.join();
  // It has given no place back that was not its own.
  WorkerPool::Participant self(&pool);
  pool.Schedule(work);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(ran, 1);
}

TEST(WorkerPool, NewWorkersReplaceThoseThatAreStuck) {
  struct Stuck {
    std::atomic<bool> begun{false}, release{false};
  };
  std::atomic<int> ran{0};
  const WorkerPool::Work work = {[](void* p, int64_t) { ++*static_cast<std::atomic<int>*>(p); },
                                 &ran, 0};
  Stuck stuck[3];
  WorkerPool pool("test", 1);
  std::atomic<bool> done{false};
  std::thread helper([&] {
    WorkerPool::Participant self(&pool);
    self.HelpUntil(done);  // takes nothing that is for workers only
  });
  for (Stuck& s : stuck) {
    pool.Schedule({[](void* p, int64_t) {
                     auto* self = static_cast<Stuck*>(p);
                     self->begun = true;
                     while (!self->release) std::this_thread::yield();
                   },
                   &s, 0, &s, true});
    while (!s.begun) std::this_thread::yield();
    EXPECT_EQ(pool.ReplaceStuck(&ran), 0);
    EXPECT_EQ(pool.ReplaceStuck(&s), 1);
    EXPECT_EQ(pool.ReplaceStuck(&s), 0);
  }
  pool.Schedule(work);
  while (ran.load() < 1) std::this_thread::yield();
  for (Stuck& s : stuck) s.release = true;
  for (int i = 0; i < 10; ++i) pool.Schedule(work);
  while (ran.load() < 11) std::this_thread::yield();
  done.store(true);
  pool.WakeHelper(&done);
  helper.join();
}

// While one exists, there is no address space for the stack of a further thread, and those that the
// C library keeps for the next threads are taken.
class NoRoomForThreads {
 public:
  NoRoomForThreads() {
    getrlimit(RLIMIT_AS, &before_);
    long pages = 0;
    FILE* const file = fopen("/proc/self/statm", "r");
    EXPECT_EQ(fscanf(file, "%ld", &pages), 1);
    fclose(file);
    rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(pages) * sysconf(_SC_PAGESIZE) + (1 << 20);
    setrlimit(RLIMIT_AS, &limit);
    const auto wait = [this] {
      while (!is_over_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    for (StatusOr<std::thread> taken = NewThread(wait); taken.ok(); taken = NewThread(wait)) {
      threads_.push_back(*std::move(taken));
    }
  }
  ~NoRoomForThreads() {
    setrlimit(RLIMIT_AS, &before_);
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  rlimit before_;
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> threads_;
};

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

TEST(WorkerPool, SaysThatTheSystemGivesNoThread) {
  const NoRoomForThreads no_room;
  const WorkerPool pool("cpu:7", 5);
  EXPECT_EQ(pool.started().code(), StatusCode::kResourceExhausted);
  EXPECT_NE(pool.started().message().find("of 4 of cpu:7"), std::string::npos) << pool.started();
}

TEST(WorkerPool, AGivenUpWorkerTakesItsPlaceBackWhereThereIsNoThreadForIt) {
  std::atomic<bool> begun{false}, release{false};
  std::atomic<int> ran{0};
  WorkerPool pool("test", 1);
  struct Flags {
    std::atomic<bool>* begun;
    std::atomic<bool>* release;
  } flags = {&begun, &release};
  pool.Schedule({[](void* p, int64_t) {
                   auto* self = static_cast<Flags*>(p);
                   *self->begun = true;
                   while (!*self->release) std::this_thread::yield();
                 },
                 &flags, 0, &flags});
  while (!begun) std::this_thread::yield();
  {
    const NoRoomForThreads no_room;
    EXPECT_EQ(pool.ReplaceStuck(&flags), 1);
  }
  release = true;
  for (int i = 0; i < 10; ++i) {
    pool.Schedule({[](void* p, int64_t) { ++*static_cast<std::atomic<int>*>(p); }, &ran, 0});
  }
  while (ran.load() < 10) std::this_thread::yield();
}

#endif

}  // namespace
}  // namespace warpbeam
