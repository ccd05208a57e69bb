#include "runtime/device/cpu/worker_pool.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace warpbeam {
namespace {

// How long an idle worker looks for work before it sleeps: about what a wake-up costs.
constexpr int64_t kSpinNs = 40'000;
// A loop below this is not worth another thread; a chunk should not be smaller than this.
constexpr int64_t kMinLoopNs = 8'000;
constexpr int64_t kMinChunkNs = 4'000;
// Sleeping workers are woken only for loops that will outlast the wake-up.
constexpr int64_t kWakeLoopNs = 60'000;
constexpr int kChunksPerThread = 4;

int64_t NowNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * int64_t{1'000'000'000} + t.tv_nsec;
}

void Pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

struct WorkerPool::Loop {
  // Valid while chunks are unclaimed or running; the caller of ParallelFor waits for all of them.
  const absl::FunctionRef<void(int64_t, int64_t)>* fn = nullptr;
  int64_t count = 0;
  int64_t chunk = 0;
  int64_t num_chunks = 0;
  std::atomic<int64_t> next{0};
  std::atomic<int64_t> finished{0};

  bool HasMore() const { return next.load(std::memory_order_relaxed) < num_chunks; }
  void Work() {
    for (;;) {
      const int64_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= num_chunks) return;
      (*fn)(i * chunk, std::min(count, (i + 1) * chunk));
      finished.fetch_add(1, std::memory_order_acq_rel);
    }
  }
};

WorkerPool::WorkerPool(std::string name, int width)
    : name_(std::move(name)), width_(std::max(1, width)) {
  // A pool of width 1 still has one worker: tasks must run when no thread participates.
  const int workers = std::max(1, width_ - 1);
  for (int i = 0; i < workers; ++i) workers_.emplace_back([this, i] { WorkerMain(i); });
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_.store(true);
  }
  wake_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void WorkerPool::Schedule(Work work) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(work);
    queued_.fetch_add(1, std::memory_order_release);
  }
  Wake(1);
}

void WorkerPool::Wake(int threads) {
  if (sleeping_.load(std::memory_order_seq_cst) == 0) return;
  // The lock orders this after the sleeper's last look, so no wake-up is lost.
  std::lock_guard<std::mutex> lock(mutex_);
  if (threads == 1) {
    wake_.notify_one();
  } else {
    wake_.notify_all();
  }
}

bool WorkerPool::TakeTask(Work* work) {
  if (!HasWork()) return false;
  std::lock_guard<std::mutex> lock(mutex_);
  if (queue_.empty()) return false;
  *work = queue_.front();
  queue_.pop_front();
  queued_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

bool WorkerPool::RunOne() {
  Work work;
  if (!TakeTask(&work)) return false;
  work.run(work.object, work.argument);
  return true;
}

bool WorkerPool::MayTakeTask() const {
  return HasWork() && active_.load(std::memory_order_acquire) < width_;
}

bool WorkerPool::ShareALoop() {
  if (open_loops_.load(std::memory_order_acquire) == 0) return false;
  std::shared_ptr<Loop> loop;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& candidate : loops_) {
      if (candidate->HasMore()) {
        loop = candidate;
        break;
      }
    }
  }
  if (loop == nullptr) return false;
  active_.fetch_add(1, std::memory_order_acq_rel);
  loop->Work();
  active_.fetch_sub(1, std::memory_order_acq_rel);
  return true;
}

void WorkerPool::WorkerMain(int index) {
  pthread_setname_np(pthread_self(), (name_ + "/" + std::to_string(index)).substr(0, 15).c_str());
  int64_t idle_since = 0;
  for (;;) {
    if (MayTakeTask()) {
      active_.fetch_add(1, std::memory_order_acq_rel);
      RunOne();
      active_.fetch_sub(1, std::memory_order_acq_rel);
      idle_since = 0;
      continue;
    }
    if (width_ > 1 && active_.load(std::memory_order_relaxed) < width_ && ShareALoop()) {
      idle_since = 0;
      continue;
    }
    if (stopping_.load(std::memory_order_relaxed) && !HasWork()) return;
    const int64_t now = NowNs();
    if (idle_since == 0) idle_since = now;
    if (now - idle_since < kSpinNs) {
      for (int i = 0; i < 32 && !HasWork() && open_loops_.load() == 0; ++i) Pause();
      // A thread with work, an input pipeline's above all, goes first.
      sched_yield();
      continue;
    }
    std::unique_lock<std::mutex> lock(mutex_);
    sleeping_.fetch_add(1, std::memory_order_seq_cst);
    wake_.wait(lock, [&] {
      return stopping_.load() || MayTakeTask() ||
             std::any_of(loops_.begin(), loops_.end(), [](const auto& l) { return l->HasMore(); });
    });
    sleeping_.fetch_sub(1, std::memory_order_seq_cst);
    idle_since = 0;
  }
}

void WorkerPool::ParallelFor(int64_t count, int64_t ns_per_item,
                             absl::FunctionRef<void(int64_t, int64_t)> fn) {
  if (count <= 0) return;
  const double total_ns = static_cast<double>(count) * static_cast<double>(ns_per_item);
  if (width_ == 1 || count == 1 || total_ns < kMinLoopNs) return fn(0, count);
  const int64_t most = std::max<int64_t>(2, static_cast<int64_t>(total_ns / kMinChunkNs));
  const int64_t wanted = std::min({count, most, static_cast<int64_t>(width_) * kChunksPerThread});
  std::shared_ptr<Loop> loop;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!spare_loops_.empty() && spare_loops_.back().use_count() == 1) {
      loop = std::move(spare_loops_.back());
      spare_loops_.pop_back();
    } else {
      loop = std::make_shared<Loop>();
    }
    loop->fn = &fn;
    loop->count = count;
    loop->chunk = (count + wanted - 1) / wanted;
    loop->num_chunks = (count + loop->chunk - 1) / loop->chunk;
    loop->next.store(0, std::memory_order_relaxed);
    loop->finished.store(0, std::memory_order_relaxed);
    loops_.push_back(loop);
    open_loops_.fetch_add(1, std::memory_order_release);
  }
  if (total_ns >= kWakeLoopNs) Wake(width_ - 1);
  loop->Work();
  while (loop->finished.load(std::memory_order_acquire) < loop->num_chunks) Pause();
  std::lock_guard<std::mutex> lock(mutex_);
  open_loops_.fetch_sub(1, std::memory_order_relaxed);
  loops_.erase(std::find(loops_.begin(), loops_.end(), loop));
  spare_loops_.push_back(std::move(loop));
}

WorkerPool::Participant::Participant(WorkerPool* pool) : pool_(pool) {
  if (pool_ != nullptr) pool_->active_.fetch_add(1, std::memory_order_acq_rel);
}

WorkerPool::Participant::~Participant() {
  if (pool_ == nullptr) return;
  pool_->active_.fetch_sub(1, std::memory_order_acq_rel);
  // Work left in the queue may have waited for this thread's place.
  if (pool_->HasWork()) pool_->Wake(1);
}

}  // namespace warpbeam
