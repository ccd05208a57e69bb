#include "runtime/device/cpu/worker_pool.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/thread/new_thread.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace warpbeam {
namespace {

// What a wake-up may be thought to cost.
constexpr int64_t kLeastWakeNs = 20'000, kMostWakeNs = 200'000;
// While others of the team work, more work is likely to come: so much longer a thread looks for it.
constexpr int kPatience = 10;
// A loop below this is not worth another thread; a chunk should not be smaller than this.
constexpr int64_t kMinLoopNs = 8'000;
constexpr int64_t kMinChunkNs = 4'000;
constexpr int kChunksPerThread = 4;
// A loop above this is open to threads of the team that finish their own work while it runs.
constexpr int64_t kMinLateHelpNs = 30'000;

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

// What FlushDenormals does (runtime/lower), for good.
void FlushDenormalsOfThisThread() {
#if defined(__x86_64__)
  constexpr unsigned kFlushResults = 0x8000, kZeroInputs = 0x0040;
  _mm_setcsr(_mm_getcsr() | kFlushResults | kZeroInputs);
#endif
}

thread_local bool is_guest = false;
thread_local bool is_alone = false;

// What this thread works for.
struct Current {
  const void* owner = nullptr;
  bool workers_only = false;
  // Where the pool looks for the owner, and writes its own address once the thread is given up.
  const std::atomic<const void*>* in = nullptr;

  bool IsGivenUp() const { return in != nullptr && in->load(std::memory_order_acquire) == in; }
};
thread_local Current current;

class CurrentScope {
 public:
  explicit CurrentScope(const Current& now) : before_(std::exchange(current, now)) {}
  ~CurrentScope() { current = before_; }
  CurrentScope(const CurrentScope&) = delete;
  CurrentScope& operator=(const CurrentScope&) = delete;

 private:
  const Current before_;
};

}  // namespace

struct WorkerPool::Worker {
  std::thread thread;
  int index = 0;
  // The owner of the work or the loop that it is in; its own address once it has been given up.
  alignas(64) std::atomic<const void*> in{nullptr};
};

void WorkerPool::WorkQueue::Push(const Work& work) {
  if (size_ == ring_.size()) {
    std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(head_), ring_.end());
    head_ = 0;
    ring_.resize(ring_.size() * 2);
  }
  ring_[(head_ + size_++) & (ring_.size() - 1)] = work;
}

WorkerPool::Work WorkerPool::WorkQueue::TakeAt(size_t i) {
  const Work work = at(i);
  for (; i > 0; --i) ring_[(head_ + i) & (ring_.size() - 1)] = at(i - 1);
  head_ = (head_ + 1) & (ring_.size() - 1);
  --size_;
  return work;
}

struct WorkerTeam::Loop {
  // Valid while chunks are unclaimed or running; the caller of ParallelFor waits for all of them.
  const absl::FunctionRef<void(int64_t, int64_t)>* fn = nullptr;
  WorkerTeam* team = nullptr;
  const void* owner = nullptr;
  bool workers_only = false;
  std::atomic<bool> is_claimable{false};  // and counted as such
  int64_t count = 0;
  int64_t chunk = 0;
  int64_t num_chunks = 0;
  std::atomic<int64_t> next{0};
  std::atomic<int64_t> finished{0};
  // Threads that found it and may still look at it, even when it has ended.
  std::atomic<int> finders{0};

  // Find has seen what is above under the team's mutex, so `next` only counts. What chunks write is
  // released by `finished`, whose increments continue each other, for ParallelFor.
  bool HasMore() const { return next.load(std::memory_order_relaxed) < num_chunks; }
  // One chunk; false when all are claimed.
  bool Work() {
    const int64_t i = next.fetch_add(1, std::memory_order_relaxed);
    if (i >= num_chunks) return false;
    if (i == num_chunks - 1) Withdraw();
    (*fn)(i * chunk, std::min(count, (i + 1) * chunk));
    finished.fetch_add(1, std::memory_order_acq_rel);
    return true;
  }
  // Nobody else is to claim a chunk.
  void Withdraw() {
    if (!is_claimable.exchange(false, std::memory_order_relaxed)) return;
    team->claimable_.fetch_sub(1, std::memory_order_relaxed);
    if (!workers_only) team->for_helpers_.fetch_sub(1, std::memory_order_relaxed);
  }
};

WorkerTeam::WorkerTeam() = default;
WorkerTeam::~WorkerTeam() = default;

