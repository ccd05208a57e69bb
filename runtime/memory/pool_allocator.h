// PoolAllocator: host memory that is kept between steps.
//
// Fresh memory costs a page fault per 4 KiB, which is five to twenty times the price of using it;
// so freed blocks stay in free lists by size class (graph/types/block_sizes.h) and the steady state
// of a training loop asks the system for nothing. Small blocks go through a cache of the freeing
// thread, larger ones through a central list.
//
//   BufferRef b = PoolAllocator::Process().Allocate(1 << 20);
//   PoolAllocator::Process().Trim();    // gives everything that is free back to the system
//
// Ownership: the process-wide allocator is never destroyed, so fetched tensors may outlive
// sessions. Thread safety: any thread. Errors: Allocate returns a null BufferRef when memory has
// run out or `limit` would be passed.
#ifndef WARPBEAM_RUNTIME_MEMORY_POOL_ALLOCATOR_H_
#define WARPBEAM_RUNTIME_MEMORY_POOL_ALLOCATOR_H_

#include <atomic>
#include <cstdint>

#include "graph/types/buffer.h"
#include "runtime/memory/peak_counter.h"

namespace warpbeam {

class PoolAllocator final : public Allocator, public PeakCounter {
 public:
  struct Stats {
    int64_t bytes_in_use = 0;  // in live buffers, rounded to size classes
    int64_t bytes_free = 0;    // kept in the central lists
    int64_t system_allocations = 0;
  };

  static PoolAllocator& Process();

  const char* name() const override { return "cpu"; }
  BufferRef Allocate(size_t bytes) override;
  int64_t peak_bytes() const override;
  void ResetPeak() override;
  // Frees the central lists and the calling thread's cache.
  void Trim();
  Stats stats() const;
  // Allocations beyond this many bytes in use fail; 0 for no limit.
  void set_limit(int64_t bytes) { limit_.store(bytes); }
  int64_t limit() const { return limit_.load(); }

 private:
  friend class PoolBuffer;
  PoolAllocator() = default;

  std::atomic<int64_t> limit_{0};
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_MEMORY_POOL_ALLOCATOR_H_
