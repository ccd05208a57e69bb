// What this machine can do at best, measured by the shortest loops that do it: the yardsticks
// beside TensorFlow. Each function prints its figures as "limit.NAME<TAB>value<TAB>unit".
//
// Thread safety: one at a time, on an otherwise idle process; each starts and joins its own
// threads. Errors: what cannot be measured here (no AVX-512, no loopback) is left out.
//
//   MeasureMemory();   // limit.mem_memcpy_2t<TAB>25.1<TAB>GB/s ...

#ifndef WARPBEAM_TOOLS_BENCHMARKS_LIMITS_H_
#define WARPBEAM_TOOLS_BENCHMARKS_LIMITS_H_

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace warpbeam {
namespace benchmarks {

// Clock rate and fused multiply-adds per second, on one thread and on all.
void MeasureCompute();
// Copies, reads and triads of memory far beyond the caches, of cached blocks, and of fresh pages.
void MeasureMemory();
// Waking another thread, through a condition variable and by spinning.
void MeasureWakeUps();
// Round trips and streams over loopback TCP.
void MeasureLoopback();
// Writing 500 MB to a file of the current folder until they are on the disk, past the page cache
// and through it.
void MeasureDisk();

// Threads that stay alive between calls, so that a measurement does not count their start. The
// caller's thread is number 0.
class ThreadTeam {
 public:
  explicit ThreadTeam(int size);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // Calls work(i) for each i below size(), each on its own thread; returns when all are done.
  void Run(const std::function<void(int)>& work);
  int size() const { return size_; }

 private:
  struct Shared;

  const int size_;
  Shared* const shared_;
  std::vector<std::thread> threads_;
};

}  // namespace benchmarks
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_BENCHMARKS_LIMITS_H_