WorkerTeam::Loop* WorkerTeam::Open(int64_t count, int64_t chunks,
                                   const absl::FunctionRef<void(int64_t, int64_t)>& fn,
                                   const void* owner, bool workers_only) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto spare = std::find_if(spare_loops_.begin(), spare_loops_.end(), [](const auto& s) {
    return s->finders.load(std::memory_order_acquire) == 0;
  });
  if (spare != spare_loops_.end()) {
    loops_.push_back(std::move(*spare));
    *spare = std::move(spare_loops_.back());
    spare_loops_.pop_back();
  } else {
    loops_.push_back(std::make_unique<Loop>());
  }
  Loop* const loop = loops_.back().get();
  loop->fn = &fn;
  loop->team = this;
  loop->owner = owner;
  loop->workers_only = workers_only;
  loop->count = count;
  loop->chunk = (count + chunks - 1) / chunks;
  loop->num_chunks = (count + loop->chunk - 1) / loop->chunk;
  loop->next.store(0, std::memory_order_relaxed);
  loop->finished.store(0, std::memory_order_relaxed);
  loop->is_claimable.store(true, std::memory_order_relaxed);
  // Before a look at who sleeps, as a sleeper's last look comes after it says that it does.
  claimable_.fetch_add(1, std::memory_order_seq_cst);
  if (!workers_only) for_helpers_.fetch_add(1, std::memory_order_seq_cst);
  return loop;
}

void WorkerTeam::Close(Loop* loop) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto at = std::find_if(loops_.begin(), loops_.end(),
                               [loop](const auto& open) { return open.get() == loop; });
  spare_loops_.push_back(std::move(*at));
  loops_.erase(at);
}

WorkerTeam::Loop* WorkerTeam::Find(std::atomic<const void*>* in) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& loop : loops_) {
    if (!loop->is_claimable.load(std::memory_order_relaxed) || !loop->HasMore()) continue;
    if (loop->workers_only && in == nullptr) continue;
    loop->finders.fetch_add(1, std::memory_order_relaxed);
    // With the mutex held, so that whoever forsakes the loop then finds all that are in it.
    if (in != nullptr) in->store(loop->owner, std::memory_order_release);
    return loop.get();
  }
  return nullptr;
}

void WorkerTeam::Forsake(const void* owner) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& loop : loops_) {
    if (loop->owner == owner) loop->Withdraw();
  }
}

void WorkerTeam::WakeAll() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (WorkerPool* pool : pools_) {
    if (!pool->IsFull()) pool->WakeAll();
  }
}

bool WorkerTeam::IsCrowded() const {
  const int guests = guests_.load(std::memory_order_relaxed);
  return guests > 0 &&
         guests + active_.load(std::memory_order_relaxed) >= width_.load(std::memory_order_relaxed);
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
  for (int i = 0; i < workers && started_.ok(); ++i) {
    started_ =
        Annotate(StartWorker(), absl::StrCat("thread ", i + 1, " of ", workers, " of ", name_));
  }
}

// With the mutex held.
Status WorkerPool::StartWorker() {
  auto worker = std::make_unique<Worker>();
  worker->index = static_cast<int>(workers_.size());
  WB_ASSIGN_OR_RETURN(worker->thread, NewThread([this, self = worker.get()] { WorkerMain(self); }));
  workers_.push_back(std::move(worker));
  return OkStatus();
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard<std::mutex> lock(team_->mutex_);
    team_->pools_.erase(std::find(team_->pools_.begin(), team_->pools_.end(), this));
    team_->width_.fetch_sub(width_);
  }
  stopping_.store(true);
  NotifyAll(&crew_);
  for (const auto& worker : workers_) worker->thread.join();
}

void WorkerPool::Schedule(Work work) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.Push(work);
    crew_.queued.fetch_add(1, std::memory_order_seq_cst);
    if (!work.workers_only) helpers_.queued.fetch_add(1, std::memory_order_seq_cst);
  }
  WakeOne(work);
}

// Wakes a thread for a task unless one that is awake will take it. Nobody is woken for a full pool,
// where the only place is one between two tasks of a thread, whose core would then idle. No task
// is forgotten, though counters are read without a lock. Two threads each write one and then read:
//   who schedules                  queued += 1      then reads active, spinning, sleeping
//   who leaves, stops, or sleeps   active -= 1 or spinning -= 1 or sleeping += 1      then queued
// All are sequentially consistent, in one order: the read behind the later of two writes sees the
// earlier one, where with acquire and release alone each could miss the other's write.
void WorkerPool::WakeOne(const Work& work) {
  if (IsFull()) return;
  if (!work.workers_only &&
      crew_.queued.load(std::memory_order_seq_cst) <= spinning_.load(std::memory_order_seq_cst)) {
    return;
  }
  if (crew_.sleeping.load(std::memory_order_seq_cst) > 0) {
    Notify(&crew_);
  } else if (!work.workers_only && helpers_.sleeping.load(std::memory_order_seq_cst) > 0) {
    Notify(&helpers_);
  }
}

