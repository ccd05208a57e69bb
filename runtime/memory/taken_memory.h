// TakenMemory: how much memory kernels have taken on a thread, for telling what one of them took
// besides its outputs.
//
//   const int64_t before = TakenMemory::OfThread();
//   kernel->Compute(ctx);
//   const int64_t taken = TakenMemory::OfThread() - before;   // outputs and workspaces
//
// It only grows: what a kernel gives back before it ends counts as if it had kept it. What a kernel
// takes on other threads than its own is not seen.
//
// Thread safety: each thread has its own. Errors: none.
#ifndef WARPBEAM_RUNTIME_MEMORY_TAKEN_MEMORY_H_
#define WARPBEAM_RUNTIME_MEMORY_TAKEN_MEMORY_H_

#include <cstdint>

namespace warpbeam {

class TakenMemory {
 public:
  // Bytes, blocks as the allocator made them.
  static int64_t OfThread() { return bytes(); }
  static void Add(int64_t taken) { bytes() += taken; }

 private:
  static int64_t& bytes() {
    thread_local int64_t taken = 0;
    return taken;
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_MEMORY_TAKEN_MEMORY_H_
