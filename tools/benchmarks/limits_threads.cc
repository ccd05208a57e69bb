#include <immintrin.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tools/benchmarks/limits.h"
#include "tools/benchmarks/measure.h"

namespace warpbeam {
namespace benchmarks {

// Spinning start and end: the measured loops take milliseconds, a wake-up tens of microseconds.
struct ThreadTeam::Shared {
  std::atomic<int> generation{0};
  std::atomic<int> running{0};
  std::atomic<bool> stop{false};
  const std::function<void(int)>* work = nullptr;
};

ThreadTeam::ThreadTeam(int size) : size_(size), shared_(new Shared) {
  for (int i = 1; i < size; ++i) {
    threads_.emplace_back([this, i] {
      for (int seen = 0;; ++seen) {
        while (shared_->generation.load(std::memory_order_acquire) == seen) {
          std::this_thread::yield();
        }
        if (shared_->stop) return;
        (*shared_->work)(i);
        shared_->running.fetch_sub(1, std::memory_order_acq_rel);
      }
    });
  }
}

ThreadTeam::~ThreadTeam() {
  shared_->stop = true;
  shared_->generation.fetch_add(1, std::memory_order_release);
  for (std::thread& thread : threads_) thread.join();
  delete shared_;
}

void ThreadTeam::Run(const std::function<void(int)>& work) {
  shared_->work = &work;
  shared_->running = size_ - 1;
  shared_->generation.fetch_add(1, std::memory_order_release);
  work(0);
  while (shared_->running.load(std::memory_order_acquire) != 0) std::this_thread::yield();
}

namespace {

void MeasureConditionVariable() {
  constexpr int kTurns = 20000;
  std::mutex mutex;
  std::condition_variable changed;
  bool others_turn = false;
  const double before = WallSeconds();
  std::thread other([&] {
    for (int i = 0; i < kTurns; ++i) {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return others_turn; });
      others_turn = false;
      changed.notify_one();
    }
  });
  for (int i = 0; i < kTurns; ++i) {
    std::unique_lock<std::mutex> lock(mutex);
    others_turn = true;
    changed.notify_one();
    changed.wait(lock, [&] { return !others_turn; });
  }
  other.join();
  PrintMetric("limit.condvar_roundtrip", (WallSeconds() - before) / kTurns * 1e6, "us");
}

void MeasureSpinning() {
  constexpr int kTurns = 1000000;
  std::atomic<bool> others_turn{false};
  const double before = WallSeconds();
  std::thread other([&] {
    for (int i = 0; i < kTurns; ++i) {
      while (!others_turn.load(std::memory_order_acquire)) _mm_pause();
      others_turn.store(false, std::memory_order_release);
    }
  });
  for (int i = 0; i < kTurns; ++i) {
    others_turn.store(true, std::memory_order_release);
    while (others_turn.load(std::memory_order_acquire)) _mm_pause();
  }
  other.join();
  PrintMetric("limit.spin_roundtrip", (WallSeconds() - before) / kTurns * 1e9, "ns");
}

}  // namespace

void MeasureWakeUps() {
  MeasureConditionVariable();
  // Two spinning threads on one core would take turns by the scheduler's clock.
  if (std::thread::hardware_concurrency() > 1) MeasureSpinning();
}

}  // namespace benchmarks
}  // namespace warpbeam