void WorkerPool::WakeAll() {
  NotifyAll(&crew_);
  NotifyAll(&helpers_);
}

void WorkerPool::WakeHelper(const std::atomic<bool>* done) {
  if (helpers_.sleeping.load(std::memory_order_seq_cst) > 0) Notify(&helpers_, done);
}

void WorkerPool::NotifyAll(Crew* crew) {
  for (int n = crew->sleeping.load(std::memory_order_seq_cst); n > 0; --n) Notify(crew);
}

void WorkerPool::Notify(Crew* crew, const std::atomic<bool>* over) {
  std::shared_ptr<Sleeper> sleeper;
  {
    // A sleeper counts itself, looks once more and waits without letting the lock go in between.
    std::lock_guard<std::mutex> lock(mutex_);
    auto at = crew->sleepers.rbegin();
    while (at != crew->sleepers.rend() && over != nullptr && (*at)->over != over) ++at;
    if (at == crew->sleepers.rend()) return;
    sleeper = std::move(*at);
    crew->sleepers.erase(std::next(at).base());
    crew->sleeping.fetch_sub(1, std::memory_order_seq_cst);
    sleeper->notified = true;
    woken_at_.store(NowNs(), std::memory_order_relaxed);
  }
  sleeper->wake.notify_one();
}

bool WorkerPool::TakeTask(const Crew& crew, Work* work) {
  if (!HasWork(crew)) return false;
  std::lock_guard<std::mutex> lock(mutex_);
  size_t first = 0;
  while (first < queue_.size() && queue_.at(first).workers_only && &crew == &helpers_) ++first;
  if (first == queue_.size()) return false;
  *work = queue_.TakeAt(first);
  // In this order, so that never fewer seem to be for workers only than there are.
  if (!work->workers_only) helpers_.queued.fetch_sub(1, std::memory_order_seq_cst);
  crew_.queued.fetch_sub(1, std::memory_order_seq_cst);
  return true;
}

// False once the worker has been given up and another one has its place.
bool WorkerPool::RunTask(Worker* self) {
  Work work;
  if (!TakeTask(crew_, &work)) return true;
  self->in.store(work.owner, std::memory_order_release);
  {
    const CurrentScope scope({work.owner, work.workers_only, &self->in});
    work.run(work.object, work.argument);
  }
  return KeepsPlace(self);
}

// `in` settles between a worker and ReplaceStuck, which may come at the same moment, whether it is
// given up: only the first of their two exchanges finds the owner there.
bool WorkerPool::KeepsPlace(Worker* self) {
  if (self->in.exchange(nullptr, std::memory_order_acq_rel) != &self->in) return true;
  std::lock_guard<std::mutex> lock(mutex_);
  if (missing_ == 0) return false;
  --missing_;
  Enter();
  return true;
}

int WorkerPool::ReplaceStuck(const void* owner) {
  if (owner == nullptr) return 0;
  team_->Forsake(owner);
  int participants = 0;
  for (std::atomic<const void*>& seat : seats_) {
    const void* expected = owner;
    if (!seat.compare_exchange_strong(expected, &seat, std::memory_order_acq_rel)) continue;
    Leave();
    ++participants;
  }
  // Workers that found no place sleep.
  if (participants > 0) WakeAll();
  return participants + ReplaceWorkers(owner);
}

int WorkerPool::ReplaceWorkers(const void* owner) {
  std::lock_guard<std::mutex> lock(mutex_);
  int replaced = 0;
  const size_t before = workers_.size();
  for (size_t i = 0; i < before; ++i) {
    Worker* worker = workers_[i].get();
    const void* expected = owner;
    if (!worker->in.compare_exchange_strong(expected, &worker->in, std::memory_order_acq_rel)) {
      continue;
    }
    Leave();
    ++missing_;
    ++replaced;
  }
  while (missing_ > 0 && StartWorker().ok()) --missing_;
  return replaced;
}

bool WorkerPool::MayTakeTask(const Crew& crew) const { return HasWork(crew) && !IsFull(); }

bool WorkerPool::MayShareALoop(const Crew& crew) const {
  const std::atomic<int>& loops = &crew == &helpers_ ? team_->for_helpers_ : team_->claimable_;
  return loops.load(std::memory_order_seq_cst) > 0 && !IsFull();
}

