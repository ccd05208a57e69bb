// WorkerPool: the host threads of one cpu device. They run tasks and share loops.
//
// One pool serves both kinds of parallelism, so that they never add up to more threads than the
// device has cores: a task that runs `ParallelFor` gets the workers that have nothing else to do.
// Pools of a team lend each other such workers for loops, until they have tasks of their own. An
// idle worker spins for a moment before it sleeps, since waking a sleeping thread costs 20-37 µs.
//
//   auto team = std::make_shared<WorkerTeam>();
//   WorkerPool pool("cpu:0", /*width=*/4, team);      // three workers and whoever calls
//   pool.ParallelFor(n, 2, [&](int64_t b, int64_t e) { … });
//   pool.Schedule({&RunTask, step, task});
//   WorkerPool::Participant self(&pool);               // this thread counts as one of the four
//   while (!done) if (!pool.RunOne()) …
//
// Work may be marked as such that a deadline may leave behind, should it never end. Only workers
// run it, and `ReplaceStuck` puts new ones in the place of those that are lost in it.
//
// Ownership: pools share their team. The destructor waits for running tasks and drops none:
// scheduled tasks run first. Thread safety: any thread. Kernels that call libraries with thread
// pools of their own keep those at width 1 and share their work through ParallelFor.
#ifndef WARPBEAM_RUNTIME_DEVICE_CPU_WORKER_POOL_H_
#define WARPBEAM_RUNTIME_DEVICE_CPU_WORKER_POOL_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"

namespace warpbeam {

class WorkerTeam;

class WorkerPool {
 public:
  // A unit of work without an allocation: function and two arguments.
  struct Work {
    void (*run)(void* object, int64_t argument) = nullptr;
    void* object = nullptr;
    int64_t argument = 0;
    const void* owner = nullptr;  // what ReplaceStuck knows it by
    bool workers_only = false;    // not for RunOne
  };

  WorkerPool(std::string name, int width, std::shared_ptr<WorkerTeam> team = nullptr);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int width() const { return width_; }
  // How many threads would run a loop that began now: those of this pool, and of others of the team
  // those that are idle.
  int loop_width() const;
  void Schedule(Work work);
  // Runs one scheduled task on the calling thread; false when there is none for it.
  bool RunOne();
  // Gives up the workers that are in work of `owner` and starts as many new ones. Those given up
  // end when their work does. Returns how many they were.
  int ReplaceStuck(const void* owner);
  // Whether a task waits; a cheap look without a lock.
  bool HasWork() const { return queued_.load(std::memory_order_acquire) > 0; }

  void ParallelFor(int64_t count, int64_t ns_per_item,
                   absl::FunctionRef<void(int64_t, int64_t)> fn);

  // While one exists, the constructing thread is one of the pool's `width` threads, and a worker
  // less takes tasks.
  class Participant {
   public:
    explicit Participant(WorkerPool* pool);
    ~Participant();

   private:
    WorkerPool* pool_;
  };

 private:
  friend class WorkerTeam;
  struct Worker;

  void StartWorker();
  void WorkerMain(Worker* self);
  bool RunTask(Worker* self);
  bool MayTakeTask() const;
  bool MayShareALoop() const;
  bool TakeTask(bool is_worker, Work* work);
  void ShareALoop();
  void Wake(int threads);
  void Enter();  // the calling thread is one of the active ones until Leave
  void Leave();

  const std::string name_;
  const int width_;
  const std::shared_ptr<WorkerTeam> team_;
  std::atomic<int> queued_{0};
  std::atomic<int> active_{0};  // threads that run tasks or loops, participants included
  std::atomic<int> sleeping_{0};
  std::atomic<bool> stopping_{false};

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Work> queue_;
  std::vector<std::unique_ptr<Worker>> workers_;  // those given up, too
};

// The pools of one set of cpu devices, and the loops that their idle workers share. It is made
// before its first pool; thread safety: any thread.
class WorkerTeam {
 public:
  WorkerTeam() = default;
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

 private:
  friend class WorkerPool;
  struct Loop;

  std::shared_ptr<Loop> Open(int64_t count, int64_t chunks,
                             const absl::FunctionRef<void(int64_t, int64_t)>& fn);
  void Close(std::shared_ptr<Loop> loop);
  std::shared_ptr<Loop> Find();  // one with chunks that nobody has claimed, or null
  void WakeAll();

  std::atomic<int> width_{0};      // of all pools
  std::atomic<int> active_{0};     // of all pools
  std::atomic<int> claimable_{0};  // loops with chunks that nobody has claimed

  std::mutex mutex_;  // taken before a pool's
  std::vector<WorkerPool*> pools_;
  std::vector<std::shared_ptr<Loop>> loops_;
  std::vector<std::shared_ptr<Loop>> spare_loops_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_CPU_WORKER_POOL_H_
