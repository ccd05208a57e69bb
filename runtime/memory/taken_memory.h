// TakenMemory: how much memory a thread holds of what it took from allocators, for telling what a
// kernel needed at a time while it ran.
//
//   const TakenMemory::Mark before = TakenMemory::Begin();
//   kernel->Compute(ctx);
//   const int64_t most = TakenMemory::End(before);   // outputs and workspaces, at the worst time
//
// Allocators say what they give and take back (Add); what a kernel takes on other threads is not
// seen. Between Begin and End there may be others, of kernels of functions that the kernel calls.
//
// Thread safety: each thread has its own. Errors: none.
#ifndef WARPBEAM_RUNTIME_MEMORY_TAKEN_MEMORY_H_
#define WARPBEAM_RUNTIME_MEMORY_TAKEN_MEMORY_H_

#include <algorithm>
#include <cstdint>

namespace warpbeam {

class TakenMemory {
 public:
  // Bytes: less than nothing where the thread has given back what others took.
  struct Mark {
    int64_t held = 0;
    int64_t most = 0;  // since the mark before
  };

  static Mark Begin() {
    Mark& now = OfThread();
    const Mark before = now;
    now.most = now.held;
    return before;
  }
  // By how much the thread held more than at the mark, at most.
  static int64_t End(const Mark& mark) {
    Mark& now = OfThread();
    const int64_t most = now.most - mark.held;
    now.most = std::max(now.most, mark.most);
    return most;
  }
  // Of an allocator: a block taken, or given back (negative).
  static void Add(int64_t bytes) {
    Mark& now = OfThread();
    now.held += bytes;
    now.most = std::max(now.most, now.held);
  }

 private:
  static Mark& OfThread() {
    thread_local Mark mark;
    return mark;
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_MEMORY_TAKEN_MEMORY_H_