bool WorkerPool::ShareALoop(const Crew& crew, Worker* self) {
  std::atomic<const void*>* const in = self == nullptr ? nullptr : &self->in;
  WorkerTeam::Loop* const loop = team_->Find(in);
  if (loop == nullptr) return true;
  Enter();
  {
    const CurrentScope scope({loop->owner, loop->workers_only, in});
    while (!HasWork(crew) && loop->Work()) {
    }
  }
  // Released, so that whoever opens it anew writes after what was read here.
  loop->finders.fetch_sub(1, std::memory_order_release);
  if (self != nullptr && !KeepsPlace(self)) return false;
  LeaveToWorkers();
  return true;
}

void WorkerPool::Enter() {
  active_.fetch_add(1, std::memory_order_seq_cst);
  team_->active_.fetch_add(1, std::memory_order_relaxed);
}

void WorkerPool::Leave() {
  team_->active_.fetch_sub(1, std::memory_order_relaxed);
  active_.fetch_sub(1, std::memory_order_seq_cst);
}

// A worker that found no place sleeps although there is work. Who gives a place up takes the next
// task itself, but not one that is for workers only.
void WorkerPool::LeaveToWorkers() {
  Leave();
  const bool waits = crew_.queued.load(std::memory_order_seq_cst) >
                     helpers_.queued.load(std::memory_order_seq_cst);
  if (waits && crew_.sleeping.load(std::memory_order_seq_cst) > 0) Notify(&crew_);
}

int WorkerPool::loop_width() const {
  const int active = team_->active_.load(std::memory_order_relaxed);
  if (const int guests = team_->guests_.load(std::memory_order_relaxed); guests > 0) {
    return std::max(1, team_->width_.load(std::memory_order_relaxed) - active - guests + 1);
  }
  const int others = active - active_.load(std::memory_order_relaxed);
  return std::max(width_, team_->width_.load(std::memory_order_relaxed) - others);
}

void WorkerPool::WorkerMain(Worker* self) {
  const std::string name = name_ + "/" + std::to_string(self->index);
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
  FlushDenormalsOfThisThread();
  for (;;) {
    if (MayTakeTask(crew_)) {
      Enter();
      if (!RunTask(self)) return;
      Leave();
    } else if (MayShareALoop(crew_)) {
      if (!ShareALoop(crew_, self)) return;
    } else if (stopping_.load(std::memory_order_relaxed) && !HasWork(crew_)) {
      return;
    } else {
      AwaitWork(&crew_, stopping_);
    }
  }
}

void WorkerPool::Help(const std::atomic<bool>& done) {
  while (!done.load(std::memory_order_seq_cst)) {
    if (MayTakeTask(helpers_)) {
      Enter();
      Work work;
      if (TakeTask(helpers_, &work)) {
        const CurrentScope scope({work.owner, work.workers_only, nullptr});
        work.run(work.object, work.argument);
      }
      LeaveToWorkers();
    } else if (MayShareALoop(helpers_)) {
      ShareALoop(helpers_, nullptr);
    } else {
      AwaitWork(&helpers_, done);
    }
  }
  // A task may have been left to this thread.
  if (HasWork(helpers_)) WakeOne({});
}

// Looks for work about as long as a wake-up takes, then sleeps: at most twice the better's cost.
void WorkerPool::AwaitWork(Crew* crew, const std::atomic<bool>& over) {
  const auto is_over = [&] { return over.load(std::memory_order_seq_cst) || MayWork(*crew); };
  const int64_t since = NowNs(), wake_ns = wake_ns_.load(std::memory_order_relaxed);
  const auto is_patient = [&] {
    const bool busy = team_->active_.load(std::memory_order_relaxed) > 0;
    return NowNs() - since < (busy ? kPatience * wake_ns : wake_ns);
  };
  spinning_.fetch_add(1, std::memory_order_seq_cst);
  bool found = is_over();
  // One thread more than there are places, or cores, would only take a core from the others.
  while (!found && !IsFull() && !team_->IsCrowded() && is_patient()) {
    for (int i = 0; i < 32 && !found; ++i) {
      Pause();
      found = is_over();
    }
    // A thread with work, an input pipeline's above all, goes first.
    if (!found) sched_yield();
  }
  spinning_.fetch_sub(1, std::memory_order_seq_cst);
  if (found) return;
  std::unique_lock<std::mutex> lock(mutex_);
  crew->sleeping.fetch_add(1, std::memory_order_seq_cst);
  if (is_over()) {
    crew->sleeping.fetch_sub(1, std::memory_order_seq_cst);
    return;
  }
  thread_local const auto self = std::make_shared<Sleeper>();
  self->notified = false;
  self->over = &over;
  crew->sleepers.push_back(self);
  self->wake.wait(lock, [] { return self->notified; });
  const int64_t woken_at = woken_at_.exchange(0, std::memory_order_relaxed);
  if (woken_at == 0) return;
  const int64_t took = std::clamp(NowNs() - woken_at, kLeastWakeNs, kMostWakeNs);
  wake_ns_.store(wake_ns + (took - wake_ns) / 8, std::memory_order_relaxed);
}

