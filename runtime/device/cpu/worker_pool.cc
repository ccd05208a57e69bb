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

struct WorkerPool::Worker {
  std::thread thread;
  int index = 0;
  // The owner of the work that it is in; itself once it has been given up.
  alignas(64) std::atomic<const void*> in{nullptr};
};

struct WorkerTeam::Loop {
  // Valid while chunks are unclaimed or running; the caller of ParallelFor waits for all of them.
  const absl::FunctionRef<void(int64_t, int64_t)>* fn = nullptr;
  std::atomic<int>* claimable = nullptr;
  int64_t count = 0;
  int64_t chunk = 0;
  int64_t num_chunks = 0;
  std::atomic<int64_t> next{0};
  std::atomic<int64_t> finished{0};

  bool HasMore() const { return next.load(std::memory_order_relaxed) < num_chunks; }
  // One chunk; false when all are claimed.
  bool Work() {
    const int64_t i = next.fetch_add(1, std::memory_order_relaxed);
    if (i >= num_chunks) return false;
    if (i == num_chunks - 1) claimable->fetch_sub(1, std::memory_order_relaxed);
    (*fn)(i * chunk, std::min(count, (i + 1) * chunk));
    finished.fetch_add(1, std::memory_order_acq_rel);
    return true;
  }
};

std::shared_ptr<WorkerTeam::Loop> WorkerTeam::Open(
    int64_t count, int64_t chunks, const absl::FunctionRef<void(int64_t, int64_t)>& fn) {
  std::shared_ptr<Loop> loop;
  std::lock_guard<std::mutex> lock(mutex_);
  if (!spare_loops_.empty() && spare_loops_.back().use_count() == 1) {
    loop = std::move(spare_loops_.back());
    spare_loops_.pop_back();
  } else {
    loop = std::make_shared<Loop>();
  }
  loop->fn = &fn;
  loop->claimable = &claimable_;
  loop->count = count;
  loop->chunk = (count + chunks - 1) / chunks;
  loop->num_chunks = (count + loop->chunk - 1) / loop->chunk;
  loop->next.store(0, std::memory_order_relaxed);
  loop->finished.store(0, std::memory_order_relaxed);
  loops_.push_back(loop);
  // Before a look at who sleeps, as a sleeper's last look comes after it says that it does.
  claimable_.fetch_add(1, std::memory_order_seq_cst);
  return loop;
}

void WorkerTeam::Close(std::shared_ptr<Loop> loop) {
  std::lock_guard<std::mutex> lock(mutex_);
  loops_.erase(std::find(loops_.begin(), loops_.end(), loop));
  spare_loops_.push_back(std::move(loop));
}

std::shared_ptr<WorkerTeam::Loop> WorkerTeam::Find() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& loop : loops_) {
    if (loop->HasMore()) return loop;
  }
  return nullptr;
}

void WorkerTeam::WakeAll() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (WorkerPool* pool : pools_) pool->Wake(pool->width_);
}

WorkerPool::WorkerPool(std::string name, int width, std::shared_ptr<WorkerTeam> team)
    : name_(std::move(name)),
      width_(std::max(1, width)),
      team_(team == nullptr ? std::make_shared<WorkerTeam>() : std::move(team)) {
  {
    std::lock_guard<std::mutex> lock(team_->mutex_);
    team_->pools_.push_back(this);
    team_->width_.fetch_add(width_);
  }
  // A pool of width 1 still has one worker: tasks must run when no thread participates.
  const int workers = std::max(1, width_ - 1);
  std::lock_guard<std::mutex> lock(mutex_);
  for (int i = 0; i < workers; ++i) StartWorker();
}

// With the mutex held.
void WorkerPool::StartWorker() {
  workers_.push_back(std::make_unique<Worker>());
  Worker* worker = workers_.back().get();
  worker->index = static_cast<int>(workers_.size()) - 1;
  worker->thread = std::thread([this, worker] { WorkerMain(worker); });
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard<std::mutex> lock(team_->mutex_);
    team_->pools_.erase(std::find(team_->pools_.begin(), team_->pools_.end(), this));
    team_->width_.fetch_sub(width_);
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_.store(true);
  }
  wake_.notify_all();
  for (const auto& worker : workers_) worker->thread.join();
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

