// WorkerPool: the host threads of one cpu device. They run tasks and share loops.
//
// One pool serves both kinds of parallelism, so that they never add up to more threads than the
// device has cores: a task that runs `ParallelFor` gets the workers that have nothing else to do.
// Pools of a team lend each other such workers for loops, until they have tasks of their own; who
// finishes a task while a long loop runs joins it. An idle thread looks for work before it sleeps:
// about as long as waking it would take, which the pool measures (20 to 200 µs), and ten times as
// long while others of the team work. Nobody is woken for a task that such a thread will take.
//
//   auto team = std::make_shared<WorkerTeam>();
//   WorkerPool pool("cpu:0", /*width=*/4, team);      // three workers and whoever calls
//   pool.ParallelFor(n, 2, [&](int64_t b, int64_t e) { … });
//   pool.Schedule({&RunTask, step, /*argument=*/7});
//   WorkerPool::Participant self(&pool);               // this thread counts as one of the four
//   …
//   self.HelpUntil(done);                              // and now does what comes, as the others
//
// Work may be marked as such that a deadline may leave behind, should it never end. Only workers
// run it and share its loops, and `ReplaceStuck` puts new ones in the place of those that are lost
// in either; nobody joins its loops any more. Whoever else is in work of that owner only gives its
// place up.
//
// Ownership: pools share their team. The destructor waits for running tasks and drops none:
// scheduled tasks run first. Thread safety: any thread. Kernels that call libraries with thread
// pools of their own keep those at width 1 and share their work through ParallelFor.
#ifndef WARPBEAM_RUNTIME_DEVICE_CPU_WORKER_POOL_H_
#define WARPBEAM_RUNTIME_DEVICE_CPU_WORKER_POOL_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "graph/types/errors.h"

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
    bool workers_only = false;    // not for helpers
  };

  WorkerPool(std::string name, int width, std::shared_ptr<WorkerTeam> team = nullptr);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // RESOURCE_EXHAUSTED where the system gave fewer threads than the width takes; the pool works
  // with those that it has, if there are any.
  const Status& started() const { return started_; }
  int width() const { return width_; }
  // How many threads would run a loop that began now: those of this pool, and of others of the team
  // those that are idle.
  int loop_width() const;
  void Schedule(Work work);
  // After `*done`, which a helper waits for, was set: it may sleep. Whether it still waits, or the
  // flag is still there, does not matter.
  void WakeHelper(const std::atomic<bool>* done);
  // Gives up the threads that are in work of `owner` or share a loop of it, and starts as many new
  // workers. Those given up end when their work does, or take their places back where the system
  // gave no thread for them. Returns how many they were.
  int ReplaceStuck(const void* owner);
  void ParallelFor(int64_t count, int64_t ns_per_item,
                   absl::FunctionRef<void(int64_t, int64_t)> fn);

  // While one exists, the constructing thread is one of the pool's `width` threads, and a worker
  // less takes tasks.
  class Participant {
   public:
    explicit Participant(WorkerPool* pool);
    ~Participant();
    Participant(const Participant&) = delete;
    Participant& operator=(const Participant&) = delete;
    // Takes tasks and shares loops until `done` is set, after which it no longer participates.
    // Whoever sets it, sequentially consistent, calls WakeHelper then.
    void HelpUntil(const std::atomic<bool>& done);

   private:
    // False when the thread has been given up: it has no place any more.
    bool GiveUpSeat();

    WorkerPool* pool_;                          // null: does not participate
    std::atomic<const void*>* seat_ = nullptr;  // null: cannot be given up
  };

  // While one exists, this thread's own work, as a participant too, is the owner's.
  class Owner {
   public:
    explicit Owner(const void* owner);
    ~Owner();
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;

   private:
    const void* const before_;
  };

  // While one exists, the loops of this thread are run by it alone, for work that no step waits for
  // and nobody could give up.
  class Alone {
   public:
    Alone();
    ~Alone();
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;

   private:
    const bool was_alone_;
  };

  // While one exists, a thread of others (an input pipeline's) runs kernels on the team's cores. It
  // takes no place and no tasks, but where such threads leave no core idle nobody looks for work
  // before it sleeps, and is not woken to share their loops. A guest's own guests do not count.
  class Guest {
   public:
    explicit Guest(WorkerPool* pool);  // null: nobody's guest
    ~Guest();
    Guest(const Guest&) = delete;
    Guest& operator=(const Guest&) = delete;

   private:
    WorkerTeam* team_ = nullptr;
  };

 private:
  friend class WorkerTeam;
  struct Worker;
  // First in, first out, but for what the first taker may not take; a ring that only grows.
  class WorkQueue {
   public:
    size_t size() const { return size_; }
    const Work& at(size_t i) const { return ring_[(head_ + i) & (ring_.size() - 1)]; }
    void Push(const Work& work);
    Work TakeAt(size_t i);

   private:
    std::vector<Work> ring_ = std::vector<Work>(64);
    size_t head_ = 0;
    size_t size_ = 0;
  };
  // One a thread. Whoever notifies it has let the pool's mutex go, which the thread takes then, and
  // keeps it alive meanwhile.
  struct Sleeper {
    bool notified = false;                    // guarded by the pool's mutex, as the next one
    const std::atomic<bool>* over = nullptr;  // what the thread waits for besides work
    std::condition_variable wake;
  };
  // The threads of one kind that wait for work: workers, or helpers.
  struct Crew {
    std::atomic<int> queued{0};  // tasks for them
    // Who sleeps and has not been notified, and how many they are. A thread that is notified is no
    // longer counted on, even if it takes long to wake.
    std::vector<std::shared_ptr<Sleeper>> sleepers;  // guarded by the pool's mutex
    std::atomic<int> sleeping{0};
  };

  Status StartWorker();
  void WorkerMain(Worker* self);
  bool RunTask(Worker* self);
  // Whether a task waits for the crew; a cheap look without a lock.
  static bool HasWork(const Crew& crew) { return crew.queued.load(std::memory_order_seq_cst) > 0; }
  bool IsFull() const { return active_.load(std::memory_order_seq_cst) >= width_; }
  bool MayWork(const Crew& crew) const { return MayTakeTask(crew) || MayShareALoop(crew); }
  bool MayTakeTask(const Crew& crew) const;
  bool MayShareALoop(const Crew& crew) const;
  bool TakeTask(const Crew& crew, Work* work);
  // `self`: null for a helper. False once the worker has been given up, as RunTask.
  bool ShareALoop(const Crew& crew, Worker* self);
  int ReplaceWorkers(const void* owner);
  // The worker has done what it was in. False when it was given up and another one has its place.
  bool KeepsPlace(Worker* self);
  void Help(const std::atomic<bool>& done);
  // Returns when the crew has work, or `over` has been set.
  void AwaitWork(Crew* crew, const std::atomic<bool>& over);
  void WakeOne(const Work& work);
  void WakeAll();
  // The last one to fall asleep, or the one that waits for `over`.
  void Notify(Crew* crew, const std::atomic<bool>* over = nullptr);
  void NotifyAll(Crew* crew);
  void Enter();  // the calling thread is one of the active ones until Leave
  void Leave();
  void LeaveToWorkers();

  const std::string name_;
  const int width_;
  const std::shared_ptr<WorkerTeam> team_;
  std::atomic<int> active_{0};    // threads that run tasks or loops, participants included
  std::atomic<int> spinning_{0};  // threads that look for work
  std::atomic<bool> stopping_{false};
  std::atomic<int64_t> woken_at_{0};      // when a thread was last notified, until it runs
  std::atomic<int64_t> wake_ns_{40'000};  // how long that takes, about
  Crew crew_;                             // the workers: any task is for them
  Crew helpers_;
  // The owners of what participants are in; null: free, the seat itself: given up.
  static constexpr unsigned kSeats = 64;
  std::atomic<const void*> seats_[kSeats] = {};

  std::mutex mutex_;
  WorkQueue queue_;
  std::vector<std::unique_ptr<Worker>> workers_;  // those given up, too
  int missing_ = 0;                               // given up, and no thread for their place
  Status started_;
};