// Chunks are claimed one by one: threads that come late, or are slow, take fewer, and where nobody
// comes the caller runs them all.
void WorkerPool::ParallelFor(int64_t count, int64_t ns_per_item,
                             absl::FunctionRef<void(int64_t, int64_t)> fn) {
  if (count <= 0) return;
  const double total_ns = static_cast<double>(count) * static_cast<double>(ns_per_item);
  if (count == 1 || total_ns < kMinLoopNs || is_alone || current.IsGivenUp()) return fn(0, count);
  int width = loop_width();
  const bool all_busy = width == 1;
  if (all_busy && total_ns >= kMinLateHelpNs) width = team_->width_.load(std::memory_order_relaxed);
  if (width == 1) return fn(0, count);
  const int64_t most = std::max<int64_t>(2, static_cast<int64_t>(total_ns / kMinChunkNs));
  const int64_t chunks = std::min({count, most, static_cast<int64_t>(width) * kChunksPerThread});
  WorkerTeam::Loop* const loop =
      team_->Open(count, chunks, fn, current.owner, current.workers_only);
  // Sleeping threads are woken only for loops that will outlast the wake-up.
  const int64_t wake_ns = wake_ns_.load(std::memory_order_relaxed);
  if (!all_busy && total_ns >= static_cast<double>(wake_ns + wake_ns / 2)) team_->WakeAll();
  while (loop->Work()) {
  }
  // The others are about to end, unless they lost their core: then a waiter's own may do them good.
  constexpr int kPauses = 4000, kYields = 100'000;
  for (int i = 0; loop->finished.load(std::memory_order_acquire) < loop->num_chunks; ++i) {
    if (i < kPauses) {
      Pause();
    } else if (i < kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // a chunk may never end
    }
  }
  team_->Close(loop);
}

WorkerPool::Guest::Guest(WorkerPool* pool) {
  if (pool == nullptr || is_guest) return;
  is_guest = true;
  team_ = pool->team_.get();
  team_->guests_.fetch_add(1, std::memory_order_relaxed);
}

WorkerPool::Guest::~Guest() {
  if (team_ == nullptr) return;
  is_guest = false;
  team_->guests_.fetch_sub(1, std::memory_order_relaxed);
}

WorkerPool::Owner::Owner(const void* owner) : before_(current.owner) { current.owner = owner; }
WorkerPool::Owner::~Owner() { current.owner = before_; }

WorkerPool::Alone::Alone() : was_alone_(std::exchange(is_alone, true)) {}
WorkerPool::Alone::~Alone() { is_alone = was_alone_; }

WorkerPool::Participant::Participant(WorkerPool* pool) : pool_(pool) {
  if (pool_ == nullptr) return;
  pool_->Enter();
  if (current.owner == nullptr || current.in != nullptr) return;
  // Where all seats are taken the thread keeps its place whatever becomes of it.
  static std::atomic<unsigned> next{0};
  thread_local const unsigned first = next.fetch_add(1, std::memory_order_relaxed);
  for (unsigned i = 0; i < kSeats && seat_ == nullptr; ++i) {
    std::atomic<const void*>& seat = pool_->seats_[(first + i) % kSeats];
    const void* expected = nullptr;
    if (seat.compare_exchange_strong(expected, current.owner, std::memory_order_acq_rel)) {
      seat_ = &seat;
    }
  }
  current.in = seat_;
}

bool WorkerPool::Participant::GiveUpSeat() {
  if (seat_ == nullptr) return true;
  current.in = nullptr;
  return seat_->exchange(nullptr, std::memory_order_acq_rel) != seat_;
}

WorkerPool::Participant::~Participant() {
  if (pool_ == nullptr) return;
  if (GiveUpSeat()) pool_->LeaveToWorkers();
  // Work left in the queue may have waited for this thread's place.
  if (HasWork(pool_->crew_)) pool_->WakeOne({});
}

void WorkerPool::Participant::HelpUntil(const std::atomic<bool>& done) {
  if (pool_ == nullptr) return;
  WorkerPool* const pool = std::exchange(pool_, nullptr);
  if (GiveUpSeat()) pool->LeaveToWorkers();
  pool->Help(done);
}

}  // namespace warpbeam