bool WorkerPool::TakeTask(bool is_worker, Work* work) {
  if (!HasWork()) return false;
  std::lock_guard<std::mutex> lock(mutex_);
  auto first = queue_.begin();
  while (first != queue_.end() && first->workers_only && !is_worker) ++first;
  if (first == queue_.end()) return false;
  *work = *first;
  queue_.erase(first);
  queued_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

bool WorkerPool::RunOne() {
  Work work;
  if (!TakeTask(/*is_worker=*/false, &work)) return false;
  work.run(work.object, work.argument);
  return true;
}

// False once the worker has been given up: then another one has its place.
bool WorkerPool::RunTask(Worker* self) {
  Work work;
  if (!TakeTask(/*is_worker=*/true, &work)) return true;
  self->in.store(work.owner, std::memory_order_release);
  work.run(work.object, work.argument);
  return self->in.exchange(nullptr, std::memory_order_acq_rel) != self;
}

int WorkerPool::ReplaceStuck(const void* owner) {
  std::lock_guard<std::mutex> lock(mutex_);
  int replaced = 0;
  const size_t before = workers_.size();
  for (size_t i = 0; i < before; ++i) {
    Worker* worker = workers_[i].get();
    const void* expected = owner;
    if (!worker->in.compare_exchange_strong(expected, worker, std::memory_order_acq_rel)) continue;
    Leave();
    StartWorker();
    ++replaced;
  }
  return replaced;
}

bool WorkerPool::MayTakeTask() const {
  return HasWork() && active_.load(std::memory_order_acquire) < width_;
}

bool WorkerPool::MayShareALoop() const {
  return team_->claimable_.load(std::memory_order_seq_cst) > 0 &&
         active_.load(std::memory_order_relaxed) < width_;
}

void WorkerPool::ShareALoop() {
  const std::shared_ptr<WorkerTeam::Loop> loop = team_->Find();
  if (loop == nullptr) return;
  Enter();
  while (!HasWork() && loop->Work()) {
  }
  Leave();
}

void WorkerPool::Enter() {
  active_.fetch_add(1, std::memory_order_acq_rel);
  team_->active_.fetch_add(1, std::memory_order_relaxed);
}

void WorkerPool::Leave() {
  team_->active_.fetch_sub(1, std::memory_order_relaxed);
  active_.fetch_sub(1, std::memory_order_acq_rel);
}

int WorkerPool::loop_width() const {
  const int others =
      team_->active_.load(std::memory_order_relaxed) - active_.load(std::memory_order_relaxed);
  return std::max(width_, team_->width_.load(std::memory_order_relaxed) - others);
}

void WorkerPool::WorkerMain(Worker* self) {
  const std::string name = name_ + "/" + std::to_string(self->index);
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
  int64_t idle_since = 0;
  for (;;) {
    if (MayTakeTask()) {
      Enter();
      if (!RunTask(self)) return;
      Leave();
      idle_since = 0;
      continue;
    }
    if (MayShareALoop()) {
      ShareALoop();
      idle_since = 0;
      continue;
    }
    if (stopping_.load(std::memory_order_relaxed) && !HasWork()) return;
    const int64_t now = NowNs();
    if (idle_since == 0) idle_since = now;
    if (now - idle_since < kSpinNs) {
      for (int i = 0; i < 32 && !HasWork() && !MayShareALoop(); ++i) Pause();
      // A thread with work, an input pipeline's above all, goes first.
      sched_yield();
      continue;
    }
    std::unique_lock<std::mutex> lock(mutex_);
    sleeping_.fetch_add(1, std::memory_order_seq_cst);
    wake_.wait(lock, [&] { return stopping_.load() || MayTakeTask() || MayShareALoop(); });
    sleeping_.fetch_sub(1, std::memory_order_seq_cst);
    idle_since = 0;
  }
}

void WorkerPool::ParallelFor(int64_t count, int64_t ns_per_item,
                             absl::FunctionRef<void(int64_t, int64_t)> fn) {
  if (count <= 0) return;
  const double total_ns = static_cast<double>(count) * static_cast<double>(ns_per_item);
  if (count == 1 || total_ns < kMinLoopNs) return fn(0, count);
  const int width = loop_width();
  if (width == 1) return fn(0, count);
  const int64_t most = std::max<int64_t>(2, static_cast<int64_t>(total_ns / kMinChunkNs));
  const int64_t chunks = std::min({count, most, static_cast<int64_t>(width) * kChunksPerThread});
  std::shared_ptr<WorkerTeam::Loop> loop = team_->Open(count, chunks, fn);
  if (total_ns >= kWakeLoopNs) team_->WakeAll();
  while (loop->Work()) {
  }
  while (loop->finished.load(std::memory_order_acquire) < loop->num_chunks) Pause();
  team_->Close(std::move(loop));
}

WorkerPool::Participant::Participant(WorkerPool* pool) : pool_(pool) {
  if (pool_ != nullptr) pool_->Enter();
}

WorkerPool::Participant::~Participant() {
  if (pool_ == nullptr) return;
  pool_->Leave();
  // Work left in the queue may have waited for this thread's place.
  if (pool_->HasWork()) pool_->Wake(1);
}

}  // namespace warpbeam