// The pools of one set of cpu devices, and the loops that their idle workers share. It is made
// before its first pool; thread safety: any thread.
class WorkerTeam {
 public:
  WorkerTeam();
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

 private:
  friend class WorkerPool;
  struct Loop;

  // `owner`, `workers_only`: as of the work that runs the loop.
  Loop* Open(int64_t count, int64_t chunks, const absl::FunctionRef<void(int64_t, int64_t)>& fn,
             const void* owner, bool workers_only);
  void Close(Loop* loop);
  // One with chunks that nobody has claimed, or null; the caller says when it looks no more. `in`,
  // a worker's, becomes the loop's owner; null: a helper looks.
  Loop* Find(std::atomic<const void*>* in);
  // From here on nobody joins the loops that `owner` has open.
  void Forsake(const void* owner);
  void WakeAll();
  // Whether guests and active threads have all cores.
  bool IsCrowded() const;

  std::atomic<int> width_{0};   // of all pools
  std::atomic<int> active_{0};  // of all pools
  std::atomic<int> guests_{0};
  // Loops with chunks that nobody has claimed, and those among them that helpers may join.
  std::atomic<int> claimable_{0};
  std::atomic<int> for_helpers_{0};

  std::mutex mutex_;  // taken before a pool's
  std::vector<WorkerPool*> pools_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::vector<std::unique_ptr<Loop>> spare_loops_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_CPU_WORKER_POOL_H_
