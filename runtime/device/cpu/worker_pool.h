// WorkerPool: the host threads of one cpu device. They run tasks and share loops.
//
// One pool serves both kinds of parallelism, so that they never add up to more threads than the
// device has cores: a task that runs `ParallelFor` gets the workers that have nothing else to do.
// An idle worker spins for a moment before it sleeps, since waking a sleeping thread costs 20-37
// µs.
//
//   WorkerPool pool("cpu:0", /*width=*/4);            // three workers and whoever calls
//   pool.ParallelFor(n, 2, [&](int64_t b, int64_t e) { … });
//   pool.Schedule({&RunTask, step, task});
//   WorkerPool::Participant self(&pool);               // this thread counts as one of the four
//   while (!done) if (!pool.RunOne()) …
//
// Ownership: the destructor waits for running tasks and drops none: scheduled tasks run first.
// Thread safety: any thread. Kernels that call libraries with thread pools of their own keep those
// at width 1 and share their work through ParallelFor.
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

class WorkerPool {
 public:
  // A unit of work without an allocation: function and two arguments.
  struct Work {
    void (*run)(void* object, int64_t argument) = nullptr;
    void* object = nullptr;
    int64_t argument = 0;
  };

  WorkerPool(std::string name, int width);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int width() const { return width_; }
  void Schedule(Work work);
  // Runs one scheduled task on the calling thread; false when there is none.
  bool RunOne();
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
  struct Loop;
  void WorkerMain(int index);
  bool MayTakeTask() const;
  bool TakeTask(Work* work);
  bool ShareALoop();
  void Wake(int threads);

  const std::string name_;
  const int width_;
  std::atomic<int> queued_{0};
  std::atomic<int> active_{0};  // threads that run tasks, participants included
  std::atomic<int> open_loops_{0};
  std::atomic<int> sleeping_{0};
  std::atomic<bool> stopping_{false};

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Work> queue_;
  std::vector<std::shared_ptr<Loop>> loops_;
  std::vector<std::shared_ptr<Loop>> spare_loops_;
  std::vector<std::thread> workers_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_CPU_WORKER_POOL_H_
